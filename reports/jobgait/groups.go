package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
)

// maxParts is how many runs of one job are read; the largest array that Slurm allows by default has 1,001 tasks.
const maxParts = 20000

// jobGroup is one job that has several runs: the tasks of an array or the components of a heterogeneous job, each by
// its newest run.
type jobGroup struct {
	id   string
	kind string     // the first character of a part's suffix: "_" of an array's, "+" of a heterogeneous job's
	runs []foundRun // longest first
}

// groupOf returns the job that a run is a part of, without its runs; it returns false for a run that is a whole job.
func groupOf(r foundRun) (jobGroup, bool) {
	whole, part := run.SplitDisplayID(r.DisplayID)
	if part == "" {
		return jobGroup{}, false
	}
	return jobGroup{id: whole, kind: part[:1]}, true
}

// read returns the group with the newest run of each part, the longest first; r is one of the runs.
func (g jobGroup) read(ctx context.Context, r foundRun) (jobGroup, error) {
	id, err := run.ParseJobID(g.id)
	if err != nil {
		return g, err
	}
	runs, err := r.db.Runs(ctx, history.Query{Cluster: r.Cluster, JobID: id, Limit: maxParts})
	if err != nil {
		return g, err
	}
	seen := map[string]bool{}
	for _, t := range runs { // newest first
		part := foundRun{t, r.db}
		if of, ok := groupOf(part); ok && of.id == g.id && of.kind == g.kind && !seen[t.DisplayID] {
			seen[t.DisplayID] = true
			g.runs = append(g.runs, part)
		}
	}
	slices.SortStableFunc(g.runs, func(x, y foundRun) int { return cmp.Compare(y.ElapsedS, x.ElapsedS) })
	return g, nil
}

// unknownState stands for a state that the scheduler has not given yet.
const unknownState = "UNKNOWN"

// states counts the parts by state: "COMPLETED 28, FAILED 2".
func (g jobGroup) states() string {
	counts := map[string]int{}
	for _, t := range g.runs {
		counts[cmp.Or(t.FinalState(), unknownState)]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), strings.Compare(x, y))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, quantity.Count(counts[name]))
	}
	return strings.Join(names, ", ")
}

// elapsed returns the median of the parts' elapsed times, in seconds.
func (g jobGroup) elapsed() float64 {
	n := len(g.runs)
	return (g.runs[(n-1)/2].ElapsedS + g.runs[n/2].ElapsedS) / 2
}

// title names the group and how many parts it has.
func (g jobGroup) title() string {
	if g.kind == "+" {
		return fmt.Sprintf("Heterogeneous job %s: %s", g.id, quantity.Plural(len(g.runs), "component"))
	}
	return fmt.Sprintf("Array %s: %s", g.id, quantity.Plural(len(g.runs), "task"))
}

// writeText writes the group: states, spread, and the slowest part with its nodes; of a heterogeneous job each
// component.
func (g jobGroup) writeText(ctx context.Context, out io.Writer) error {
	slowest, fastest := g.runs[0], g.runs[len(g.runs)-1]
	lines := []string{g.title(), "  states   " + g.states(),
		fmt.Sprintf("  elapsed  %s .. %s, median %s", elapsedText(fastest.ElapsedS), elapsedText(slowest.ElapsedS),
			elapsedText(g.elapsed())),
		fmt.Sprintf("  slowest  %s, %s%s", slowest.DisplayID, elapsedText(slowest.ElapsedS), slowest.onNodes(ctx))}
	if g.kind == "+" {
		for _, r := range g.components() {
			lines = append(lines, fmt.Sprintf("  %s  %s, %s%s, %s", r.DisplayID, cmp.Or(r.FinalState(), unknownState),
				elapsedText(r.ElapsedS), r.onNodes(ctx), cmp.Or(r.App, "no application")))
		}
	}
	lines = append(lines, "jobgait show "+slowest.DisplayID+" prints its report.\n")
	_, err := io.WriteString(out, strings.Join(lines, "\n"))
	return err
}

// components returns the runs in the order of their ids.
func (g jobGroup) components() []foundRun {
	return slices.SortedFunc(slices.Values(g.runs), func(x, y foundRun) int {
		return cmp.Or(cmp.Compare(len(x.DisplayID), len(y.DisplayID)), strings.Compare(x.DisplayID, y.DisplayID))
	})
}

// onNodes returns " on " and the nodes of a run, "" where they are unknown.
func (r foundRun) onNodes(ctx context.Context) string {
	s, _, err := r.db.Lookup(ctx, history.Ref{ID: r.DisplayID, Cluster: r.Cluster})
	if err != nil || s.Job.NodeList == "" {
		return ""
	}
	return " on " + s.Job.NodeList
}

// rollUpArrays returns the table of list, at most rows rows. The parts of an array or of a heterogeneous job share one
// row, at the place of the newest part in runs; each other run has its own.
func rollUpArrays(ctx context.Context, runs []foundRun, rows int) ([][]string, error) {
	var table [][]string
	seen := map[string]bool{}
	for _, r := range runs {
		if len(table) == rows {
			break
		}
		g, ok := groupOf(r)
		if !ok {
			table = append(table, r.cells(r.finding(ctx)))
			continue
		}
		if key := r.Cluster + " " + g.id; !seen[key] {
			seen[key] = true
			g, err := g.read(ctx, r)
			if err != nil {
				return nil, err
			}
			table = append(table, g.listRow(r))
		}
	}
	return table, nil
}

// listRow returns the row of list for a group: its states, median elapsed time and slowest task; for a group of
// one run that of the run.
func (g jobGroup) listRow(newest foundRun) []string {
	cells := newest.cells("")
	if len(g.runs) < 2 {
		return cells
	}
	cells[1] = fmt.Sprintf("%s%s[%d]", g.id, g.kind, len(g.runs))
	cells[3], cells[4] = strings.ReplaceAll(g.states(), ", ", ","), "-"
	cells[6] = elapsedText(g.elapsed())
	cells[12] = "slowest:" + g.runs[0].DisplayID
	return cells
}
