package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

// GPU is one of the run's GPUs that was read; nil is what was not. Name is "GPU 0", with
// the node's name where there are several.
type GPU struct {
	Name    string
	ReadS   float64
	ActiveS *float64
	// PowerCappedS and HeatSlowedS are for how long a power cap and heat slowed it.
	PowerCappedS, HeatSlowedS *float64
	// StretchS is the longest time on end in which no kernel ran, FromS when it began.
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
	// unusedS is from how long on a GPU that was given and not used is reported: it is known
	// within 0.3 s who holds one. unused is up to which part of its time it ran nothing.
	unusedS, unused = 5.0, 0.01
	// A GPU that did something is reported to have stood still for longIdleS and longIdle of
	// the run, or for shortIdleS and shortIdle of it.
	longIdleS, longIdle, shortIdleS, shortIdle = 600.0, 0.1, 10.0, 0.3
	// idleCycle is the idle share of a cycle from which it is reported, idleTime that of the time
	// that a GPU was read, which has the start-up; slowedPart the part of its time for which a GPU
	// was slowed.
	idleCycle, idleTime, slowedPart = 0.2, 0.5, 0.1
)

func gpuNotHeld(r RunFacts) []Finding {
	if len(r.GPUsNotHeld) == 0 || r.ElapsedS < unusedS {
		return nil
	}
	where := ""
	if r.NNodes > 1 {
		where = " on " + some(r.GPUsNotHeld)
	}
	return one(fmt.Sprintf("The run was given GPUs%s, and none of its processes opened one.", where),
		map[string]any{"nodes": r.GPUsNotHeld})
}

// idle is whether a GPU ran next to nothing for as long as it was read.
func (g GPU) idle() bool {
	return g.ActiveS != nil && *g.ActiveS <= unused*g.ReadS && g.ReadS >= unusedS
}

func gpuNoKernel(r RunFacts) []Finding {
	var idle []string
	ran := 0.0
	for _, g := range r.GPUs {
		if g.idle() {
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
	return one(fmt.Sprintf("%s %s of %s that the run held open: %s.", how, q.Count(len(idle)),
		q.Plural(len(r.GPUs), "GPU"), some(idle)),
		map[string]any{"gpus": idle, "of": len(r.GPUs)})
}

// stoodStill is whether a GPU that did something ran nothing for long.
func (g GPU) stoodStill(elapsedS float64) bool {
	return !g.idle() && (g.StretchS >= longIdleS && g.StretchS >= longIdle*elapsedS ||
		g.StretchS >= shortIdleS && g.StretchS >= shortIdle*elapsedS)
}

func gpuIdleStretch(r RunFacts) []Finding {
	var longest GPU
	more := -1
	for _, g := range r.GPUs {
		if g.stoodStill(r.ElapsedS) {
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
	return one(fmt.Sprintf("No kernel ran on %s for %s on end, from %s on%s.", longest.Name, q.Duration(longest.StretchS),
		q.Position(longest.FromS, r.ElapsedS), also),
		map[string]any{"gpu": longest.Name, "idle_s": longest.StretchS, "from_s": longest.FromS, "gpus": more + 1})
}

func gpuIdleShare(r RunFacts) []Finding {
	idle, least := r.GPUIdle, idleTime
	if idle != nil && idle.OfCycles {
		least = idleCycle
	}
	if idle == nil || idle.Share < least || idle.Share > 1 || len(gpuNoKernel(r)) > 0 {
		return nil // another finding reports a GPU without work
	}
	return one(idle.Text, map[string]any{"idle_share": idle.Share})
}

// slowedBy is for how long a GPU was slowed, and by what.
func (g GPU) slowedBy() (seconds float64, reason string) {
	if g.PowerCappedS != nil {
		seconds, reason = *g.PowerCappedS, "A power cap"
	}
	if g.HeatSlowedS != nil && *g.HeatSlowedS > seconds {
		seconds, reason = *g.HeatSlowedS, "Heat"
	}
	return seconds, reason
}

func gpuSlowed(r RunFacts) []Finding {
	var most GPU
	part, why, n := 0.0, "", 0
	for _, g := range r.GPUs {
		seconds, reason := g.slowedBy()
		if g.ReadS <= 0 || seconds < slowedPart*g.ReadS || seconds == 0 {
			continue
		}
		n++
		if p := min(1, seconds/g.ReadS); p > part {
			part, most, why = p, g, reason
		}
	}
	if n == 0 {
		return nil
	}
	also := ""
	if n > 1 {
		also = fmt.Sprintf(", and %s more", q.Plural(n-1, "GPU"))
	}
	return one(fmt.Sprintf("%s slowed %s for %s of the time%s.", why, most.Name, q.Share(part), also),
		map[string]any{"gpu": most.Name, "share": part, "reason": why, "gpus": n})
}
