package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

// GPU is one of the run's GPUs that was read; nil is what was not. Name is "GPU 0", with
// the node's name where there are several.
type GPU struct {
	Name             string
	ReadS            float64
	ActiveS, SlowedS *float64
	// StretchS is the longest time on end in which no kernel ran, FromS when it began.
	StretchS, FromS float64
}

// GPUCycle is how much of each cycle the GPUs are idle, and that in words.
type GPUCycle struct {
	IdleShare float64
	Text      string
}

const (
	// unusedS is from how long on a GPU that was given and not used is told: programs
	// read their input first.
	unusedS = 300.0
	// longIdleS and longIdle are from how long on, and of how much of the run, a GPU that
	// did something is told to have stood still.
	longIdleS, longIdle = 600.0, 0.1
	// idleCycle is the idle share of a cycle from which it is told; slowedPart the part
	// of its time for which a GPU was slowed.
	idleCycle, slowedPart = 0.2, 0.1
)

func gpuNotHeld(r Run) []Finding {
	if len(r.GPUsNotHeld) == 0 || r.ElapsedS < unusedS {
		return nil
	}
	where := ""
	if r.NNodes > 1 {
		where = " on " + some(r.GPUsNotHeld)
	}
	return one(fmt.Sprintf("No process of the run was seen to hold a GPU that it was given%s.", where), map[string]any{"nodes": r.GPUsNotHeld})
}

// idle is whether a GPU ran nothing for as long as it was read.
func (g GPU) idle() bool { return g.ActiveS != nil && *g.ActiveS == 0 && g.ReadS >= unusedS }

func gpuNoKernel(r Run) []Finding {
	var idle []string
	for _, g := range r.GPUs {
		if g.idle() {
			idle = append(idle, g.Name)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	return one(fmt.Sprintf("No kernel was seen to run on %s of %s: %s.", q.Count(len(idle)), q.Plural(len(r.GPUs), "GPU"), some(idle)),
		map[string]any{"gpus": idle, "of": len(r.GPUs)})
}

func gpuIdleStretch(r Run) []Finding {
	var longest GPU
	more := -1
	for _, g := range r.GPUs {
		if !g.idle() && g.StretchS >= longIdleS && g.StretchS >= longIdle*r.ElapsedS {
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
	return one(fmt.Sprintf("No kernel ran on %s for %s on end, from %s on%s.", longest.Name, q.Duration(longest.StretchS), q.Position(longest.FromS, r.ElapsedS), also),
		map[string]any{"gpu": longest.Name, "idle_s": longest.StretchS, "from_s": longest.FromS, "gpus": more + 1})
}

func gpuIdleShare(r Run) []Finding {
	c := r.GPUCycle
	if c == nil || c.IdleShare < idleCycle || c.IdleShare > 1 || len(gpuNoKernel(r)) > 0 {
		return nil // one without work is told by itself
	}
	return one(c.Text, map[string]any{"idle_share": c.IdleShare})
}

func gpuSlowed(r Run) []Finding {
	var most GPU
	part, n := 0.0, 0
	for _, g := range r.GPUs {
		if g.SlowedS == nil || g.ReadS <= 0 || *g.SlowedS < slowedPart*g.ReadS {
			continue
		}
		n++
		if p := min(1, *g.SlowedS/g.ReadS); p > part {
			part, most = p, g
		}
	}
	if n == 0 {
		return nil
	}
	also := ""
	if n > 1 {
		also = fmt.Sprintf(", and %s more", q.Plural(n-1, "GPU"))
	}
	return one(fmt.Sprintf("A power cap, heat or a power brake slowed %s for %s of the time%s.", most.Name, q.Share(part), also),
		map[string]any{"gpu": most.Name, "share": part, "gpus": n})
}
