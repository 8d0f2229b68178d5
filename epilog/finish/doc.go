// Package finish is the whole flow after a job has ended, as code (finish.go). A run directory comes in: what
// the Prolog wrote (env.json), what the agent sampled (profile.jgp) and the Epilog's environment (epilog.json).
// Out go the node's record, and on the first node of the job the merged summary, the report in the user's
// directory and the row in the history. It does not guess: what a step cannot know becomes a note in the report.
//
// Every process may be killed at any moment: state.go has the states of a run, the transitions between them,
// and the file that proves each. If a node dies after its record was collected, the record stays in the
// collection directory. If it was the first node, its own sweep goes on when it is back; else the sweep of
// another node of the job reports the run once it was not collected for some time (adoptAfter in adoption.go).
//
// # What root writes
//
// Root writes only below directories that root alone can change: the run directories, their log and retired/ in
// the spool (package job), locks beside them (deliverylock.go, ownhistory.go), live.json (package live), the totals of
// the node and the textfile (package health), and the history if it is root's own. A child process with the rights of
// the other account writes everything else: records, archive and report (packages collect, archive, deliver; the table
// of children is in package as).
//
// # What root reads that others can write, and how far it is trusted
//
//   - Collection directory (service account): a child with its rights reads it; the answer is bounded and each
//     record validated. A user id, directory or key is never taken from a record (adoption.go).
//   - History of root: its file system may hang all the same, and then holds one process of the node (ownhistory.go).
//   - History of another account: read by such a child (historyquery.go). Only texts and redrawn pictures of its
//     answer reach a report.
//   - Spool and textfile directory: refused if another account can change them (job.RequireRootOwned).
//   - Settings: a file that the administrator names; bounded, keys and values checked.
//   - The hooks' environment: user, group, id and node come from slurmd and are trusted. Texts of users are
//     bounded, made printable, and decide only labels and rates (package job).
//   - scontrol and sacct: states, times, user ids; columns with texts of users are not read, except one work
//     directory, which is queried alone.
//   - /proc of other processes: cgroup, status and stat of any; command line, environment, mappings and program
//     only of the job's own or of root's slurmstepd, by a child that may be abandoned (package peek). Values of
//     environments are used where the scheduler has none, with note declared_by_job; never an account.
//   - Mapped files of the job (build ids): opened by that child with the user's rights.
//   - Directories of users: never. A child with the user's rights delivers, one at a time for each user.
//
// Jobs of root are watched only with watch.root; without it, and without a known user, the report stays in the
// spool.
package finish
