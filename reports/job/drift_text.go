package job

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

const (
	// minReportedChangePct is the smallest change in percent that the report mentions.
	minReportedChangePct = 2.0
	// slowShare is the smallest share of the run lost in slow iterations that the head of the report mentions.
	slowShare = 0.02
)

// minSlowShare is the smallest share of the run lost in slow iterations that is mentioned at all: a few always
// stand out a little.
const minSlowShare = 0.002

// worthPrinting reports whether the drift in a run of elapsedS seconds gets a section: if a step or the whole change is
// at least minReportedChangePct, or if slow cycles took minSlowShare of the run. It is false for nil.
func (d *CycleDrift) worthPrinting(elapsedS float64) bool {
	if d == nil {
		return false
	}
	for _, s := range d.Steps {
		if math.Abs(s.EffectPct) >= minReportedChangePct {
			return true
		}
	}
	return math.Abs(d.ChangePct) >= minReportedChangePct || d.SlowCount > 0 && d.SlowS >= minSlowShare*elapsedS
}

// driftInShort returns a sentence on iterations that slowed down or took much longer than their neighbours; ""
// if they became faster or the effect is too small.
func (r Report) driftInShort() string {
	d := r.Rhythm.drift()
	if d == nil {
		return ""
	}
	at := func(s float64) string { return quantity.Position(s, r.Job.ElapsedS) }
	switch n := len(d.Steps); {
	case d.excursion() && d.Steps[0].EffectPct >= minReportedChangePct:
		return fmt.Sprintf("Cycles were %s slower from %s to %s.", quantity.Percent(d.Steps[0].EffectPct), at(d.Steps[0].TS),
			at(d.Steps[1].TS))
	case n == 1 && d.ChangePct >= minReportedChangePct:
		return fmt.Sprintf("Cycles slowed down by %s from %s on.", quantity.Percent(d.ChangePct), at(d.Steps[0].TS))
	case n > 1 && d.ChangePct >= minReportedChangePct:
		return fmt.Sprintf("Cycles slowed down by %s in %d steps, from %s on.", quantity.Percent(d.ChangePct), n,
			at(d.Steps[0].TS))
	case n == 0 && d.ChangePct >= minReportedChangePct:
		return fmt.Sprintf("Cycles slowed down steadily, by %s over the run.", quantity.Percent(d.ChangePct))
	case d.SlowCount > 0 && d.SlowS >= slowShare*r.Job.ElapsedS:
		return fmt.Sprintf("%s took much longer than their neighbours: %s in all, %s of the run.",
			quantity.Plural(d.SlowCount, "cycle"), quantity.Duration(d.SlowS), quantity.Share(d.SlowS/r.Job.ElapsedS))
	}
	return ""
}

// excursion reports whether the length changed and returned to about its old value: two steps in opposite directions,
// which together change it by less than a quarter of the first.
func (d CycleDrift) excursion() bool {
	return len(d.Steps) == 2 && d.Steps[0].EffectPct*d.Steps[1].EffectPct < 0 &&
		math.Abs(d.ChangePct) < math.Abs(d.Steps[0].EffectPct)/4
}

// trend returns a sentence on how much the length changed over the run.
func (d CycleDrift) trend() string {
	lo, hi := d.Lo, d.Hi
	if d.Slope != 0 {
		lo, hi = lo*d.ChangePct/d.Slope, hi*d.ChangePct/d.Slope
	}
	return fmt.Sprintf("The length of cycles changed steadily, by %s over the run (95 %% interval %s).",
		quantity.Signed(d.ChangePct), quantity.PercentRange(lo, hi))
}

// driftTexts returns the sentences of the section on cycles over the run: each change of their length, the steady
// change and its cost, and the slow cycles. The main pattern must have a drift.
func (r Report) driftTexts() []string {
	q := r.Rhythm.Patterns[0]
	d := q.Drift
	var out []string
	if len(d.Like) > 0 {
		out = append(out, fmt.Sprintf("%s and %s look alike and are judged together.", q.ID, strings.Join(d.Like, ", ")))
	}
	for i, s := range d.Steps {
		if i == maxSteps {
			out = append(out, fmt.Sprintf("And %s more, in the JSON form of this report.",
				quantity.Plural(len(d.Steps)-i, "change")))
			break
		}
		word := "grew"
		if s.EffectPct < 0 {
			word = "shrank"
		}
		out = append(out, fmt.Sprintf("At %s the cycle %s by %s, from %s to %s.", quantity.Position(s.TS, r.Job.ElapsedS),
			word,
			quantity.Percent(math.Abs(s.EffectPct)), quantity.Duration(s.BeforeS), quantity.Duration(s.AfterS)))
	}
	if len(d.Steps) == 0 && math.Abs(d.ChangePct) >= minReportedChangePct {
		out = append(out, d.trend())
	}
	if math.Abs(d.ChangePct) >= minReportedChangePct && d.CostS >= 1 {
		out = append(out, fmt.Sprintf("Against those at the beginning, cycles took %s more in this run.",
			quantity.Duration(d.CostS)))
	}
	if d.SlowCount > 0 {
		verb := "stand"
		if d.SlowCount == 1 {
			verb = "stands"
		}
		out = append(out, fmt.Sprintf("%s %s out from the neighbours, %s longer in all.",
			quantity.Plural(d.SlowCount, "cycle"), verb, quantity.Duration(d.SlowS)))
	}
	var slowest []string
	for _, s := range d.Slow {
		slowest = append(slowest, quantity.Duration(s.LengthS)+" at "+quantity.Position(s.StartS, r.Job.ElapsedS))
	}
	if len(slowest) > 0 {
		out = append(out, "The slowest: "+strings.Join(slowest, ", ")+".")
	}
	return out
}

// maxSteps is the largest number of steps that are printed.
const maxSteps = 4

// driftRemark returns the remark beside the title of the section on cycles over the run: how many cycles of which
// patterns it covers and, if so, that the change of their length is too small to report.
func (r Report) driftRemark() string {
	q := r.Rhythm.Patterns[0]
	text := fmt.Sprintf("%s of %s", quantity.Plural(q.Drift.Iterations, "cycle"),
		strings.Join(append([]string{q.ID}, q.Drift.Like...), " and "))
	if !q.Drift.worthPrinting(r.Job.ElapsedS) {
		text += ", no change of their length worth mention"
	}
	return text
}

// drift returns the main pattern's drift, nil without a pattern.
func (r Rhythm) drift() *CycleDrift {
	if !r.Periodic {
		return nil
	}
	return r.Patterns[0].Drift
}

// textDrift prints the section on cycles over the run if the drift of the main pattern is worth printing, else nothing.
func (r Report) textDrift(p *text.Page) {
	d := r.Rhythm.drift()
	if !d.worthPrinting(r.Job.ElapsedS) {
		return
	}
	p.Section("CYCLES OVER THE RUN", r.driftRemark())
	end := r.Rhythm.Timeline.end(r.Job.ElapsedS)
	v := d.Lengths.Over(end, stripWidth)
	if lo, hi, ok := historyRange(v); ok {
		p.Line("  " + text.PadRight("length", gutterWidth-2) + text.Spark(v, lo, hi, r.ascii))
		p.Line(text.Spaces(gutterWidth) + axis(end))
		p.Line(text.Spaces(gutterWidth) + fmt.Sprintf("%s .. %s", quantity.Duration(lo), quantity.Duration(hi)))
	}
	for _, s := range r.driftTexts() {
		p.Text("  ", s)
	}
}
