package table

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// One session of each tool, in the form that the tool writes.
const (
	pytestSession = `{"machine_info": {"node": "n1"}, "commit_info": {"id": "c1"},
		"datetime": "2025-02-01T12:00:00.5+00:00",
		"benchmarks": [{"name": "test_a", "fullname": "tests/a.py::test_a", "params": null,
			"stats": {"min": 0.1, "median": 0.15, "rounds": 9}}]}`
	googleSession = `{"context": {"date": "2025-03-01T10:00:00+01:00", "host_name": "n1"}, "benchmarks": [
		{"name": "BM_a/8", "run_type": "iteration", "real_time": 12.5, "time_unit": "ns"},
		{"name": "BM_a/8", "run_type": "iteration", "real_time": 13.5, "time_unit": "ns"},
		{"name": "BM_a/8_mean", "run_type": "aggregate", "real_time": 13, "time_unit": "ns"}]}`
	asvSession = `{"commit_hash": "c1", "env_name": "py3", "date": 1480000000000, "params": {"machine": "m"}, "results": {
		"t.time_a": [[0.5, null, 0.7, 0.8], [["1", "2"], ["'x'", "'y'"]], "version"],
		"t.peakmem_b": {"result": [2e6], "params": []}, "t.track_c": 7}}`
)

func TestBenchmarkSessions(t *testing.T) {
	for name, c := range map[string]struct {
		text, ids, unit, commit string
		y                       []float64 // of the first series
	}{
		"pytest-benchmark": {pytestSession, "tests/a.py::test_a", "s", "c1", []float64{.15}},
		"Google Benchmark": {googleSession, "BM_a/8", "ns", "", []float64{12.5, 13.5}},
		"asv": {asvSession, "t.peakmem_b " +
			"t.time_a(1,'x') t.time_a(1,'y') t.time_a(2,'x') t.time_a(2,'y') t.track_c", "MB",
			"c1", []float64{2}},
	} {
		all, reading, err := ReadRuns(strings.NewReader(strings.ReplaceAll(c.text, "\n", " ")), DefaultRuns("f"))
		if err != nil || !strings.HasPrefix(reading.Columns, name+": ") {
			t.Errorf("%s: %v, %q", name, err, reading.Columns)
			continue
		}
		var ids []string
		for _, in := range all {
			checkRuns(t, in)
			ids = append(ids, strings.ReplaceAll(in.ID, ", ", ","))
		}
		first := all[0]
		commit := strings.Join(first.Meta["commit"], " ")
		if got := strings.Join(ids, " "); got != c.ids || !slices.Equal(first.Y, c.y) || first.Unit != c.unit ||
			!first.Calendar || commit != c.commit {
			t.Errorf("%s: %s %+v", name, got, first)
		}
	}
}

// Files of several sessions are one history in the order of time; other machines and other series stay apart.
func TestJoinSessions(t *testing.T) {
	var inputs []Runs
	for _, text := range []string{
		strings.NewReplacer("1480000000000", "1490000000000", "0.5", "0.6", `"c1"`, `"c2"`).Replace(asvSession),
		asvSession,
		strings.Replace(asvSession, `"machine": "m"`, `"machine": "other"`, 1),
		`{"id":"t.time_a(1, 'x')","t":[1,2],"y":[3,4]}`,
	} {
		all, _, err := ReadRuns(strings.NewReader(strings.ReplaceAll(text, "\n", " ")), DefaultRuns("f"))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, all...)
	}
	n := 0
	for _, in := range JoinSessions(inputs) {
		checkRuns(t, in)
		if in.ID != "t.time_a(1, 'x')" {
			continue
		}
		n++
		if in.Machine == "m" && (!slices.Equal(in.Y, []float64{.5, .6}) ||
			!slices.Equal(in.Meta["commit"], []string{"c1", "c2"})) {
			t.Errorf("joined: %+v", in)
		}
	}
	if n != 3 {
		t.Errorf("%d series, want 3: two machines and one of another tool", n)
	}
}

// The memory that labels take is bounded: long ones, and those of more results than combinations, become numbers.
func TestLongParametersBecomeNumbers(t *testing.T) {
	long := strings.Repeat("x", maxLabel)
	for _, c := range []struct {
		axes [][]string
		want []string
	}{
		{[][]string{{"1", "2"}, {"a"}}, []string{"1, a", "2, a", "#2"}},
		{[][]string{{long, "2"}}, []string{"#0", "2", "#2"}},
		{nil, nil}, {[][]string{{"1"}, {}}, nil},
	} {
		if got := combinations(c.axes, 3); !slices.Equal(got, c.want) {
			t.Errorf("%d axes: %.80q, want %q", len(c.axes), got, c.want)
		}
	}
}

// A larger value must be a slower run: rates become times per item.
func TestRatesBecomeTimes(t *testing.T) {
	for unit, want := range map[string]string{
		"iter/sec": "s/iter", "MB/s": "s/MB", "ops/s": "s/op", "GFLOPS": "s/Gflop", "fps": "s/frame", "steps/h": "h/step",
		"s": "s", "ns/op": "ns/op", "s/s": "s/s", "MB": "MB", "": "",
	} {
		all, _, err := ReadRuns(strings.NewReader(`{"t":[1,2,3],"y":[4,0,null],"unit":"`+unit+`"}`), DefaultRuns("f"))
		if err != nil || len(all) != 1 {
			t.Fatal(err)
		}
		in := all[0]
		y := 4.
		if want != unit {
			y = .25
		}
		if in.Unit != want || in.Y[0] != y || math.IsNaN(in.Y[1]) != (want != unit) || !math.IsNaN(in.Y[2]) ||
			(len(in.Notes) > 0) != (want != unit) {
			t.Errorf("%q: %+v", unit, in)
		}
	}
}
