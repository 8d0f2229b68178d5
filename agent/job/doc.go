// Package job identifies a job: which run this is, what is known about it, and which processes of the node
// belong to it. The answers of a Scheduler and the files below /proc come in; a Run, Details and Members go
// out, and a directory for each run in the node's spool. Everything except the job id is optional, and values
// that the user can set are hostile: text is bounded and made printable, paths that are not plain and absolute
// are dropped. The package does not guess: an unknown value stays empty. The run key is made once, by the
// Prolog, stored in env.json and read back. Package run parses the job id (ParseJobID).
//
// A scheduler is one directory (slurm, local) and a line in package scheduler. Grid
// Engine, whose prolog and epilog run on a job's first node only, would need this, by
// its manual pages and other people's prologs; nothing of it was tried:
//
//   - ReadContext: `prolog root@/usr/.../jobgait-prolog gridengine` in sge_conf(5). It runs in the job's own
//     environment, which must not be trusted: not JOBGAIT_CONFIG nor LD_LIBRARY_PATH. $job_id, $job_owner,
//     $host and $queue can be arguments, which ReadContext does not receive yet; the job's spool directory, of sge's
//     execd, has the rest (config, environment, pe_hostfile), and $SGE_JOB_SPOOL_DIR is to be checked against
//     the id. The restart count is RESTARTED, 0 or 1: two reruns cannot be distinguished.
//   - Nodes: the lines of pe_hostfile, joined by commas. The other nodes have neither hook: pe start and stop
//     would have to call the hooks, or a run covers one node.
//   - Owns: the supplementary group add_grp_id of its config in /proc/PID/status, which no user can
//     drop; ProcessSnapshot would have to read Groups. cgroups are not used everywhere.
//   - QueryJob: `qstat -j ID -xml`; FindEnding: `qacct -j ID`, a file that is read
//     from its beginning: seconds on a large site, with failed and exit_status to be
//     put into the words below. It answers some seconds after the epilog.
//   - IsSchedulerProgram: sge_shepherd. CurrentJob: JOB_ID and SGE_TASK_ID. Exit: `usage` of the spool.
//
// Where the interface still speaks Slurm: a job id is one positive number (Grid
// Engine's has a task beside it: array and task id are in Job; PBS and Flux have
// letters); states are sacct's words, which the history's views promise; run.Key has an
// SLUID; the cgroups that package cgroup finds are Slurm's; settings are in [slurm];
// of the hooks' arguments only the scheduler's name is looked at; every node has both.
package job
