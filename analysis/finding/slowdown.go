package finding

import (
	"fmt"
	"slices"

	q "jobgait/analysis/quantity"
	"jobgait/analysis/run"
)

// leastJoinedPct is the least part of a slowdown, in percent of the usual time, that is attributed to waiting for CPUs,
// unless it is at least leastJoinedPart of the slowdown.
const leastJoinedPct, leastJoinedPart = 3.0, 0.1

// joinSlowdownAndWait states how much of a slowdown is waiting for CPUs that other work used, where a run is slower
// than usual and was crowded as well: these two have one cause at least in part. Where waiting is half of the slowdown
// or more, the next step is that about other work.
func (r RunFacts) joinSlowdownAndWait(found []rankedFinding) {
	crowd := slices.IndexFunc(found, func(f rankedFinding) bool { return f.Code == "crowded" })
	share, known := r.cpuWaitShare()
	if crowd < 0 || !known {
		return
	}
	for i := range found {
		f := &found[i].Finding
		if f.Code != "slower_than_usual" || f.comparison == nil {
			continue
		}
		pct, ok := r.waitInSlowdown(*f.comparison)
		switch {
		case !ok:
			continue
		case pct <= 0:
			f.Text += " It is not that other work took CPUs: usual runs waited for them as long."
			continue
		}
		effect := f.comparison.EffectPct
		if pct < leastJoinedPct && pct < leastJoinedPart*effect {
			continue
		}
		f.Evidence["cpu_wait_pct"] = pct
		part := fmt.Sprintf("Of these %s, %s points are", q.Percent(effect), q.Figures(pct, 2))
		if pct >= effect {
			part = "All of that is"
		}
		f.Text += fmt.Sprintf(" %s waiting for CPUs that other work used, %s of the run.", part, q.Share(share))
		found[crowd].PartOf = f.Code
		if 2*pct >= effect {
			f.Next = found[crowd].Next
		}
		return
	}
}

// waitInSlowdown returns by how much longer than usual runs this run waited for CPUs, in percent of the usual time;
// false where either wait is unknown, and where only this run waited, of those since the change.
func (r RunFacts) waitInSlowdown(c Comparison) (pct float64, ok bool) {
	share, known := r.cpuWaitShare()
	if !known || c.UsualCPUWait == nil {
		return 0, false
	}
	slowdown, scale := 1+c.EffectPct/100, 1.0
	// The waits of several runs are estimated from means (application.UsualCPUWait), which exceeds a divided time if work
	// comes in bursts. They are scaled by what both estimates of this run's wait are.
	if b, w := r.CPU.Busy, r.CPU.Waiting; b != nil && w != nil && *w > 0 {
		scale = min(1, share/run.CPUWaitShare(*b, *w))
	}
	pct = 100 * (share*slowdown - scale**c.UsualCPUWait)
	// The slowdown is that of all runs since the change: what only this run waited is no part of it.
	if since := c.SlowerCPUWait; since != nil && scale**since < share && pct > 0 {
		pct = 100 * scale * (*since*slowdown - *c.UsualCPUWait)
		return pct, pct > 0
	}
	return pct, true
}
