package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// One session of each tool, in the form that the tool writes.
const (
	jmhSession = `[
    {"jmhVersion" : "1.37", "benchmark" : "org.a.Sort.quick", "mode" : "avgt", "params" : {"kind" : "a", "size" : "8"},
     "primaryMetric" : {"score" : 12.5, "scoreError" : "NaN", "scoreUnit" : "us/op", "rawData" : [[12, 13], [12, 13]]}},
    {"benchmark" : "org.a.Sort.quick", "mode" : "avgt", "params" : {"kind" : "a", "size" : "16"},
     "primaryMetric" : {"score" : 25, "scoreUnit" : "us/op", "rawData" : [[24], [26]]}},
    {"benchmark" : "org.a.Sort.quick", "mode" : "avgt", "params" : {"kind" : "a", "size" : "0.032K"},
     "primaryMetric" : {"score" : 50, "scoreUnit" : "us/op", "rawData" : [[49], [51]]}},
    {"benchmark" : "org.a.Rate.get", "mode" : "thrpt", "params" : {"n" : "4"},
     "primaryMetric" : {"score" : 4, "scoreUnit" : "ops/ms", "rawData" : [[2, 8]]}}
]
`
	customList = `[{"name": "build", "unit": "s", "value": 3.5}, {"name": "link", "unit": "s", "value": "4"}]`
	criterion  = `{"reason":"benchmark-complete","id":"sort/quick/8","typical":{"estimate":120.0,"unit":"ns"},` +
		`"mean":{"estimate":130.0,"unit":"ns"},"throughput":[]}
{"reason":"group-complete","group_name":"sort","benchmarks":["sort/quick/8"]}
{"reason":"benchmark-complete","id":"sort/quick/16","mean":{"estimate":250.0,"unit":"ns"}}
`
)

// Sessions without a date are runs in the order of the files.
func TestUndatedSessions(t *testing.T) {
	for tool, c := range map[string]struct{ text, ids, unit, y string }{
		"JMH": {jmhSession, "org.a.Sort.quick(kind=a, size=8); org.a.Sort.quick(kind=a, size=16); " +
			"org.a.Sort.quick(kind=a, size=0.032K); org.a.Rate.get(n=4)", "us/op", "[12.5]"},
		"github-action-benchmark's list": {customList, "build; link", "s", "[3.5]"},
		"cargo-criterion":                {criterion, "sort/quick/8; sort/quick/16", "ns", "[120]"},
	} {
		var sessions []Runs
		for range 3 {
			all, reading, err := ReadRuns(strings.NewReader(c.text), DefaultRuns("f"))
			if err != nil || !strings.HasPrefix(reading.Columns, tool+": ") {
				t.Fatalf("%s: %v, %q", tool, err, reading.Columns)
			}
			var ids []string
			for _, in := range all {
				ids = append(ids, in.ID)
			}
			if got := strings.Join(ids, "; "); got != c.ids || all[0].Unit != c.unit || fmt.Sprint(all[0].Y) != c.y {
				t.Errorf("%s: %s, %+v", tool, got, all[0])
			}
			sessions = append(sessions, all...)
		}
		for _, in := range JoinSessions(sessions) {
			checkRuns(t, in)
			if !slices.Equal(in.T, []float64{0, 1, 2}) || in.Calendar {
				t.Errorf("%s: %s has the times %v, want 0, 1, 2 without a calendar", tool, in.ID, in.T)
			}
		}
	}
}

// A rate in operations per millisecond becomes a time.
func TestRateOfJMH(t *testing.T) {
	all, _, err := ReadRuns(strings.NewReader(jmhSession), DefaultRuns("f"))
	if err != nil || all[3].Unit != "ms/op" || all[3].Y[0] != .25 {
		t.Errorf("%v, %+v", err, all)
	}
}

// A score, of which a larger one is better, becomes its reciprocal.
func TestScoresAreInverted(t *testing.T) {
	for entry, want := range map[string]string{
		`"tool":"customBiggerIsBetter"`: "[0.25] 1/points", `"bigger_is_better":true`: "[0.25] 1/points",
		`"tool":"customSmallerIsBetter"`: "[4] points",
	} {
		text := `{"entries":{"suite":[{"date":1700000000000,` + entry +
			`,"benches":[{"name":"a","unit":"points","value":4}]}]}}`
		all, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
		if err != nil || len(all) != 1 || fmt.Sprintf("%v %s", all[0].Y, all[0].Unit) != want {
			t.Errorf("%s: %v, %+v, want %s", entry, err, all, want)
		}
	}
}

func TestBenchmarkListsAsMeasurements(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"JMH": {jmhSession, "org.a.Sort.quick(kind=a) size score (us/op): 8 12.5, 8 12.5, 16 24, 16 26, 32 49, 32 51, \n" +
			"org.a.Rate.get n time (ms/op): 4 0.5, 4 0.125, \n"},
		"cargo-criterion": {criterion, "sort/quick argument real_time_s: 8 1.2e-07, 16 2.5e-07, \n"},
	} {
		m, err := ReadMeasurements(strings.NewReader(c.text), DefaultMeasurements("f"))
		got := ""
		for _, s := range m.Series {
			got += fmt.Sprintf("%s %s %s: ", s.ID, s.Parameter, s.Metric)
			for _, o := range s.Observations {
				got += fmt.Sprintf("%g %.3g, ", o.P, o.Value)
			}
			got += "\n"
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

// Lists and messages without results are errors that say what to do.
func TestNoBenchmarkResults(t *testing.T) {
	for text, want := range map[string]string{
		`[{"a": 1}]`: "f:1: read: the file is a JSON list, but not of JMH or github-action-benchmark: write one JSON " +
			"object per line",
		`{"reason":"compiler-artifact"}`: "f: read: the messages of cargo contain no finished benchmark: write them with " +
			"cargo criterion --message-format=json",
	} {
		if _, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f")); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzBenchmarkList(f *testing.F) {
	for _, text := range []string{jmhSession, customList, criterion, "[]", `[{"benchmark":"a","primaryMetric":null}]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("in"))
		if err == nil {
			for _, in := range JoinSessions(all) {
				checkRuns(t, in)
			}
		}
		_, _ = ReadMeasurements(strings.NewReader(text), DefaultMeasurements("in"))
	})
}

// Runs of one benchmark in two files of cargo-criterion stay in the order of the files and of their messages.
func TestRunsOfSeveralCriterionFiles(t *testing.T) {
	var all []Runs
	for _, values := range [][]int{{1, 2}, {3, 4}} {
		text := ""
		for _, v := range values {
			text += fmt.Sprintf(`{"reason":"benchmark-complete","id":"a","typical":{"estimate":%d,"unit":"ns"}}`+"\n", v)
		}
		runs, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, runs...)
	}
	if got := JoinSessions(all); len(got) != 1 || fmt.Sprint(got[0].Y, got[0].T) != "[1 2 3 4] [0 1 2 3]" {
		t.Errorf("%+v, want the values 1 to 4 in this order", got)
	}
}

// jmhResult is one result of JMH.
func jmhResult(name, mode, unit string, x, y int, score float64) string {
	return fmt.Sprintf(`{"benchmark":%q,"mode":%q,"params":{"x":"%d","y":"%d"},`+
		`"primaryMetric":{"score":%g,"scoreUnit":%q}}`,
		name, mode, x, y, score, unit)
}

// A benchmark in several modes is a history for each.
func TestModesOfJMH(t *testing.T) {
	text := "[" + jmhResult("a", "thrpt", "ops/us", 1, 1, 2) + "," + jmhResult("a", "avgt", "us/op", 1, 1, .5) + "," +
		jmhResult("b", "avgt", "us/op", 1, 1, .5) + "]"
	all, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
	var ids []string
	for _, in := range all {
		ids = append(ids, in.ID)
	}
	if got := strings.Join(ids, "; "); err != nil || got != "a(x=1, y=1) thrpt; a(x=1, y=1) avgt; b(x=1, y=1)" {
		t.Errorf("%v, %s", err, got)
	}
}

// A benchmark whose parameters vary together has no series and does not reject those of others.
func TestOneBenchmarkOfJMHWithoutASeries(t *testing.T) {
	list := []string{jmhResult("a", "avgt", "us/op", 1, 1, 2), jmhResult("a", "avgt", "us/op", 2, 2, 2)}
	for n := 1; n <= 4; n++ {
		list = append(list, fmt.Sprintf(
			`{"benchmark":"b","params":{"n":"%d"},"primaryMetric":{"score":%d,"scoreUnit":"us/op"}}`,
			n, n))
	}
	m, err := ReadMeasurements(strings.NewReader("["+strings.Join(list, ",")+"]"), DefaultMeasurements("f"))
	if err != nil || len(m.Series) != 1 || m.Left == 0 {
		t.Errorf("%v, %+v", err, m)
	}
	if _, err := ReadMeasurements(strings.NewReader("["+strings.Join(list, ",")+"] []"),
		DefaultMeasurements("f")); err == nil {
		t.Error("a second list is ignored")
	}
}
