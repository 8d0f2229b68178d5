package finding

import (
	"fmt"
	"slices"

	q "jobgait/analysis/quantity"
)

// leastJoinedPct is the least part of a slowdown, in percent of the usual time, that is attributed to waiting for CPUs,
// unless it is at least leastJoinedPart of the slowdown.
const leastJoinedPct, leastJoinedPart = 3.0, 0.1

// joinSlowdownAndWait states how much of a slowdown is waiting for CPUs that other work used, where a run is slower
// than usual and was crowded as well: these two have one cause at least in part. Where waiting is half of the slowdown
// or more, the next step is that about other work.
func (r RunFacts) joinSlowdownAndWait(found []rankedFinding) {
	crowd := slices.IndexFunc(found, func(f rankedFinding) bool { return f.Code == "crowded" })
	if crowd < 0 {
		return
	}
	for i := range found {
		f := &found[i].Finding
		pct, ok := r.waitInSlowdown(*f)
		switch {
		case !ok:
			continue
		case pct <= 0:
			f.Text += " It is not that other work took CPUs: usual runs waited for them as long."
			continue
		}
		effect := f.Evidence["effect_pct"].(float64)
		if pct < leastJoinedPct && pct < leastJoinedPart*effect {
			continue
		}
		f.Evidence["cpu_wait_pct"] = pct
		part := fmt.Sprintf("Of these %s, %s points are", q.Percent(effect), q.Figures(pct, 2))
		if pct >= effect {
			part = "All of that is"
		}
		f.Text += fmt.Sprintf(" %s waiting for CPUs that other work used, %s of the run.", part,
			q.Share(*r.CPUWaitS/r.ElapsedS))
		found[crowd].PartOf = f.Code
		if 2*pct >= effect {
			f.Next = found[crowd].Next
		}
		return
	}
}

// waitInSlowdown returns by how much longer than usual runs this run waited for CPUs, in percent of the usual time;
// false for findings that are not slowdowns, and where either wait is unknown.
func (r RunFacts) waitInSlowdown(f Finding) (pct float64, ok bool) {
	effect, compared := f.Evidence["effect_pct"].(float64)
	usual, known := f.Evidence["usual_cpu_wait"].(float64)
	if f.Code != "slower_than_usual" || !compared || !known || r.CPUWaitS == nil || r.ElapsedS <= 0 {
		return 0, false
	}
	share, scale := min(1, *r.CPUWaitS/r.ElapsedS), 1.0
	// The waits of several runs are estimated from means (application.UsualCPUWait), which exceeds a divided time if work
	// comes in bursts. They are scaled by what both estimates of this run's wait are.
	if b, w := r.CPU.Busy, r.CPU.Waiting; b != nil && w != nil && *w > 0 {
		scale = min(1, share*(*b+*w)/(min(1, *b+*w)**w))
	}
	pct = 100 * (share*(1+effect/100) - scale*usual)
	// The slowdown is that of all runs since the change: what only this run waited is no part of it.
	if since, known := f.Evidence["slower_cpu_wait"].(float64); known && scale*since < share && pct > 0 {
		pct = 100 * scale * (since*(1+effect/100) - usual)
		return pct, pct > 0
	}
	return pct, true
}
