package table

import (
	"fmt"
	"strings"
	"testing"
)

// Files in the form in which other tools write them.
const (
	benchmarkDotNet = `Method;Job;N;Mean;Error;StdDev;Allocated
Sort;DefaultJob;8;12,5 ns;0,12 ns;0,1 ns;64 B
Sort;DefaultJob;16;25,5 ns;0,12 ns;0,1 ns;64 B
Sort;DefaultJob;8192;12.800,25 ns;0,12 ns;0,1 ns;64 B
`
	pytestWithSizes = `{"machine_info": {"node": "a"}, "datetime": "2024-01-01T00:00:00", "benchmarks": [
		{"name": "test_sort[8-list]", "fullname": "t.py::test_sort[8-list]", "params": {"n": 8, "kind": "list"},
			"stats": {"median": 0.5, "data": [0.5, 0.7]}},
		{"name": "test_sort[16-list]", "fullname": "t.py::test_sort[16-list]", "params": {"n": 16, "kind": "list"},
			"stats": {"median": 1.5}},
		{"name": "test_sort[32-list]", "fullname": "t.py::test_sort[32-list]", "params": {"n": 32, "kind": "list"},
			"stats": {"median": 2.5}},
		{"name": "test_open", "fullname": "t.py::test_open", "params": null, "stats": {"median": 1}}]}
`
	asvResults = `{"commit_hash": "a1", "env_name": "e", "date": 1704067200000, "params": {"machine": "m"},
		"result_columns": ["result", "params"], "results": {"b.time_sort": [[0.5, 1.5], [["8", "16"]]]}, "version": 2}
`
	nanobench = `{"results": [{"title": "t", "name": "sort", "unit": "op", "complexityN": 8, "median(elapsed)": 1e-8,
		"measurements": [{"iterations": 10, "elapsed": 1e-8}]}]}
`
	k6Summary = `{
  "root_group": {"name": "", "groups": {}},
  "metrics": {"http_req_duration": {"avg": 12.1, "med": 11.2, "p(95)": 30}}
}
`
	k6Points = `{"type":"Metric","data":{"name":"http_req_duration","type":"trend"},"metric":"http_req_duration"}
{"type":"Point","data":{"time":"2024-01-01T00:00:00Z","value":12,"tags":{"status":"200"}},"metric":"http_req_duration"}
`
	hyperfineStatistics = "command,mean,stddev,median,user,system,min,max,parameter_n\nsort 8,1,.1,1,1,0,1,1,8\n" +
		"sort 16,2,.1,2,2,0,2,2,16\n"
)

// JSON objects of one run each, and tables of several benchmarks, are series.
func TestRunObjects(t *testing.T) {
	for name, c := range map[string]struct{ text, reading, want string }{
		"lines": {`{"date":"2024-01-01","commit":"a","value":5}` + "\n" + `{"date":"2024-01-02","value":6,"commit":"b"}`,
			"time = date, value = value, 3 fields", "0 [5 6] commit a,b"},
		"lines of numbers": {`{"t":1,"y":5}` + "\n" + `{"t":2,"y":null}` + "\n",
			"time = t, value = y, 2 fields", "0 [5 NaN]"},
		"list": {"[\n {\"date\": \"2024-01-01\", \"value\": 5},\n {\"date\": \"2024-01-02\", \"value\": 6, \"commit\": " +
			"\"b\"}\n]\n", "time = date, value = value, 3 fields", "0 [5 6] commit ,b"},
		"inner objects": {`{"case":"x","timestamp":1704067200000,"records":{"a":5}}` + "\n" +
			`{"case":"y","timestamp":1704067200000,"records":{"a":7}}` + "\n" +
			`{"case":"x","timestamp":1704153600000,"records":{"a":6}}` + "\n" +
			`{"case":"y","timestamp":1704153600000,"records":{"a":8}}` + "\n",
			"time = timestamp (epoch milliseconds), value = records.a, a series for each case, 3 fields",
			"case=x [5 6]; case=y [7 8]"},
		"CSV of several benchmarks": {"date,benchmark,commit,value\n2024-01-01,sort,a,5\n2024-01-01,hash,a,7\n" +
			"2024-01-02,sort,b,6\n2024-01-02,hash,b,8\n",
			"time = date, value = value, a series for each benchmark, 4 fields",
			"benchmark=sort [5 6] commit a,b; benchmark=hash [7 8] commit a,b"},
		"a name of its own for each run": {"date,name,value\n2024-01-01,a,5\n2024-01-02,b,6\n2024-01-03,c,7\n",
			"time = date, value = value, 3 fields", "0 [5 6 7] name a,b,c"},
	} {
		all, reading, err := ReadRuns(strings.NewReader(c.text), DefaultRuns("f"))
		var got []string
		for _, in := range all {
			text := fmt.Sprint(in.ID, " ", in.Y)
			for field, words := range in.Meta {
				text += " " + field + " " + strings.Join(words, ",")
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); err != nil || text != c.want || reading.Columns != c.reading {
			t.Errorf("%s: %v\n%s\n%s\nwant\n%s\n%s", name, err, text, reading.Columns, c.want, c.reading)
		}
	}
}

// A fault in one of several objects names its line.
func TestFaultsOfObjects(t *testing.T) {
	const first = `{"date":"2024-01-01","value":5}` + "\n"
	for text, want := range map[string]string{
		first + `{"date":"soon","value":6}` + "\n":                    "f:2: parse the time of the run",
		first + "\n" + `{"date":"2024-01-02","value":"x"}` + "\n":     "f:3: column value: invalid value",
		first + `{"date":"2024-01-02","value":[6]}` + "\n":            "f:2: read: the entry is not a JSON object of single",
		"[\n" + strings.TrimSpace(first) + ",\n" + `{"date":"soon"}]`: "f:3: parse the time of the run",
		k6Points: "f:1: read series: no line has the lists t and y: write one series per line, or one run per line with a " +
			"time and a number",
	} {
		_, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	all, reading, err := ReadRuns(strings.NewReader(first+`{"date":"2024-01`), DefaultRuns("f"))
	if err != nil || len(all) != 1 || len(all[0].Y) != 1 || !strings.Contains(reading.Cut, "line 2") {
		t.Errorf("cut in the last line: %+v, %q, %v", all, reading.Cut, err)
	}
}

// Tables of sizes in further forms are measurements.
func TestMeasurementsInFurtherForms(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"BenchmarkDotNet": {benchmarkDotNet, "Sort N Mean: 8 12.5, 16 25.5, 8192 1.28e+04, "},
		"BenchmarkDotNet, English": {"Method,N,Mean,Error\nSort,8,12.5 ns,0.1 ns\nSort,16,\"1,225.5 ns\",0.1 ns\n",
			"Sort N Mean: 8 12.5, 16 1.23e+03, "},
		"hyperfine's CSV":  {hyperfineStatistics, "0 parameter_n mean: 8 1, 16 2, "},
		"pytest-benchmark": {pytestWithSizes, "t.py::test_sort(kind=list) n time (s): 8 0.5, 8 0.7, 16 1.5, 32 2.5, "},
		"objects": {`{"nodes":2,"seconds":5}` + "\n" + `{"nodes":4,"seconds":3}` + "\n",
			"0 nodes seconds: 2 5, 4 3, "},
		"list of objects": {`[{"p":2,"y":5},{"p":4,"y":3}]`, "0 p y: 2 5, 4 3, "},
	} {
		m, err := ReadMeasurements(strings.NewReader(c.text), DefaultMeasurements("f"))
		got := ""
		for _, s := range m.Series {
			got += fmt.Sprintf("%s %s %s: ", s.ID, s.Parameter, s.Metric)
			for _, o := range s.Observations {
				got += fmt.Sprintf("%g %.3g, ", o.P, o.Value)
			}
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

// A file that does not hold what a command needs gives one line that says what to do.
func TestFormatsWithoutRunsOrSizes(t *testing.T) {
	const statistics = "f:1: the file has statistics of benchmarks"
	const noRuns = "the JSON document contains no runs: want"
	const noSizes = "contains no measurements at sizes: want the JSON of"
	for name, c := range map[string]struct{ text, runs, measurements string }{
		"hyperfine's CSV": {hyperfineStatistics, statistics, ""},
		"BenchmarkDotNet": {benchmarkDotNet, statistics, ""},
		"BenchmarkDotNet JSON": {"{\n" + `"Title":"a","Benchmarks":[{"FullName":"Sort(N: 8)","Statistics":{"Mean":5}}]}`,
			noRuns, noSizes},
		"BenchmarkDotNet JSON in a line": {`{"Title":"a","Benchmarks":[{"FullName":"Sort(N: 8)","Statistics":{"Mean":5}}]}`,
			"no line has the lists t and y", "no measurements in this object"},
		"nanobench":     {nanobench, noRuns, noSizes},
		"summary of k6": {k6Summary, noRuns, noSizes},
		"points of k6":  {k6Points, "no line has the lists t and y", "no measurements in this object"},
		"asv":           {asvResults, "", noSizes},
		"pytest, no sizes": {strings.ReplaceAll(pytestWithSizes, `"params"`, `"extra"`), "", "vary one with " +
			"@pytest.mark.parametrize"},
		"words as the mean": {"n,Mean,Error\n8,\"1,234 ns\",0.1\n", "", `column Mean: invalid value "1,234 ns": want a ` +
			"number"},
		"UTF-16": {"\xff\xfen\x00,\x00", "save it as UTF-8", "save it as UTF-8"},
	} {
		_, _, err := ReadRuns(strings.NewReader(c.text), DefaultRuns("f"))
		_, why := ReadMeasurements(strings.NewReader(c.text), DefaultMeasurements("f"))
		for _, one := range []struct {
			as, want string
			err      error
		}{{"runs", c.runs, err}, {"measurements", c.measurements, why}} {
			text := fmt.Sprint(one.err)
			if one.want != "" && (one.err == nil || !strings.Contains(text, one.want) || !strings.HasPrefix(text, "f:") ||
				strings.Contains(text, "\n")) {
				t.Errorf("%s as %s: %v, want one line with %q", name, one.as, one.err, one.want)
			}
		}
	}
}
