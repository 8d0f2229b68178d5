// Package finish is the whole flow after a job has ended, as code (finish.go). A run directory comes in: what
// the Prolog wrote (env.json), what the agent sampled (profile.jgp) and the Epilog's environment (epilog.json).
// Out go the node's record, and on the first node of the job the merged summary, the report in the user's
// directory and the row in the history.
//
// Everything here may be killed at any moment and done again: state.go has the states of a run, the transitions
// between them, and which file proves each. It does not guess: what a step cannot know becomes a note in the
// report.
//
// # What root reads that others can write, and what is believed of it
//
//   - Collection directory (the service account, root of any node): read by a child
//     with that account's rights (package collect), its answer bounded and each record
//     asked whether it can be. Content is believed; never a uid, a directory or a key:
//     these are the run directory's, else the scheduler's accounting's (adopt.go).
//   - History of another account: read by such a child (consult.go). Root opens no
//     database that another account can change (package history); of the child's
//     answer only texts and redrawn pictures reach a report.
//   - Spool: only root's own; one that another account can change is refused
//     (job.Ours). So is a directory for the textfile collector.
//   - Settings: a file that the administrator names; bounded, keys and values checked.
//   - The hooks' environment: user, group, id and node are slurmd's and believed; texts
//     of users (names, comments, --jobgait) are bounded, made printable, and decide
//     nothing but labels and rates (package job).
//   - scontrol and sacct: states, times, user ids. Columns of sacct are such that no
//     text of a user's is among them; one work directory is asked for apart.
//   - /proc of other processes: cgroup, status and stat of any; command line,
//     environment, mappings and program only of the job's own or of root's slurmstepd,
//     by a child that may be left behind (package peek). Environments describe the
//     run where the scheduler does not: name and number of tasks, and without its
//     answer partition, QOS and array, with note declared_by_job. Never an account.
//   - Mapped files of the job (build ids): opened by that child with the user's rights.
//   - Directories of users: never. A child with the user's rights delivers (package
//     deliver), one at a time a user: one that hangs is the only one left behind. Of
//     its answer only one of the directories asked for is believed.
//
// Jobs of root are watched only with watch.root; a run of nobody's, or of root's
// unasked, is reported into the spool.
package finish
