package period

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports"
	"jobgait/reports/plot"
)

// Text writes the report for people. ascii leaves out block characters.
func (r Report) Text(w io.Writer, ascii bool) error {
	var text strings.Builder
	r.write(&text, ascii)
	for line := range strings.Lines(text.String()) {
		if _, err := io.WriteString(w, folded(line)); err != nil {
			return fmt.Errorf("write periods: %w", err)
		}
	}
	return nil
}

// folded breaks a line that is too long; what follows hangs under its beginning.
func folded(line string) string {
	if utf8.RuneCountInString(line) <= reports.Width {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var b strings.Builder
	for i, part := range reports.Wrap(strings.TrimSpace(line), reports.Width-1-len(indent)-2) {
		if i > 0 {
			part = "  " + part
		}
		b.WriteString(indent + part + "\n")
	}
	return b.String()
}

func (r Report) write(b *strings.Builder, ascii bool) {
	r.head(b)
	for _, p := range r.Patterns {
		fmt.Fprintln(b)
		p.text(b, r.set, ascii)
	}
	for _, m := range r.Macro {
		fmt.Fprintf(b, "\ncycle of %s: %s through %s\n", quantity.Period(m.PeriodS), quantity.Plural(m.Count, "time"), strings.Join(m.Of, ", "))
	}
	if len(r.Phases) > 1 {
		r.phases(b)
	}
	for i, n := range r.Notes {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "note %s: %s\n", n.Code, n.Text)
	}
}

func (r Report) head(b *strings.Builder) {
	fmt.Fprintf(b, "%s: ", r.name)
	switch {
	case len(r.Patterns) == 0:
		fmt.Fprint(b, "no period")
	case len(r.Patterns) == 1:
		fmt.Fprint(b, r.main())
	default:
		fmt.Fprintf(b, "%d patterns, the first: %s", len(r.Patterns), r.main())
	}
	fmt.Fprintln(b)
	if r.Column != nil {
		fmt.Fprintf(b, "column %s, ", *r.Column)
	} else if n := len(r.set.Columns); n > 1 {
		fmt.Fprintf(b, "%d columns, ", n)
	}
	fmt.Fprint(b, quantity.Plural(r.Samples, "sample"))
	if r.RateHz != nil {
		fmt.Fprintf(b, " at %s Hz (%s)", quantity.Plain(*r.RateHz, 6), quantity.Duration(float64(r.Samples) / *r.RateHz))
	}
	if r.Missing > 0 {
		fmt.Fprintf(b, ", %d missing", r.Missing)
	}
	fmt.Fprintf(b, ", method %s\n", r.Method)
	if len(r.Patterns) > 1 {
		fmt.Fprintf(b, "%s of the time lies in a cycle of some pattern\n", quantity.Share(r.Coverage))
	}
}

// main is the first pattern in a few words; those of the paper's method have no
// confidence to be hedged by.
func (r Report) main() string {
	p, word := r.Patterns[0], ""
	if r.Method != "paper" {
		word = reports.Hedge(r.Patterns[0].Confidence)
	}
	if p.Kind == periodicity.Unequal {
		return word + reports.Unequal(p.PeriodP10S, p.PeriodP90S, p.PeriodS)
	}
	return word + "period " + quantity.Period(p.PeriodS)
}

func (p Pattern) text(b *strings.Builder, set series.Set, ascii bool) {
	fmt.Fprintf(b, "%s  period %s (95 %% interval %s), %s samples, spread %s\n", p.ID, quantity.Period(p.PeriodS), quantity.PeriodRange(p.PeriodLoS, p.PeriodHiS, p.PeriodS),
		quantity.Plain(p.PeriodSamples, 3), quantity.Share(p.PeriodCV))
	fmt.Fprintf(b, "   %s in %s, %s of the time, confidence %s", quantity.Plural(p.Count, "cycle"), quantity.Plural(p.Runs, "stretch"), quantity.Share(p.Coverage), quantity.Hundredths(p.Confidence))
	if p.Significance != nil {
		fmt.Fprintf(b, ", %s s.d. above chance", quantity.Plain(*p.Significance, 2))
	}
	fmt.Fprintln(b)
	values := p.Values.floats()
	if lo, hi, _ := plot.Extent(values); hi > lo && len(values) >= 4 {
		_, means, _ := series.Parts(values, 60)
		s := reports.Spark(means, lo, hi, ascii)
		fmt.Fprintf(b, "   %s  %s, %s\n", s, p.ValuesColumn, quantity.Range(lo, hi))
	}
	p.driftText(b, set)
	for _, l := range p.Low {
		fmt.Fprintf(b, "   low %s after the start for %s (s.d. %s), in %s of the cycles: %s of the run, %s s per hour\n",
			quantity.Duration(l.OffsetS), quantity.Duration(l.DurationS), quantity.Duration(l.DurationSDS), quantity.Share(l.Repeatability), quantity.Share(l.Share), quantity.Plain(l.SecondsPerHour, 3))
	}
	if len(p.Low) > 0 {
		fmt.Fprintln(b, "   (an opportunity to save energy there; what it would cost in time was not measured)")
	}
	for _, c := range p.Child {
		fmt.Fprintf(b, "   inside: period %s, %s, confidence %s\n", quantity.Period(c.PeriodS), quantity.Plural(c.Count, "time"), quantity.Hundredths(c.Confidence))
	}
}

// driftText prints the slope over the run: per hour, a run of a minute would have
// thousands of percent.
func (p Pattern) driftText(b *strings.Builder, set series.Set) {
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
		fmt.Fprintf(b, "   %s: %s over the run (95 %% interval %s)\n", words, quantity.Signed(*d.SlopePctPerHour*hours), quantity.PercentRange(*d.Lo*hours, *d.Hi*hours))
	}
	for _, s := range d.Steps {
		way := "longer"
		if s.EffectPct < 0 {
			way = "less time"
		}
		fmt.Fprintf(b, "   from %s on cycles take %s %s\n", quantity.Duration(s.TS-set.StartS), quantity.Percent(math.Abs(s.EffectPct)), way)
	}
	if p.SlowCount > 0 {
		s := p.Slow[0]
		fmt.Fprintf(b, "   %s stood out, the slowest with %s at %s (%s too long)\n", quantity.Plural(p.SlowCount, "cycle"), quantity.Duration(s.LengthS), quantity.Duration(s.TS-set.StartS), quantity.Duration(s.ExcessS))
	}
}

func (r Report) phases(b *strings.Builder) {
	fmt.Fprintf(b, "\n%-12s %6s %12s %8s\n", "phase", "times", "time", "share")
	for _, p := range r.Phases {
		fmt.Fprintf(b, "%-12s %6d %12s %8s\n", strings.TrimSpace(string(p.Kind)+" "+p.Pattern), p.Count, quantity.Duration(p.S), quantity.Share(p.Share))
	}
}
