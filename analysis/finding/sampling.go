package finding

// notSampled finds runs that were not sampled.
func notSampled(r RunFacts) []Finding {
	if r.Sampled {
		return nil
	}
	text := "The run was not sampled"
	if r.NoPeriod != "" {
		text += ": " + r.NoPeriod
	}
	return single(text+".", map[string]any{"why": r.NoPeriod})
}

// partlySampled returns a finding for each doubt about the samples.
func partlySampled(r RunFacts) []Finding {
	if !r.Sampled {
		return nil
	}
	var out []Finding
	for _, text := range r.Doubt {
		out = append(out, Finding{Text: text, Evidence: map[string]any{"why": text}})
	}
	return out
}

// noPeriod finds sampled runs without a period.
func noPeriod(r RunFacts) []Finding {
	if r.Periodic || !r.Sampled {
		return nil
	}
	text := "No repeating cycle was found: " + r.NoPeriod + "."
	if r.Course != "" && r.SilentS <= 0 && r.TrailingIdleS < leastShare*r.ElapsedS {
		text += " " + r.Course
	}
	return single(text, map[string]any{"why": r.NoPeriod})
}
