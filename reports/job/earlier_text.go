package job

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// textEarlier prints the section on earlier runs. It does not say whether this run is slower.
func (r Report) textEarlier(p *text.Page) {
	e := r.Earlier
	p.Section("EARLIER RUNS", r.earlierRemark())
	if e.N == 0 {
		return
	}
	r.textHistory(p, runFigure{"elapsed", quantity.Duration, EarlierRun.elapsed, r.Job.ElapsedS})
	r.textHistory(p, runFigure{"period", quantity.Period, EarlierRun.period, r.Rhythm.period()})
	p.Text("  ", e.usualRangeText())
	p.Line("")
	p.Table(r.runRows())
}

// earlierRemark says how many earlier runs there are, or why that is unknown.
func (r Report) earlierRemark() string {
	unread := func(n Note) bool { return n.Code == note.HistoryFailed || n.Code == note.HistoryElsewhere }
	switch {
	case r.Earlier.N > 0 && r.Earlier.OtherArguments > 0:
		return fmt.Sprintf("%d with the same arguments (%d with others)", r.Earlier.N, r.Earlier.OtherArguments)
	case r.Earlier.OtherArguments > 0:
		return fmt.Sprintf("none with these arguments (%d with others)", r.Earlier.OtherArguments)
	case r.Earlier.N > 0:
		return fmt.Sprintf("%d of the same application, on as many nodes, tasks and CPUs", r.Earlier.N)
	case slices.ContainsFunc(r.Notes, unread):
		return "not known: the notes say why"
	}
	return "none of this application on as many nodes, tasks and CPUs"
}

// textHistory prints one quantity over the runs as a line of blocks: oldest first, this run last, after a bar.
func (r Report) textHistory(p *text.Page, q runFigure) {
	line, lo, hi, ok := r.runsLine(q, stripWidth-2)
	if !ok {
		return
	}
	p.Line("  " + text.PadRight(q.name, gutterWidth-2) + line)
	p.Line(text.Spaces(gutterWidth) +
		fmt.Sprintf("%s .. %s, oldest first, this run behind the bar", q.print(lo), q.print(hi)))
}

// runsLine draws a quantity of the newest runs, at most n, oldest first, then of this run after a bar. ok is
// false where there is nothing to draw.
func (r Report) runsLine(q runFigure, n int) (line string, lo, hi float64, ok bool) {
	runs := r.Earlier.inOrder()
	values := []float64{}
	for _, x := range runs[max(0, len(runs)-n):] {
		values = append(values, q.of(x))
	}
	lo, hi, ok = historyRange(append(values, q.now))
	return text.Spark(values, lo, hi, r.ascii) + "|" + text.Spark([]float64{q.now}, lo, hi, r.ascii), lo, hi, ok
}

// elapsed returns how long the run took in s.
func (x EarlierRun) elapsed() float64 { return x.ElapsedS }

// period returns the run's period in s, NaN if it has none.
func (x EarlierRun) period() float64 {
	if x.PeriodS == nil {
		return math.NaN()
	}
	return *x.PeriodS
}

// period returns the period of the main pattern in s, NaN without a pattern.
func (r Rhythm) period() float64 {
	if !r.Periodic || r.Patterns[0].Period.Value == nil {
		return math.NaN()
	}
	return r.Patterns[0].Period.value()
}

// historyRange returns the range of the values, widened to at least a fifth of the largest, so that runs that
// agree to a percent look alike.
func historyRange(values []float64) (lo, hi float64, ok bool) {
	lo, hi, ok = plot.Extent(values)
	if room := hi/5 - (hi - lo); room > 0 {
		lo, hi = math.Max(0, lo-room/2), hi+room/2
	}
	return lo, hi, ok
}

// usualRangeText returns a sentence on the median and the middle half of the earlier runs, or that there are
// too few.
func (e EarlierRuns) usualRangeText() string {
	if e.Elapsed.Median == nil {
		return fmt.Sprintf("Too few runs to tell what is usual (need %d, have %d).", e.Need, e.N)
	}
	text := fmt.Sprintf("Median elapsed %s, middle half %s .. %s", quantity.Duration(*e.Elapsed.Median),
		quantity.Duration(*e.Elapsed.Q1), quantity.Duration(*e.Elapsed.Q3))
	if e.Period.Median != nil {
		text += fmt.Sprintf("; median period %s, middle half %s .. %s (%s)", quantity.Period(*e.Period.Median),
			quantity.Period(*e.Period.Q1), quantity.Period(*e.Period.Q3), quantity.Plural(e.Period.N, "run"))
	}
	if e.Shorter != nil {
		text += "; " + e.rankText(*e.Shorter)
	}
	return text + "."
}

// rankText says how this run ranks by elapsed time among the earlier ones, of which shorter took less time.
func (e EarlierRuns) rankText(shorter int) string {
	switch shorter {
	case 0:
		return fmt.Sprintf("this run was the shortest of all %d", e.N+1)
	case e.N:
		return fmt.Sprintf("this run was the longest of all %d", e.N+1)
	}
	return fmt.Sprintf("this run was longer than %d of these %d", shorter, e.N)
}

// fact is one line of the data quality section.
type fact struct{ Name, Text string }

// facts returns the lines on the quality of the samples, which text and HTML both print.
func (r Report) facts() []fact {
	q := r.Quality
	out := []fact{{"seen", q.scopeText()}}
	if !q.sampled() {
		return append(out, r.sourceFacts()...)
	}
	rates := quantity.Optional(q.RateHz, func(v float64) string { return quantity.Figures(v, 3) }) + " samples a second"
	if q.AddressHz != nil {
		rates += fmt.Sprintf("; which code runs, %s times a second on each CPU",
			quantity.Count(int64(math.Round(*q.AddressHz))))
	}
	samples := quantity.Count(q.Samples)
	if q.Missing > 0 {
		samples += fmt.Sprintf(", of them %s missing (%s)", quantity.Count(q.Missing),
			quantity.Optional(q.MissingShare, quantity.Share))
	}
	if q.LostRecords > 0 {
		samples += "; the kernel lost " + quantity.Plural(int(q.LostRecords), "record")
	}
	out = append(out, fact{"rate", rates}, fact{"samples", samples},
		fact{"overhead", q.overheadText(r.Job.ElapsedS)})
	if !q.Sealed {
		out = append(out, fact{"end", "the agent did not end in order: what it had written until then is here"})
	}
	return append(out, r.sourceFacts()...)
}

// sourceFacts returns a line on the sources that were read, in which the kernel's accounts of the job are only counted,
// and a line for each reason why others were not read.
func (r Report) sourceFacts() []fact {
	var read []string
	var out []fact
	accounts := 0
	for _, s := range r.Quality.Sources {
		switch {
		case s.Read && isAccount(s.Name):
			accounts++
		case s.Read:
			read = append(read, plainName(s.Name))
		}
	}
	if accounts > 0 {
		read = append(read, quantity.Plural(accounts, "account")+" that the kernel keeps of the job")
	}
	if len(read) > 0 {
		out = append(out, fact{"read", strings.Join(read, ", ")})
	}
	var reasons []string
	by := make(map[string][]string)
	for _, s := range r.Quality.Sources {
		if s.Read {
			continue
		}
		why := string(s.Absent)
		if by[why] == nil {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], plainName(s.Name))
	}
	for _, why := range reasons {
		out = append(out, fact{"not read", strings.Join(by[why], ", ") + ": " + why})
	}
	return out
}

// isAccount reports whether a source is a file of the kernel's accounting of processes or cgroups: there are a
// dozen, whose names mean nothing to users.
func isAccount(name string) bool {
	return strings.HasPrefix(name, "proc_") || strings.HasPrefix(name, "cgroup_") || name == "others_cpu" ||
		name == "stolen_cpu"
}

// plainName returns the name of a counter in words.
func plainName(name string) string {
	switch name {
	case "cycles":
		return "clock cycles" // in reports a cycle is what repeats
	case "code":
		return "code addresses"
	}
	return strings.ReplaceAll(name, "_", " ")
}
