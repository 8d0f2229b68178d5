package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

// GPU is one of the run's GPUs that was read; nil means not read. Name is "GPU 0", with the node's name if
// there are several nodes.
type GPU struct {
	Name    string
	ReadS   float64
	ActiveS *float64
	// PowerCappedS and HeatSlowedS are the times, in seconds, for which a power cap and heat slowed it.
	PowerCappedS, HeatSlowedS *float64
	// StretchS is the longest uninterrupted time, in seconds, in which no kernel ran, FromS when it began.
	StretchS, FromS float64
}

// GPUIdle is how much of each cycle the GPUs are idle, or of the time that they were read where no
// cycle is likely, and that in words.
type GPUIdle struct {
	Share    float64
	OfCycles bool
	Text     string
}

const (
	// unusedS is the least time, in seconds, for which an unused GPU is reported: which process holds a GPU is
	// known within 0.3 s. unused is the largest share of active time at which a GPU counts as unused.
	unusedS, unused = 5.0, 0.01
	// An idle stretch of a GPU that did something is reported if it lasts longIdleS seconds and the share longIdle
	// of the run, or shortIdleS and the share shortIdle.
	longIdleS, longIdle, shortIdleS, shortIdle = 600.0, 0.1, 10.0, 0.3
	// idleCycle is the idle share of a cycle from which it is reported, idleTime that of the time
	// that a GPU was read, which has the start-up; slowedPart the part of its time for which a GPU
	// was slowed.
	idleCycle, idleTime, slowedPart = 0.2, 0.5, 0.1
)

// gpuNotHeld finds nodes on which no process held a GPU.
func gpuNotHeld(r RunFacts) []Finding {
	if len(r.GPUsNotHeld) == 0 || r.ElapsedS < unusedS {
		return nil
	}
	where := ""
	if r.NNodes > 1 {
		where = " on " + nameSome(r.GPUsNotHeld)
	}
	return single(fmt.Sprintf("The run was given GPUs%s, and none of its processes opened one.", where),
		map[string]any{"nodes": r.GPUsNotHeld})
}

// isIdle reports whether a GPU ran almost nothing while it was read.
func (g GPU) isIdle() bool {
	return g.ActiveS != nil && *g.ActiveS <= unused*g.ReadS && g.ReadS >= unusedS
}

// gpuNoKernel returns one finding that names all GPUs, read for unusedS seconds or longer, on which kernels ran for at
// most the share unused of that time; nil if no GPU is idle.
func gpuNoKernel(r RunFacts) []Finding {
	var idle []string
	ran := 0.0
	for _, g := range r.GPUs {
		if g.isIdle() {
			idle, ran = append(idle, g.Name), ran+*g.ActiveS
		}
	}
	if len(idle) == 0 {
		return nil
	}
	how := "No kernel was seen to run on"
	if ran > 0 {
		how = "Kernels ran for less than " + q.Share(unused) + " of the time on"
	}
	return single(fmt.Sprintf("%s %s of %s that the run held open: %s.", how, q.Count(len(idle)),
		q.Plural(len(r.GPUs), "GPU"), nameSome(idle)),
		map[string]any{"gpus": idle, "of": len(r.GPUs)})
}

// hasLongIdle reports whether a GPU that was used at all had a long idle stretch.
func (g GPU) hasLongIdle(elapsedS float64) bool {
	return !g.isIdle() && (g.StretchS >= longIdleS && g.StretchS >= longIdle*elapsedS ||
		g.StretchS >= shortIdleS && g.StretchS >= shortIdle*elapsedS)
}

// gpuIdleStretch returns one finding on the longest idle stretch of a GPU, with the number of other GPUs with a long
// one; nil if no GPU has one.
func gpuIdleStretch(r RunFacts) []Finding {
	var longest GPU
	more := -1
	for _, g := range r.GPUs {
		if g.hasLongIdle(r.ElapsedS) {
			more++
			if g.StretchS > longest.StretchS {
				longest = g
			}
		}
	}
	if more < 0 {
		return nil
	}
	also := ""
	if more > 0 {
		also = fmt.Sprintf(", and on %s more for long", q.Plural(more, "GPU"))
	}
	return single(fmt.Sprintf("No kernel ran on %s for %s on end, from %s on%s.", longest.Name,
		q.Duration(longest.StretchS),
		q.Position(longest.FromS, r.ElapsedS), also),
		map[string]any{"gpu": longest.Name, "idle_s": longest.StretchS, "from_s": longest.FromS, "gpus": more + 1})
}

// gpuIdleShare returns a finding if the GPUs were idle for at least idleCycle of each cycle or, where no cycle is
// known, idleTime of the time that they were read. It returns nil if gpuNoKernel reports a GPU.
func gpuIdleShare(r RunFacts) []Finding {
	idle, threshold := r.GPUIdle, idleTime
	if idle != nil && idle.OfCycles {
		threshold = idleCycle
	}
	if idle == nil || idle.Share < threshold || idle.Share > 1 || len(gpuNoKernel(r)) > 0 {
		return nil // another finding reports a GPU without work
	}
	return single(idle.Text, map[string]any{"idle_share": idle.Share})
}

// slowedBy returns the longer of the two times, in seconds, for which a power cap and heat slowed a GPU, and which of
// them that was; 0 and "" if neither is known.
func (g GPU) slowedBy() (seconds float64, reason string) {
	if g.PowerCappedS != nil {
		seconds, reason = *g.PowerCappedS, "A power cap"
	}
	if g.HeatSlowedS != nil && *g.HeatSlowedS > seconds {
		seconds, reason = *g.HeatSlowedS, "Heat"
	}
	return seconds, reason
}

// gpuSlowed returns one finding on the GPU that a power cap or heat slowed for the largest share of its time, if that
// is at least slowedPart, with the number of other such GPUs.
func gpuSlowed(r RunFacts) []Finding {
	var slowest GPU
	part, why, n := 0.0, "", 0
	for _, g := range r.GPUs {
		seconds, reason := g.slowedBy()
		if g.ReadS <= 0 || seconds < slowedPart*g.ReadS || seconds == 0 {
			continue
		}
		n++
		if p := min(1, seconds/g.ReadS); p > part {
			part, slowest, why = p, g, reason
		}
	}
	if n == 0 {
		return nil
	}
	also := ""
	if n > 1 {
		also = fmt.Sprintf(", and %s more", q.Plural(n-1, "GPU"))
	}
	return single(fmt.Sprintf("%s slowed %s for %s of the time%s.", why, slowest.Name, q.Share(part), also),
		map[string]any{"gpu": slowest.Name, "share": part, "reason": why, "gpus": n})
}
