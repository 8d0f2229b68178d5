package league

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// print writes the tables of outcomes as Markdown: by kind, by confidence, by run.
func print(w io.Writer, all []outcome, chosen []application) {
	of := map[string]application{}
	for _, a := range chosen {
		of[a.name] = a
	}
	kinds, verdicts := []string{"quiet", "crowded", "control"},
		[]string{"right", "sure", "multiple", "wrong", "loud", "nothing"}
	count := map[string]map[string]int{"quiet": {}, "crowded": {}, "control": {}}
	var rows strings.Builder
	for _, o := range all {
		a := of[o.Application]
		j, kind := o.judge(a), kindOf(o, a)
		count[kind]["runs"]++
		count[kind][j.verdict]++
		if j.sure {
			count[kind]["sure"]++
		}
		row(&rows, o, a, kind, j.verdict)
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "no outcomes")
		return
	}
	fmt.Fprintf(w, "Budget %g percent of each CPU; %s; analysed with %s.\n\n", all[0].BudgetPct, span(all), commits(all))
	fmt.Fprintf(w, "| | runs | %s |\n|---%s|\n", strings.Join(verdicts, " | "), strings.Repeat("|---", len(verdicts)+1))
	for _, kind := range kinds {
		fmt.Fprintf(w, "| %s | %d ", kind, count[kind]["runs"])
		for _, v := range verdicts {
			fmt.Fprintf(w, "| %d ", count[kind][v])
		}
		fmt.Fprintln(w, "|")
	}
	reliability(w, all, of)
	fmt.Fprintf(w, "\n%s\n", stacksTaken(all))
	fmt.Fprintf(w, "\n| application | beside | CPUs | Hz | by the log, median / mean s | reported, s (confidence) | "+
		"verdict |\n|---|---|---|---|---|---|---|\n%s", rows.String())
}

// stacksTaken says in how many runs a process of the machine seized threads, as one that copies stacks does.
func stacksTaken(all []outcome) string {
	counted, with, threads := 0, 0, 0
	for _, o := range all {
		if o.Seized == nil {
			continue
		}
		counted++
		threads += *o.Seized
		if *o.Seized > 0 {
			with++
		}
	}
	return fmt.Sprintf("Threads were seized in %d of the %d runs in which that was counted: %d threads.", with, counted,
		threads)
}

func kindOf(o outcome, a application) string {
	switch {
	case len(a.levels) == 0:
		return "control"
	case o.quiet(a):
		return "quiet"
	}
	return "crowded"
}

// row is one run. It counts by the CPU that it got, whatever ran beside it.
func row(w io.Writer, o outcome, a application, kind, verdict string) {
	beside := "nothing"
	if o.Crowded {
		beside = "loops"
	}
	var log, claims []string
	for _, t := range intervals(o.Marks, a.levels) {
		log = append(log, fmt.Sprintf("%s %.4f / %.4f", t.level, t.median, t.mean))
	}
	for _, c := range o.Answer.claims() {
		claims = append(claims, fmt.Sprintf("%.4f (%.2f)", c.PeriodS, c.Confidence))
	}
	fmt.Fprintf(w, "| %s | %s | %.2f | %.0f | %s | %s | %s, %s |\n", a.name, beside, o.Answer.CPUs, o.Answer.Hz,
		strings.Join(log, "; "), strings.Join(claims, ", "), kind, verdict)
}

// reliability prints how many claims of each confidence were right, each judged by its own period.
func reliability(w io.Writer, all []outcome, of map[string]application) {
	fmt.Fprint(w, "\n| reported with confidence | claims | right |\n|---|---|---|\n")
	for _, band := range [][2]float64{{told, sure}, {sure, plain}, {plain, 1.01}} {
		n, right := 0, 0
		for _, o := range all {
			truth := intervals(o.Marks, of[o.Application].levels)
			for _, c := range o.Answer.claims() {
				if c.Confidence < band[0] || c.Confidence >= band[1] {
					continue
				}
				n++
				if near(c.PeriodS, truth) {
					right++
				}
			}
		}
		fmt.Fprintf(w, "| %.1f to %.1f | %d | %d |\n", band[0], min(band[1], 1), n, right)
	}
}

// span is from the first to the last day of the runs.
func span(all []outcome) string {
	var days []string
	for _, o := range all {
		days = append(days, o.At[:min(10, len(o.At))])
	}
	slices.Sort(days)
	return strings.Join(slices.Compact([]string{days[0], days[len(days)-1]}), " to ")
}

// commits are those of the trees that ran or judged.
func commits(all []outcome) string {
	var list []string
	for _, o := range all {
		list = append(list, o.Commit)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}
