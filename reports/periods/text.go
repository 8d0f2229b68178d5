package periods

import (
	"fmt"
	"io"
	"math"
	"strings"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// Text writes the report as text; with ascii it uses no block characters.
func (r Detection) Text(w io.Writer, ascii bool) error {
	var p text.Page
	r.head(&p)
	for _, q := range r.Patterns {
		p.Line("")
		q.text(&p, r.set, ascii)
	}
	for _, m := range r.Macro {
		p.Line("")
		p.Text("", fmt.Sprintf("cycle of %s: %s through %s", quantity.Period(m.PeriodS), quantity.Plural(m.Count, "time"),
			strings.Join(m.Of, ", ")))
	}
	if len(r.Phases) > 1 {
		rows := [][]string{{"phase", "times", "time", "share"}}
		for _, t := range r.Phases {
			rows = append(rows, []string{strings.TrimSpace(string(t.Kind) + " " + t.Pattern), fmt.Sprint(t.Count),
				quantity.Duration(t.S), quantity.Share(t.Share)})
		}
		p.Line("")
		p.Columns(rows)
	}
	for i, n := range r.Notes {
		if i == 0 {
			p.Line("")
		}
		p.Text("", fmt.Sprintf("note %s: %s", n.Code, n.Text))
	}
	if err := p.Print(w); err != nil {
		return fmt.Errorf("write the periods as text: %w", err)
	}
	return nil
}

// head writes the first lines: the file, the periods and the samples.
func (r Detection) head(p *text.Page) {
	what := "no period"
	switch n := len(r.Patterns); {
	case n == 1:
		what = r.mainPatternText()
	case n > 1:
		what = fmt.Sprintf("%d patterns, the first: %s", n, r.mainPatternText())
	}
	p.Text("", r.name+": "+what)
	text := ""
	if r.Column != nil {
		text = "column " + *r.Column + ", "
	} else if n := len(r.set.Columns); n > 1 {
		text = fmt.Sprintf("%d columns, ", n)
	}
	text += quantity.Plural(r.Samples, "sample")
	if r.RateHz != nil {
		text += fmt.Sprintf(" at %s Hz (%s)", quantity.Plain(*r.RateHz, 6), quantity.Duration(float64(r.Samples) / *r.RateHz))
	}
	if r.Missing > 0 {
		text += fmt.Sprintf(", %d missing", r.Missing)
	}
	p.Text("", text+", method "+r.Method)
	if len(r.Patterns) > 1 {
		p.Text("", quantity.Share(r.Coverage)+" of the time lies in a cycle of some pattern")
	}
}

// mainPatternText describes the first pattern in a few words, with a hedge by its confidence; patterns of the
// paper's method have no confidence.
func (r Detection) mainPatternText() string {
	p, word := r.Patterns[0], ""
	if r.Method != "paper" {
		word = text.Qualifier(r.Patterns[0].Confidence)
	}
	if p.Kind == periodicity.Unequal {
		return word + text.VaryingCycle(p.P10S, p.P90S, p.PeriodS)
	}
	return word + "period " + quantity.Period(p.PeriodS)
}

// text writes the lines on one pattern.
func (p DetectedPattern) text(b *text.Page, set series.Set, ascii bool) {
	b.Text(p.ID+"  ", fmt.Sprintf("period %s (95 %% interval %s), %s samples, spread %s", quantity.Period(p.PeriodS),
		quantity.PeriodRange(p.PeriodLoS, p.PeriodHiS, p.PeriodS),
		quantity.Plain(p.PeriodSamples, 3), quantity.Share(p.PeriodCV)))
	words := fmt.Sprintf("%s in %s, %s of the time, confidence %s", quantity.Plural(p.Count, "cycle"),
		quantity.Plural(p.Runs, "stretch"), quantity.Share(p.Coverage), quantity.Hundredths(p.Confidence))
	if p.Significance != nil {
		words += ", " + quantity.Plain(*p.Significance, 2) + " s.d. above chance"
	}
	b.Text("   ", words)
	values := p.Values.floats()
	if lo, hi, _ := plot.Extent(values); hi > lo && len(values) >= 4 {
		_, means, _ := series.Parts(values, 60)
		b.Line("   " + text.Spark(means, lo, hi, ascii))
		b.Text("   ", p.ValuesColumn+", "+quantity.Range(lo, hi))
	}
	p.driftText(b, set)
	for _, l := range p.Low {
		b.Text("   ", fmt.Sprintf("low %s after the start for %s (s.d. %s), in %s of the cycles: %s of the run, %s s per "+
			"hour",
			quantity.Duration(l.OffsetS), quantity.Duration(l.DurationS), quantity.Duration(l.DurationSDS),
			quantity.Share(l.Repeatability), quantity.Share(l.Share), quantity.Plain(l.SecondsPerHour, 3)))
	}
	if len(p.Low) > 0 {
		b.Text("   ", "(an opportunity to save energy there; what it would cost in time was not measured)")
	}
	for _, c := range p.Child {
		b.Text("   ", fmt.Sprintf("inside: period %s, %s, confidence %s", quantity.Period(c.PeriodS),
			quantity.Plural(c.Count, "time"), quantity.Hundredths(c.Confidence)))
	}
}

// driftText prints how the length of cycles changed: the slope over the run, the steps, and the slowest cycle. It
// prints no slope per hour, which would be thousands of percent for a run of a minute.
func (p DetectedPattern) driftText(b *text.Page, set series.Set) {
	hours := float64(set.Len()) * set.StepS / 3600
	d := p.Drift
	if d.SlopePctPerHour != nil && d.Lo != nil && d.Hi != nil {
		words := "no steady drift"
		switch {
		case *d.Lo > 0:
			words = "cycles became slower"
		case *d.Hi < 0:
			words = "cycles became faster"
		}
		b.Text("   ", fmt.Sprintf("%s: %s over the run (95 %% interval %s)", words, quantity.Signed(*d.SlopePctPerHour*hours),
			quantity.PercentRange(*d.Lo*hours, *d.Hi*hours)))
	}
	for _, s := range d.Steps {
		way := "longer"
		if s.EffectPct < 0 {
			way = "less time"
		}
		b.Text("   ", fmt.Sprintf("from %s on cycles take %s %s", quantity.Duration(s.TS-set.StartS),
			quantity.Percent(math.Abs(s.EffectPct)), way))
	}
	if p.SlowCount > 0 {
		s := p.Slow[0]
		b.Text("   ", fmt.Sprintf("%s stood out, the slowest with %s at %s (%s too long)",
			quantity.Plural(p.SlowCount, "cycle"), quantity.Duration(s.LengthS), quantity.Duration(s.TS-set.StartS),
			quantity.Duration(s.ExcessS)))
	}
}
