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

// mostTasks is how many runs of one array are read; the largest that Slurm allows by default has 1,001.
const mostTasks = 20000

// arrayOf returns the id of the array that a run is a task of, "" if it is not.
func arrayOf(r foundRun) string {
	array, _, isTask := strings.Cut(r.DisplayID, "_")
	if !isTask {
		return ""
	}
	return array
}

// jobArray is the tasks of one array, each by its newest run.
type jobArray struct {
	id    string
	tasks []foundRun // longest first
}

// arrayIn reads the array that a run is a task of.
func arrayIn(ctx context.Context, r foundRun) (jobArray, error) {
	a := jobArray{id: arrayOf(r)}
	id, err := run.ParseJobID(a.id)
	if err != nil {
		return a, err
	}
	runs, err := r.db.Runs(ctx, history.Query{Cluster: r.Cluster, JobID: id, Limit: mostTasks})
	if err != nil {
		return a, err
	}
	seen := map[string]bool{}
	for _, t := range runs { // newest first
		if task := (foundRun{t, r.db}); arrayOf(task) == a.id && !seen[t.DisplayID] {
			seen[t.DisplayID] = true
			a.tasks = append(a.tasks, task)
		}
	}
	slices.SortStableFunc(a.tasks, func(x, y foundRun) int { return cmp.Compare(y.ElapsedS, x.ElapsedS) })
	return a, nil
}

// states counts the tasks by state: "COMPLETED 28, FAILED 2".
func (a jobArray) states() string {
	counts := map[string]int{}
	for _, t := range a.tasks {
		counts[cmp.Or(t.State, "UNKNOWN")]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), strings.Compare(x, y))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, quantity.Count(counts[name]))
	}
	return strings.Join(names, ", ")
}

// elapsed returns the median of the tasks' elapsed times, in seconds.
func (a jobArray) elapsed() float64 {
	n := len(a.tasks)
	return (a.tasks[(n-1)/2].ElapsedS + a.tasks[n/2].ElapsedS) / 2
}

// text writes the array: states, spread, and the slowest task with its nodes.
func (a jobArray) text(ctx context.Context, out io.Writer) error {
	slowest, fastest := a.tasks[0], a.tasks[len(a.tasks)-1]
	where := ""
	s, _, err := slowest.db.Lookup(ctx, history.Ref{ID: slowest.DisplayID, Cluster: slowest.Cluster})
	if err == nil && s.Job.NodeList != "" {
		where = " on " + s.Job.NodeList
	}
	_, err = fmt.Fprintf(out, "Array %s: %s\n  states   %s\n  elapsed  %s .. %s, median %s\n  slowest  %s, %s%s\n"+
		"jobgait show %s prints its report.\n", a.id, quantity.Plural(len(a.tasks), "task"), a.states(),
		elapsedText(fastest.ElapsedS), elapsedText(slowest.ElapsedS), elapsedText(a.elapsed()), slowest.DisplayID,
		elapsedText(slowest.ElapsedS), where, slowest.DisplayID)
	return err
}

// rolledUp replaces the tasks of each array by one row at the place of its newest task, and keeps the first rows.
func rolledUp(ctx context.Context, runs []foundRun, rows int) ([][]string, error) {
	var table [][]string
	seen := map[string]bool{}
	for _, r := range runs {
		if len(table) == rows {
			break
		}
		array := arrayOf(r)
		if array == "" {
			table = append(table, r.cells(r.finding(ctx)))
			continue
		}
		if key := r.Cluster + " " + array; !seen[key] {
			seen[key] = true
			a, err := arrayIn(ctx, r)
			if err != nil {
				return nil, err
			}
			table = append(table, a.cells(r))
		}
	}
	return table, nil
}

// cells is the array in the columns of list: the median elapsed time, and its slowest task.
func (a jobArray) cells(newest foundRun) []string {
	cells := newest.cells("")
	if len(a.tasks) < 2 {
		return cells
	}
	cells[1] = fmt.Sprintf("%s_[%d]", a.id, len(a.tasks))
	cells[3], cells[4] = strings.ReplaceAll(a.states(), ", ", ","), "-"
	cells[6] = elapsedText(a.elapsed())
	cells[12] = "slowest:" + a.tasks[0].DisplayID
	return cells
}
