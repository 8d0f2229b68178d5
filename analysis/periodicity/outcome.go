package periodicity

import (
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// outcome is the result of searching one source: its periods, or the stage at which the search ended.
type outcome struct {
	source  string
	stage   stage
	periods []Period
	combs   []Period // periods of a comb of the sampler, refused (comb.go)
	macros  []Macro
	// For an outcome chosen among many columns: agreed is the share of their votes that agree, code reports that
	// code shows the period, usage that only the amount of CPU the job got does.
	agreed      float64
	code, usage bool
	leastS      float64 // shorter periods of its sensor were refused (alias.go)
	// candidate is the most confident period that was refused, the zero value where there was none.
	candidate Period
	// searchWhole finds the same period in another set of the same profile; partly reports that only an excerpt
	// was searched.
	partly      bool
	searchWhole func(series.Set, series.Clock) outcome
}

// addCPUTime sets CPUS, the mean CPU time of one instance, of each period that has none yet. It calls clock only if
// there is such a period, and does nothing if the clock has no CPU time.
func (o outcome) addCPUTime(clock func() series.Clock) {
	if !slices.ContainsFunc(o.periods, func(p Period) bool { return !(p.CPUS > 0) }) {
		return
	}
	c := clock()
	if c.Total() == 0 {
		return
	}
	for i, p := range o.periods {
		if p.CPUS > 0 {
			continue
		}
		used := 0.0
		for _, in := range p.Instances {
			used += c.Used(in.First+in.Length) - c.Used(in.First)
		}
		o.periods[i].CPUS = used / float64(len(p.Instances))
	}
}

// furthest returns, without its periods, the one of two outcomes whose search reached the later stage, with the combs
// of both. Its candidate is the most confident period of both, or that of an outcome that was found but too unsure.
func (o outcome) furthest(p outcome) outcome {
	best := o.refusing(append(slices.Clone(p.periods), p.candidate)...).refusing(o.periods...).candidate
	if p.stage == foundUnsure {
		best = p.candidate
	}
	if o.source == "" || p.stage > o.stage {
		p.combs = append(p.combs, o.combs...)
		return outcome{source: p.source, stage: p.stage, leastS: p.leastS, combs: p.combs, candidate: best, usage: p.usage}
	}
	if o.stage == foundUnsure {
		best = o.candidate
	}
	o.combs, o.candidate = append(o.combs, p.combs...), best
	return o
}

// refusing returns the outcome with the most confident of the refused periods and the candidate so far as its
// candidate.
func (o outcome) refusing(periods ...Period) outcome {
	for _, p := range periods {
		if p.Confidence > o.candidate.Confidence {
			o.candidate = p
		}
	}
	return o
}

// refusal returns the note that says why there is no period in a set, with the best candidate, and whether nearly all
// samples of code lie in one page.
func (o outcome) refusal(set series.Set) note.Note {
	n := o.reason()
	if c := o.candidate; c.PeriodS > 0 && len(o.combs) == 0 && o.stage != foundUnsure {
		n.Text += fmt.Sprintf("; the best candidate was a cycle of %s, %d times, with a confidence of %s",
			quantity.Period(c.PeriodS), len(c.Instances), quantity.Hundredths(c.Confidence))
	}
	if share := onePage(set); o.stage != found && share >= mostOfOnePage {
		n.Text += fmt.Sprintf("; %s of the samples of code lie in one page of 4 KB, within which they are not distinguished",
			quantity.Share(share))
	}
	return n
}

// mostOfOnePage is the share of the samples in one page of code from which it is a reason for finding no period.
const mostOfOnePage = 0.9

// onePage returns the share of the samples of code that lie in the page with most of them. It is 0 without samples.
func onePage(set series.Set) float64 {
	total, most := 0.0, 0.0
	for _, c := range code(set) {
		sum := 0.0
		for _, v := range c.Values {
			if v > 0 {
				sum += float64(v)
			}
		}
		total, most = total+sum, max(most, sum)
	}
	if total == 0 {
		return 0
	}
	return most / total
}

// reason returns the note that says why there is no period, by the stage that the search reached and by what was
// refused.
func (o outcome) reason() note.Note {
	switch {
	case o.source == "":
		return note.New(note.NoVariance, "no period: no column of the job was sampled")
	case o.stage == noVariance:
		return note.New(note.NoVariance, "no period: every column is flat, so nothing repeats")
	case o.stage == noValley:
		return note.New(note.NoValley, "no period: no counter repeats itself")
	case o.stage == notTracked:
		return note.New(note.NotTracked,
			"no period: a pattern returns in %s at some times, but not in cycles that follow one another", o.source)
	case o.stage == foundUnsure:
		c := o.candidate
		shown := ""
		if o.usage {
			shown = "; only the number of busy CPUs shows it, not which code runs"
		}
		return note.New(note.UnsurePeriod, "no period: the best candidate, a cycle of %s seen %s times, is too unsure to be "+
			"reported (confidence %s)%s", quantity.Period(c.PeriodS), quantity.Count(len(c.Instances)),
			quantity.Hundredths(c.Confidence), shown)
	case len(o.combs) > 0:
		return note.New(note.OnlyClocks,
			"no period: %s repeats every %s exactly in step with the sampling, as timers do, and no other counter confirms it",
			o.source, quantity.Period(o.combs[0].PeriodS))
	case o.stage == found && o.leastS > 0:
		return note.New(note.OnlyClocks,
			"no period: only %s shows one, but it is read too rarely to resolve periods below %.3g s, and no counter that is "+
				"read more often confirms it",
			o.source, o.leastS)
	case o.stage == found:
		return note.New(note.OnlyClocks,
			"no period: what repeats does so at a round number of seconds or in step with the sampling, as timers do and "+
				"loops rarely do, and no other counter confirms it")
	case o.stage == notSignificant:
		return note.New(note.NotSignificant,
			"no period: the repetition in %s is no stronger than that of its samples in random order", o.source)
	}
	return note.New(note.LowCoverage,
		"no period: the best candidate, found in %s, repeats in less than %s of the profile, or too irregularly", o.source,
		quantity.Chosen(100*minCoverage))
}

// setAgreement sets the axis and the agreement of the periods, and recomputes their confidence.
func (o outcome) setAgreement(axis series.Axis, agreed float64) {
	for i := range o.periods {
		p := &o.periods[i]
		p.Axis = axis
		p.Parts.Agreed = agreed
		p.Confidence = p.Parts.product()
	}
}

// extendToWhole searches the whole profile for the period that an excerpt showed, and returns the result with the
// agreement of the excerpt. Macro cycles and children of the excerpt are kept, with their counts scaled. Without
// periods in the whole profile the outcome has none.
func (o outcome) extendToWhole(set series.Set, clock series.Clock) outcome {
	full := o.searchWhole(set, clock)
	if len(full.periods) == 0 {
		return full
	}
	part := o.periods[0]
	full.setAgreement(part.Axis, part.Parts.Agreed)
	longer := func(count int) int { return count * len(full.periods[0].Instances) / len(part.Instances) }
	for _, m := range o.macros {
		m.Count = longer(m.Count)
		full.macros = append(full.macros, m)
	}
	if len(full.periods[0].Children) == 0 {
		for _, c := range part.Children {
			c.Count = longer(c.Count)
			full.periods[0].Children = append(full.periods[0].Children, c)
		}
	}
	return full
}

// allMacros returns the macro cycles found in the samples and those that the regions of the periods go through,
// each once.
func (o outcome) allMacros() []Macro {
	all := o.macros
	for _, m := range macros(o.periods) {
		if !slices.ContainsFunc(all, func(n Macro) bool { return math.Abs(m.PeriodS/n.PeriodS-1) <= sameCPU }) {
			all = append(all, m)
		}
	}
	return all
}
