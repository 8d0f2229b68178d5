package summary

import (
	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
	"jobgait/analysis/tracker"
)

// Silence describes that the job's processes did nothing from SinceS, in seconds since the run began, up to the end of
// the run. Doing says what they did instead. No cycle of the job's loop ended since then. With NoLoop the job was in no
// loop, and none of its own code ran.
type Silence struct {
	SinceS float64 `json:"since_s"`
	Doing  string  `json:"doing"`
	NoLoop bool    `json:"no_loop,omitempty"`
	// Stacks are the call stacks of the tasks when they had stalled, nil where they were not read.
	Stacks *stacks.Record `json:"stacks,omitempty"`
}

// nodeTasks and jobTasks are the most tasks that a group of stacks lists in the record of a node and in that of a job.
const nodeTasks, jobTasks = 512, 1 << 14

// valid returns an error if the stacks have values or lengths out of range. tasks is the most tasks that a group of
// stacks may list. It returns nil without stacks.
func (s *Silence) valid(tasks int) error {
	if s == nil || s.Stacks == nil {
		return nil
	}
	return s.Stacks.Valid(tasks)
}

// WithStacks sets the stacks that were read in the silence, in place. Stacks that were read before the silence began,
// and invalid ones, are ignored. It does nothing if s is nil.
func (s *Silence) WithStacks(r stacks.Record) {
	if s != nil && r.AtS >= s.SinceS && r.Valid(nodeTasks) == nil {
		s.Stacks = &r
	}
}

// before reports whether silence b says more about the job than a. A node that waits in MPI or OpenMP with its CPUs
// busy says more than one that sleeps, because it shows what the job does. If both or neither wait like that, the
// silence that began later says more.
func before(a, b *Silence) bool {
	if waits := tracker.Doing(b.Doing).Spins(); waits != tracker.Doing(a.Doing).Spins() {
		return waits
	}
	return b.SinceS > a.SinceS
}

// silenceOf returns the silence that says most about the job (see before), with the stacks of all nodes merged. It
// returns nil unless all nodes with samples have a silence.
func silenceOf(records []NodeRecord) *Silence {
	var last *Silence
	var read []stacks.Record
	sampled := 0
	for _, r := range records {
		if r.Quality.Samples > 0 {
			sampled++
		}
		if r.Silence != nil && r.Silence.Stacks != nil {
			read = append(read, *r.Silence.Stacks)
		}
		switch {
		case r.Quality.Samples == 0:
		case r.Silence == nil:
			return nil
		case last == nil || before(last, r.Silence):
			last = r.Silence
		}
	}
	if last == nil {
		return nil
	}
	merged := *last
	merged.Stacks = nil
	if len(read) > 0 {
		all := stacks.Record{Groups: stacks.Merge(read...)}
		if n := sampled - len(read); n > 0 {
			all.Notes = append(all.Notes, note.New(note.StackNodes, "the call stacks of %d of %d nodes are missing", n, sampled))
		}
		for _, r := range read {
			all.AtS = max(all.AtS, r.AtS)
			all.Notes = append(all.Notes, r.Notes...)
		}
		all = all.Bounded(jobTasks)
		merged.Stacks = &all
	}
	return &merged
}
