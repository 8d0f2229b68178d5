package summary

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/profile"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// lengthFacts is what a report says about the lengths of cycles: the spread (p90 - p10) over the median, the seconds in
// slow cycles and the change over the run in percent. elapsedS is the time of all cycles.
type lengthFacts struct{ spread, slowS, changePct, elapsedS float64 }

// TestLengthsAgainstLogs prints, for each recording NAME.jgp in the directory JOBGAIT_LIVE_LEAGUE with a right period,
// the facts about lengths that are reported beside those of the marks of the program's own log, NAME.marks.json.gz, and
// how many agree within a third. It is skipped without the directory.
func TestLengthsAgainstLogs(t *testing.T) {
	dir := os.Getenv("JOBGAIT_LIVE_LEAGUE")
	if dir == "" {
		t.Skip("compares recordings with their logs: JOBGAIT_LIVE_LEAGUE=DIR")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.marks.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var right, spread, slow, change int
	for _, path := range paths {
		base := strings.TrimSuffix(path, ".marks.json.gz")
		reported, logged, level, ok := reportedAndLogged(t, base)
		if !ok {
			continue
		}
		right++
		verdict := ""
		count := func(what string, n *int, ofReport, ofLog, none float64) {
			if withinAThird(ofReport, ofLog, none) {
				*n++
			} else {
				verdict += " " + what
			}
		}
		count("SPREAD", &spread, reported.spread, logged.spread, 0)
		count("SLOW", &slow, reported.slowS, logged.slowS, leastSlowShare*logged.elapsedS)
		count("CHANGE", &change, reported.changePct, logged.changePct, leastChangePct)
		t.Logf("%-20s %-8s spread %.3f log %.3f  slow %.2f log %.2f s  change %+.1f log %+.1f %%%s",
			filepath.Base(base), level, reported.spread, logged.spread, reported.slowS, logged.slowS,
			reported.changePct, logged.changePct, verdict)
	}
	t.Logf("%d recordings: spread %d, slow cycles %d, change %d within a third", right, spread, slow, change)
}

// leastChangePct and leastSlowShare are the change of lengths, and the share of the run in slow cycles, below which
// reports do not mention them.
const leastChangePct, leastSlowShare = 2.0, 0.002

// withinAThird reports whether a value is within a third of the one in the log; values below none count as 0.
func withinAThird(reported, logged, none float64) bool {
	if math.Abs(reported) < none {
		reported = 0
	}
	if math.Abs(logged) < none {
		logged = 0
	}
	return math.Abs(reported-logged) <= math.Abs(logged)/3
}

// reportedAndLogged returns the facts of the main period of a recording and those of the level of the log that has this
// period; false if the period is not that of a level.
func reportedAndLogged(t *testing.T, base string) (reported, logged lengthFacts, level string, ok bool) {
	t.Helper()
	l, err := profile.Load(base + ".jgp")
	if err != nil {
		t.Fatal(err)
	}
	par := periodicity.Default()
	par.CPUWaitS = run.CPUWaitS(l.Totals)
	found, err := periodicity.Detect(l.Set, par)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Periods) == 0 || found.Periods[0].Confidence < periodicity.LeastConfidenceOfSampledCode {
		return reported, logged, "", false
	}
	p := found.Periods[0]
	for name, marks := range marksOf(t, base+".marks.json.gz") {
		q, step := periodOfMarks(marks)
		if !(q.PeriodS > 0) {
			continue
		}
		if near := func(x float64) bool { return math.Abs(p.PeriodS/x-1) <= .08 || math.Abs(p.MeanS/x-1) <= .08 }; near(
			q.PeriodS) || near(q.MeanS) {
			return factsOf(p, l.Set), factsOf(q, series.Set{StepS: step}), name, true
		}
	}
	return reported, logged, "", false
}

// marksOf reads the marks of a log by level.
func marksOf(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var marks map[string][]float64
	if err := json.NewDecoder(z).Decode(&marks); err != nil {
		t.Fatal(err)
	}
	return marks
}

// periodOfMarks returns the cycles between marks as a period in samples of step seconds.
func periodOfMarks(marks []float64) (p periodicity.Period, step float64) {
	step = 1e-4
	if len(marks) < 2 {
		return p, step
	}
	var lengths []float64
	for i, m := range marks[1:] {
		first, end := int(math.Round(marks[i]/step)), int(math.Round(m/step))
		p.Instances = append(p.Instances, periodicity.Instance{First: first, Length: end - first})
		lengths = append(lengths, float64(end-first)*step)
	}
	slices.Sort(lengths)
	p.PeriodS, p.P10S, p.P90S = robust.SortedQuantile(lengths, .5), robust.SortedQuantile(lengths, .1),
		robust.SortedQuantile(lengths, .9)
	p.MeanS, _ = robust.Mean(lengths)
	return p, step
}

// factsOf returns what a report says about the lengths of a period's cycles.
func factsOf(p periodicity.Period, set series.Set) (f lengthFacts) {
	f.spread = (p.P90S - p.P10S) / p.PeriodS
	f.elapsedS = p.MeanS * float64(len(p.Instances))
	if d := driftOf(p, nil, set, 240); d != nil {
		f.slowS = d.SlowS
		f.changePct, _ = d.Change()
	}
	return f
}
