package summary

import (
	"jobgait/analysis/stacks"
	"jobgait/analysis/tracker"
)

// Silence is that the job's processes did nothing up to its end: since when, in seconds since the run began, and what
// they did instead. No cycle of its loop ended since; with NoLoop it was in none, and none of its own code ran.
type Silence struct {
	SinceS float64 `json:"since_s"`
	Doing  string  `json:"doing"`
	NoLoop bool    `json:"no_loop,omitempty"`
	// Stacks are the call stacks of the tasks when they had stalled, nil where they were not read.
	Stacks *stacks.Record `json:"stacks,omitempty"`
}

// nodeTasks and jobTasks are how many tasks of a node and of a job a group of stacks lists.
const nodeTasks, jobTasks = 512, 1 << 14

// valid refuses stacks that no node writes of the given number of tasks.
func (s *Silence) valid(tasks int) error {
	if s == nil || s.Stacks == nil {
		return nil
	}
	return s.Stacks.Valid(tasks)
}

// WithStacks adds the stacks that were read in the silence; those of an earlier one, and invalid ones, are dropped.
func (s *Silence) WithStacks(r stacks.Record) {
	if s != nil && r.AtS >= s.SinceS && r.Valid(nodeTasks) == nil {
		s.Stacks = &r
	}
}

// before reports whether the second silence says more of the job: that of a node that waits in MPI says what the job
// does, whatever sleeps on other nodes; of equal ones the later.
func before(a, b *Silence) bool {
	if waits := tracker.Doing(b.Doing).Spins(); waits != tracker.Doing(a.Doing).Spins() {
		return waits
	}
	return b.SinceS > a.SinceS
}

// silenceOf returns the last of the nodes' silences, with the stacks of all nodes merged, nil unless all
// sampled nodes have one.
func silenceOf(records []NodeRecord) *Silence {
	var last *Silence
	var read []stacks.Record
	for _, r := range records {
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
		for _, r := range read {
			all.AtS = max(all.AtS, r.AtS)
			all.Notes = append(all.Notes, r.Notes...)
		}
		all = all.Bounded(jobTasks)
		merged.Stacks = &all
	}
	return &merged
}
