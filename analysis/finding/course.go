package finding

import (
	"fmt"
	"strings"

	q "jobgait/analysis/quantity"
)

const (
	// leastDrift is the least increase of the length of iterations, in percent: two runs of one program on one
	// node differ by up to 3 %.
	leastDrift = 5.0
	// leastDriftShare is the least share of the run that longer iterations must have cost: a slow last second of a
	// minute is no finding.
	leastDriftShare = 0.02
)

// slower finds runs that became slower than earlier ones at once.
func slower(r RunFacts) []Finding { return r.slowdowns(false) }

// creeping finds runs that became slower than earlier ones bit by bit.
func creeping(r RunFacts) []Finding { return r.slowdowns(true) }

// slowdowns returns findings for the comparisons in which this run is slower: those that creep if creeps is
// set, else the others.
func (r RunFacts) slowdowns(creeps bool) []Finding {
	var out []Finding
	for _, c := range r.Others {
		if c.EffectPct > 0 && c.Creeps == creeps {
			f := c.asFinding()
			f.CostCoreS = r.costOf(c.EffectPct / (100 + c.EffectPct))
			out = append(out, f)
		}
	}
	return out
}

// asFinding converts a comparison to a finding. A known shift is added to its text and evidence.
func (c Comparison) asFinding() Finding {
	f := Finding{Text: c.Text, Evidence: map[string]any{"effect_pct": c.EffectPct}, comparison: &c}
	if c.Command != "" {
		f.Action = action("See what changed: %s", c.Command)
	}
	if c.UsualCPUWait != nil {
		f.Evidence["usual_cpu_wait"] = *c.UsualCPUWait
	}
	if c.SlowerCPUWait != nil {
		f.Evidence["slower_cpu_wait"] = *c.SlowerCPUWait
	}
	s := c.Shift
	if s == nil {
		return f
	}
	f.Evidence["from_s"], f.Evidence["to_s"] = s.FromS, s.ToS
	if c.Creeps { // the sentence says from what to what
		f.Evidence["runs"], f.Evidence["node_hours"] = s.Runs, s.NodeHours
		if c.EffectPct > 0 && s.NodeHours > 0 {
			f.Text += fmt.Sprintf(" Together they took %s node hours more.", q.Figures(s.NodeHours, 2))
		}
		return f
	}
	f.Text += fmt.Sprintf(" %s went from %s to %s", s.What, q.Period(s.FromS), q.Period(s.ToS))
	if s.FirstJob != "" {
		f.Evidence["first_job"], f.Evidence["last_job_before"] = s.FirstJob, s.LastJob
		f.Text += " with job " + s.FirstJob
	}
	if c.EffectPct > 0 && s.NodeHours > 0 {
		f.Evidence["runs"], f.Evidence["node_hours"] = s.Runs, s.NodeHours
		f.Text += fmt.Sprintf("; %s since took %s node hours more", q.Plural(s.Runs, "run"), q.Figures(s.NodeHours, 2))
	}
	f.Text += "."
	return f
}

// faster returns a finding on the first comparison by which the run is faster than earlier ones, if it saved at least
// leastShare of their time and leastCoreS core seconds.
func faster(r RunFacts) []Finding {
	for _, c := range r.Others {
		saved := -c.EffectPct / 100
		if saved >= leastShare && saved < 1 && saved/(1-saved)*r.coreS() >= leastCoreS {
			return []Finding{c.asFinding()}
		}
	}
	return nil
}

// drifting finds runs whose iterations became longer by leastDrift percent or more, if that cost at least
// leastDriftShare of the elapsed time.
func drifting(r RunFacts) []Finding {
	d := r.Drift
	if d == nil || d.ChangePct < leastDrift || r.ElapsedS <= 0 || d.CostS < leastDriftShare*r.ElapsedS {
		return nil
	}
	f := single(d.Text, map[string]any{"change_pct": d.ChangePct, "cost_s": d.CostS})
	f[0].CostCoreS = r.costOf(min(1, max(0, d.CostS)/r.ElapsedS))
	return f
}

// mostWaited is the share of the time before the first recognized cycle from which waiting for CPUs is why no cycle was
// recognized: a loop that gets a CPU only now and then has no regular cycles.
const mostWaited = 0.4

// startUpLong returns a finding on the time before the first recognized cycle, however short; short ones are left out
// later, by their cost. It returns nil if tasks waited for CPUs for at least mostWaited of that time.
func startUpLong(r RunFacts) []Finding {
	if r.StartUpWaitS >= mostWaited*r.StartUpS {
		return nil
	}
	f := phaseTime(r, r.StartUpS, "start_up_s", "The first cycle was recognized after")
	for i := range f {
		f[i].Text = strings.TrimSuffix(f[i].Text, ".") + ": start-up, or cycles that were not recognized."
	}
	return f
}

// checkpointsCost returns a finding on the time of all checkpoints, however short, nil without any; those with little
// cost are left out later.
func checkpointsCost(r RunFacts) []Finding {
	if r.Checkpoints == 0 {
		return nil
	}
	return phaseTime(r, r.CheckpointS, "checkpoint_s", q.Plural(r.Checkpoints, "checkpoint")+" took")
}

// phaseTime returns a finding about s seconds in phases, whose cost is that share of the run. what begins its sentence,
// name is the key of s in the evidence. It returns nil if s, the elapsed time or the number of CPUs is 0 or unknown.
func phaseTime(r RunFacts, s float64, name, what string) []Finding {
	if s <= 0 || r.ElapsedS <= 0 || r.coreS() <= 0 {
		return nil
	}
	part := min(1, s/r.ElapsedS)
	f := single(fmt.Sprintf("%s %s, %s of the run.", what, q.Duration(s), q.Share(part)),
		map[string]any{name: s, "elapsed_s": r.ElapsedS})
	f[0].CostCoreS = r.costOf(part)
	return f
}

// leastPart and mostPart limit the share of the run that its first part has, where that is reported.
const leastPart, mostPart = 0.1, 0.95

// partsDiffer finds runs without cycles whose parts differ, such as one that reads its input first. The finding has no
// cost: the time of a part is no loss. It returns nil if the first part took less CPU time than an info must cost.
func partsDiffer(r RunFacts) []Finding {
	if r.Periodic || len(r.PartsS) < 2 || r.SilentS > 0 || !(r.ElapsedS > 0) ||
		r.PartsS[0] < leastPart*r.ElapsedS || r.PartsS[0] > mostPart*r.ElapsedS {
		return nil
	}
	if c := r.costOf(r.PartsS[0] / r.ElapsedS); c != nil && *c < r.leastCost() {
		return nil
	}
	var parts []string
	for i, s := range r.PartsS {
		which := "the next"
		switch i {
		case 0:
			which = "the first"
		case len(r.PartsS) - 1:
			which = "the last"
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)", which, q.Duration(s), q.Share(min(1, s/r.ElapsedS))))
	}
	number := "two"
	if len(parts) > 2 {
		number = "three"
	}
	return single(fmt.Sprintf("The run had %s parts: %s and %s. PARTS says how they differ.", number,
		strings.Join(parts[:len(parts)-1], ", "), parts[len(parts)-1]),
		map[string]any{"first_part_s": r.PartsS[0], "elapsed_s": r.ElapsedS})
}
