package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

const (
	// unevenRatio is the least ratio of the busiest thread's CPU time to the mean of all threads that is reported.
	unevenRatio = 1.5
	// busiestShare is the least part of the run in which the busiest thread must have computed.
	busiestShare = 0.3
	// nearlyAll is the share of the CPU time from which one thread did nearly all of the work.
	nearlyAll = 0.9
)

// unevenThreads finds runs in which one thread of the main program had much more work than the others while CPUs were
// idle. It returns nil for runs with OMP_NUM_THREADS=1, whose other threads are no workers, and where that program did
// less than half of the work.
func unevenThreads(r RunFacts) []Finding {
	w, c := r.ThreadWork, r.CPU
	if w == nil || w.Threads < 2 || r.Threads == 1 || c.Allocated == nil || c.Busy == nil || *c.Allocated < 2 ||
		!(r.ElapsedS > 0) || w.TotalS < *c.Busy*r.ElapsedS/2 {
		return nil
	}
	mean, idle := w.TotalS/float64(w.Threads), *c.Allocated-*c.Busy
	if c.Waiting != nil {
		idle -= *c.Waiting
	}
	if w.BusiestS < unevenRatio*mean || w.BusiestS < busiestShare*r.ElapsedS || idle < leastShare**c.Allocated {
		return nil
	}
	others := w.TotalS - w.BusiestS
	text := fmt.Sprintf("The %d threads of %s (of all its processes) had unequal work: one computed for %s, the "+
		"others for %s each on average.", w.Threads, w.Program, q.Duration(w.BusiestS),
		q.Duration(others/float64(w.Threads-1)))
	switch {
	case w.BusiestS >= nearlyAll*w.TotalS:
		text = fmt.Sprintf("One of the %d threads of %s (of all its processes) did %s of the work.", w.Threads, w.Program,
			q.Share(min(1, w.BusiestS/w.TotalS)))
	case w.Threads == 2:
		text = fmt.Sprintf("The 2 threads of %s (of all its processes) had unequal work: one computed for %s, the "+
			"other for %s.", w.Program, q.Duration(w.BusiestS), q.Duration(others))
	}
	text += fmt.Sprintf(" The run had work for %s of its %s CPUs on average.", q.Figures(*c.Allocated-idle, 2),
		q.Plain(*c.Allocated, 5))
	f := single(text, map[string]any{"program": w.Program, "threads": w.Threads, "busiest_s": w.BusiestS,
		"total_s": w.TotalS, "idle_cpus": idle})
	cost := min(idle*r.ElapsedS, w.BusiestS*min(float64(w.Threads), *c.Allocated)-w.TotalS)
	if cost <= 0 {
		cost = idle * r.ElapsedS
	}
	f[0].CostCoreS = &cost
	return f
}
