// Package job says who a job is: which run this is, what is known of it, and
// which processes of the node are its own. The environment of Slurm's Prolog
// (22.05 to 26.05) or of `jobgait run`, the files below /proc and the output of
// scontrol come in; a Run, Details and Members go out, and a directory for each
// run in the node's spool.
//
// All of it but the job id is optional, and what the user can set is hostile:
// text is bounded and made printable, paths that are not plain and absolute are
// dropped. It refuses to guess: what Slurm does not tell stays empty.
//
// Slurm tells Prolog and Epilog of one run different restart counts, so the run
// key is made once, by FromHook in the Prolog, stored in env.json and read back.
package job
