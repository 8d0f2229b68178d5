// Package run is the vocabulary of one run of a job: its key and job id, the job's
// description, how it ended, which counters were read and how well, how much of the
// code's names may be shown, and which GPUs it had. Hooks, agent, analyses and reports
// share these types. ParseJobID parses the job ids that schedulers, process titles and users write. `jobgait
// stack` and `jobgait watch` parse their argument themselves, because it may be a process id. The ids of job
// arrays are parsed by job.ParseBigCount. Ids in JSON are decoded as numbers and checked by Key.Valid.
//
// It holds data and their text forms. It analyses nothing, reads no file, and imports
// nothing of the project but notes and quantities.
package run
