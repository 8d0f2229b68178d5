// Package finish is the whole flow after a job has ended, as code (finish.go). A run directory comes in: what
// the Prolog wrote (env.json), what the agent sampled (profile.jgp) and the Epilog's environment (epilog.json).
// Out go the node's record, and on the first node of the job the merged summary, the report in the user's
// directory and the row in the history. It does not guess: what a step cannot know becomes a note in the report.
//
// Every process may be killed at any moment: state.go has the states of a run, the transitions between them, and the
// file that proves each. Records wait in the collection directory. If the first node died, its own sweep goes on when
// it is back; else, 25 hours after the last record (adoptAfter), the sweep of another node adopts the run, also of one
// that did not run the job if the accounting knows the run. After each report, reported/ in the collection directory
// says from how many nodes it was made, and a late node or an adoption makes a new one only from more nodes.
//
// # What root writes
//
// Root writes only below directories that root alone can change: in the node's spool the run directories, the log,
// retired/, locks, totals, reports/ (reports that had nowhere to go) and .check-* (doctor writes and removes one);
// live.json with its index and socket (package live); the textfiles (package health); the history if it is root's own.
// Its processes also move themselves out of a job's cgroup (job.LeaveCgroup) and set their own oom_score_adj. A child
// with the rights of the other account writes records, archive and delivered reports (package as); without
// collect.account root writes the first two itself.
//
// # Processes of root
//
// Prolog, Epilog, worker and sweep; the agent, which the Prolog starts (package launch), and jobgait-nvml, which the
// agent starts with its own rights (agent/counter/gpu); the scheduler's commands: scontrol, sacct and sacctmgr
// (agent/job/slurm, package check). as.Verbs lists the children and with whose rights they run.
//
// # What root reads that others can write, and how far it is trusted
//
//   - Collection directory (service account): a child with its rights reads it; bounded, each record validated. A user
//     id, directory or key is never taken from a record (adoption.go). reported/ counts for late runs only.
//   - History of root: its file system may hang all the same, and then holds one process of the node (ownhistory.go).
//   - History of another account: read by such a child (historyquery.go). Only texts and redrawn pictures of its
//     answer reach a report.
//   - Spool and textfile directories: refused if another account can change them (job.RequireRootOwned, RequireOwned).
//   - Settings, a file that the administrator names: bounded, keys and values checked. The hooks' environment: user,
//     group, id and node are slurmd's and trusted; texts of users are bounded and decide only labels and rates.
//   - scontrol and sacct: states, times, user ids; no columns with texts of users, except one work directory.
//   - /proc of other processes: cgroup, status and stat of any; command line, environment, mappings and program only
//     of the job's own or of root's slurmstepd, by a child that may be abandoned (package peek). Environments are used
//     where the scheduler has no value, with note declared_by_job; never for an account. Build ids: by the same child.
//   - Directories of users: never. A child with the user's rights delivers, one at a time for each user.
//
// Jobs of root are watched only with watch.root; without it, and without a known user, the report stays in the spool.
package finish
