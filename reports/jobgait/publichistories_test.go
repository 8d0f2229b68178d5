package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/table"
)

// The two scores of public histories. Both compare the runs at which changes are reported with known places.
const (
	// turingMargin is the margin of the published evaluation of the Turing Change Point Dataset.
	turingMargin = 5
	// sideRuns is the number of runs on either side of a step, and stepRatio the least ratio of their medians.
	sideRuns  = 10
	stepRatio = 1.2
)

// TestPublicHistories prints how well changes are found in histories that others have published. The environment
// variable JOBGAIT_PUBLIC_HISTORIES names a folder of folders. The folder "turing" is a copy of the Turing Change Point
// Dataset: annotations.json, and datasets/NAME/NAME.json. All files of every other folder are one input of
// "jobgait changes", without annotations: their steps are found by rule (stepsOf). JOBGAIT_PROGRAM names another
// jobgait to measure, for instance one built from an older commit.
func TestPublicHistories(t *testing.T) {
	dir := os.Getenv("JOBGAIT_PUBLIC_HISTORIES")
	if dir == "" {
		t.Skip("set JOBGAIT_PUBLIC_HISTORIES to a folder of published histories to print the scores")
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all stepScore
	for _, f := range folders {
		path := filepath.Join(dir, f.Name())
		if f.Name() == "turing" {
			scoreTuring(t, path)
			continue
		}
		one := scoreSteps(t, f.Name(), path)
		all.add(one)
	}
	fmt.Printf("%-24s %s\n", "all without annotations", all)
}

// publicSeries is one published history in the form that every version of jobgait reads.
type publicSeries struct {
	ID   string              `json:"id"`
	T    []float64           `json:"t"`
	Y    []float64           `json:"y"`
	Meta map[string][]string `json:"meta,omitempty"`
}

// reportedChanges returns the runs at which jobgait reports changes in each series.
func reportedChanges(t *testing.T, series []publicSeries) map[string][]int {
	t.Helper()
	var lines strings.Builder
	for _, s := range series {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		lines.Write(append(line, '\n'))
	}
	path := fileOf(t, "series.jsonl", lines.String())
	var got answer
	if program := os.Getenv("JOBGAIT_PROGRAM"); program != "" {
		out, err := exec.Command(program, "changes", "--json", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		got = answer{out: string(out)}
	} else {
		got = ask("changes", "--json", path)
	}
	at := map[string][]int{}
	for _, s := range parse(t, got).Series {
		for _, c := range s.Changes {
			at[s.ID] = append(at[s.ID], c.Index)
		}
	}
	return at
}

// scoreTuring prints the mean F1 of the Turing Change Point Dataset over its series of one dimension. Runs are a day
// apart. Missing values are left out.
func scoreTuring(t *testing.T, path string) {
	t.Helper()
	annotations := map[string]map[string][]int{}
	readJSON(t, filepath.Join(path, "annotations.json"), &annotations)
	var series []publicSeries
	place := map[string][]int{} // of the runs of a series among all values
	for name := range annotations {
		file := filepath.Join(path, "datasets", name, name+".json")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		var d struct{ Series []struct{ Raw []*float64 } }
		if readJSON(t, file, &d); len(d.Series) != 1 {
			continue
		}
		one := publicSeries{ID: name}
		for i, y := range d.Series[0].Raw {
			if y != nil {
				one.T, one.Y, place[name] = append(one.T, float64(i)), append(one.Y, *y), append(place[name], i)
			}
		}
		series = append(series, one)
	}
	slices.SortFunc(series, func(a, b publicSeries) int { return strings.Compare(a.ID, b.ID) })
	reported := reportedChanges(t, series)
	sum, none := 0.0, 0.0
	for _, s := range series {
		var at []int
		for _, i := range reported[s.ID] {
			at = append(at, place[s.ID][i])
		}
		f := annotatedF1(annotations[s.ID], at)
		fmt.Printf("turing                   %-20s F1 %.3f, changes at %v\n", s.ID, f, at)
		sum, none = sum+f, none+annotatedF1(annotations[s.ID], nil)
	}
	n := float64(len(series))
	fmt.Printf("turing                   %d series, mean F1 %.3f; without any reported change %.3f\n", len(series), sum/n,
		none/n)
}

func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// annotatedF1 returns the F1 score of van den Burg and Williams (2020) of changes at given places. Its precision is the
// share of them that any annotator has, its recall the mean over annotators of the share that was found. The first run
// counts as a change of everybody.
func annotatedF1(annotators map[string][]int, at []int) float64 {
	at = slices.Compact(slices.Sorted(slices.Values(append([]int{0}, at...))))
	union, recall := []int{0}, 0.0
	for _, places := range annotators {
		places = slices.Compact(slices.Sorted(slices.Values(append([]int{0}, places...))))
		union = append(union, places...)
		recall += float64(matched(places, at, turingMargin)) / float64(len(places)*len(annotators))
	}
	slices.Sort(union)
	precision := float64(matched(slices.Compact(union), at, turingMargin)) / float64(len(at))
	return 2 * precision * recall / (precision + recall)
}

// matched returns how many of the true places have a reported one within margin. A reported place matches only one.
func matched(truth, reported []int, margin int) int {
	free := slices.Clone(reported)
	n := 0
	for _, place := range truth {
		best := -1
		for k, r := range free {
			if apart(r, place) <= margin && (best < 0 || apart(r, place) < apart(free[best], place)) {
				best = k
			}
		}
		if best >= 0 {
			free = slices.Delete(free, best, best+1)
			n++
		}
	}
	return n
}

func apart(a, b int) int { return max(a-b, b-a) }

// stepScore counts the steps of histories without annotations.
type stepScore struct {
	series, runs, steps, found, wrong int
	// The same counts where one run of either side may lie apart.
	apartSteps, apartFound, apartWrong int
}

func (s *stepScore) add(o stepScore) {
	s.series, s.runs = s.series+o.series, s.runs+o.runs
	s.steps, s.found, s.wrong = s.steps+o.steps, s.found+o.found, s.wrong+o.wrong
	s.apartSteps += o.apartSteps
	s.apartFound += o.apartFound
	s.apartWrong += o.apartWrong
}

func (s stepScore) String() string {
	f1 := func(steps, found, wrong int) float64 { return 2 * float64(found) / float64(max(1, found+steps+wrong)) }
	return fmt.Sprintf("%3d series, %6d runs: %3d steps, %3d found, %2d false, F1 %.3f; one run aside: %3d steps, %3d "+
		"found, %2d false, F1 %.3f", s.series, s.runs, s.steps, s.found, s.wrong, f1(s.steps, s.found, s.wrong),
		s.apartSteps, s.apartFound, s.apartWrong, f1(s.apartSteps, s.apartFound, s.apartWrong))
}

// scoreSteps prints how many steps of the series of a folder are reported within one run, and how many reported changes
// are false.
func scoreSteps(t *testing.T, name, path string) stepScore {
	t.Helper()
	series := publicRuns(t, path)
	reported := reportedChanges(t, series)
	var all stepScore
	for _, s := range series {
		one := stepScore{series: 1, runs: len(s.Y)}
		one.steps, one.found, one.wrong = judged(s.Y, reported[s.ID], 0)
		one.apartSteps, one.apartFound, one.apartWrong = judged(s.Y, reported[s.ID], 1)
		if testing.Verbose() && (one.found < one.steps || one.wrong > 0) {
			fmt.Printf("    %s: %d runs, steps %v, changes at %v, false %d\n", s.ID, len(s.Y), stepsOf(s.Y, 0), reported[s.ID],
				one.wrong)
		}
		all.add(one)
	}
	fmt.Printf("%-24s %s\n", name, all)
	return all
}

// publicRuns reads the files of a folder as "jobgait changes" does. Values are times: rates are inverted. Series of
// fewer than 2*sideRuns runs are left out.
func publicRuns(t *testing.T, path string) []publicSeries {
	t.Helper()
	files, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []table.Runs
	for _, f := range files {
		in, err := os.Open(filepath.Join(path, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		one, _, err := table.ReadRuns(in, table.DefaultRuns(f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, one...)
		_ = in.Close()
	}
	var all []publicSeries
	for _, in := range table.JoinSessions(inputs) {
		one := publicSeries{ID: in.ID, Meta: map[string][]string{}}
		for i, y := range in.Y {
			if y > 0 && !math.IsInf(y, 0) {
				one.T, one.Y = append(one.T, in.T[i]), append(one.Y, y)
				for field, values := range in.Meta {
					one.Meta[field] = append(one.Meta[field], values[i])
				}
			}
		}
		if len(one.Y) >= 2*sideRuns {
			all = append(all, one)
		}
	}
	return all
}

// judged counts the steps of a history, those reported within a run, and the reported changes that are false: the
// medians of the runs before and after differ, but no step is within a run.
func judged(y []float64, reported []int, aside int) (steps, found, wrong int) {
	truth := stepsOf(y, aside)
	for _, at := range reported {
		near := slices.ContainsFunc(truth, func(s int) bool { return apart(s, at) <= 1 })
		before, after := y[max(0, at-sideRuns):at], y[at:min(len(y), at+sideRuns)]
		if !near && len(before) > 0 && mediansDiffer(before, after) {
			wrong++
		}
	}
	return len(truth), matched(truth, slices.Clone(reported), 1), wrong
}

// stepsOf returns the places at which sideRuns runs before and after do not overlap and have medians that differ. On
// either side the given number of runs may be left out. Of successive places the one with the widest gap counts.
func stepsOf(y []float64, aside int) []int {
	var at []int
	last := 0.0
	for i := sideRuns; i+sideRuns <= len(y); i++ {
		before, after := y[i-sideRuns:i], y[i:i+sideRuns]
		gap := gapBetween(before, after, aside)
		if gap <= 0 || !mediansDiffer(before, after) {
			continue
		}
		switch {
		case len(at) == 0 || i > at[len(at)-1]+1+aside:
			at, last = append(at, i), gap
		case gap > last:
			at[len(at)-1], last = i, gap
		}
	}
	return at
}

// gapBetween returns the gap between the values of two sides, in log units, if the given number of values of each side
// may be left out; it is not positive if they overlap.
func gapBetween(before, after []float64, aside int) float64 {
	a, b := slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after))
	up := math.Log(b[aside] / a[len(a)-1-aside])
	down := math.Log(a[aside] / b[len(b)-1-aside])
	return max(up, down)
}

func mediansDiffer(a, b []float64) bool {
	ratio := medianValue(a) / medianValue(b)
	return max(ratio, 1/ratio) >= stepRatio
}

func medianValue(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}

// The scores agree with examples that can be calculated by hand.
func TestScoresOfPublicHistories(t *testing.T) {
	for _, c := range []struct {
		annotators map[string][]int
		at         []int
		want       float64
	}{
		// Precision 2/2; recall (1 + 1/2 + 1/2)/3 without and (1/1 + 2/2 + 1/2)/3 with the change at 10.
		{map[string][]int{"a": nil, "b": {10}, "c": {50}}, nil, .8},
		{map[string][]int{"a": nil, "b": {10}, "c": {50}}, []int{10}, 10. / 11},
		{map[string][]int{"a": {20}, "b": {22}}, []int{26}, 6. / 7}, // one annotator is 6 away: recall 3/4
	} {
		if f := annotatedF1(c.annotators, c.at); math.Abs(f-c.want) > 1e-12 {
			t.Errorf("annotators %v, changes at %v: F1 %.4f, want %.4f", c.annotators, c.at, f, c.want)
		}
	}
	y := slices.Concat(slices.Repeat([]float64{100, 101}, 10), slices.Repeat([]float64{150, 151}, 10))
	if at := stepsOf(y, 0); !slices.Equal(at, []int{20}) {
		t.Errorf("steps at %v, want 20", at)
	}
	if steps, found, wrong := judged(y, []int{21, 24}, 0); steps != 1 || found != 1 || wrong != 1 {
		t.Errorf("changes at 21 and 24: %d steps, %d found, %d false; want 1 each", steps, found, wrong)
	}
	y[25] = 100 // one run lies apart
	if at, aside := stepsOf(y, 0), stepsOf(y, 1); len(at) != 0 || !slices.Equal(aside, []int{20}) {
		t.Errorf("steps at %v, and with one run aside at %v; want none, and 20", at, aside)
	}
}
