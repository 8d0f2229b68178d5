package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"jobgait/analysis/note"
)

func readRuns(t *testing.T, text string, edit func(*RunOptions)) []Runs {
	t.Helper()
	o := DefaultRuns("f")
	if edit != nil {
		edit(&o)
	}
	all, _, err := ReadRuns(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func runCodes(in Runs) []note.Code {
	var out []note.Code
	for _, n := range in.Notes {
		out = append(out, n.Code)
	}
	return out
}

func TestRunRows(t *testing.T) {
	in := readRuns(t, "\n# made by hand\nt,value,binary,cpu_s,size_s,start,nodes\n"+
		"1,2.5,a,2.4,small,100,n1 n2\n# between\n\n2, ,a,,small,200,n1;n3\n2,2.6,b,2.5,,300,\n", nil)[0]
	if in.ID != "0" || in.Calendar || in.Order != nil || len(in.Notes) != 0 {
		t.Errorf("%+v", in)
	}
	if !slices.Equal(in.T, []float64{1, 2, 2}) || in.Y[0] != 2.5 || !math.IsNaN(in.Y[1]) || in.Y[2] != 2.6 {
		t.Errorf("t %v, y %v", in.T, in.Y)
	}
	if !slices.Equal(in.Start, []float64{100, 200, 300}) || !math.IsNaN(in.Also["cpu_s"][1]) {
		t.Errorf("start %v, also %v", in.Start, in.Also)
	}
	if want := map[string][]string{"binary": {"a", "a", "b"},
		"size_s": {"small", "small", ""}}; !reflect.DeepEqual(in.Meta, want) {
		t.Errorf("meta %v", in.Meta)
	}
	if want := [][]string{{"n1", "n2"}, {"n1", "n3"}, {}}; !reflect.DeepEqual(in.Nodes, want) {
		t.Errorf("nodes %q", in.Nodes)
	}
}

func TestRunRowShapes(t *testing.T) {
	for name, text := range map[string]string{
		"no header":      "1,5\n2,6\n",
		"other names":    "day,elapsed_s\n1,5\n2,6\n",
		"named columns":  "value,t\n5,1\n6,2\n",
		"only value":     "value,day\n5,1\n6,2\n",
		"only t":         "elapsed_s,t\n5,1\n6,2\n",
		"y":              "t,binary,y\n1,a,5\n2,a,6\n",
		"value, not y":   "t,y,value\n1,7,5\n2,7,6\n",
		"semicolons":     "t;value\n1;5\n2;6\n",
		"tabs":           "t\tvalue\n1\t5\n2\t6\n",
		"windows":        "\xef\xbb\xbft,value\r\n1,5\r\n2,6",
		"comments first": "# a\n# b\n\nt,value\n1,5\n2,6\n",
	} {
		in := readRuns(t, text, nil)[0]
		if !slices.Equal(in.T, []float64{1, 2}) || !slices.Equal(in.Y, []float64{5, 6}) {
			t.Errorf("%s: t %v y %v", name, in.T, in.Y)
		}
	}
	for text, want := range map[string]string{"t,value\n1,2\n": "", "t,y\n1,2\n": "", "1,2\n": "",
		"t,elapsed_s\n1,2\n": "elapsed_s"} {
		if in := readRuns(t, text, nil)[0]; in.Metric != want {
			t.Errorf("%q: metric %q, want %q", text, in.Metric, want)
		}
	}
	if in := readRuns(t, "1,5,a\n2,6,b\n", nil)[0]; !slices.Equal(in.Meta["column 3"], []string{"a", "b"}) {
		t.Errorf("without a header: meta %q", in.Meta)
	}
	if in := readRuns(t, "t,value\n", nil)[0]; in.Y == nil || len(in.Y) != 0 || in.Bad {
		t.Errorf("header only: %+v", in)
	}
}

func TestRunTimes(t *testing.T) {
	for text, want := range map[string]float64{
		"t,value\n3.5,1\n":                           3.5,
		"t,value\n1970-01-03,1\n":                    2,
		"t,value\n1970-01-02T12:00:00Z,1\n":          1.5,
		"t,value\n1970-01-02T01:00:00+01:00,1\n":     1,
		"t,value\n1970-01-02T06:00:00,1\n":           1.25,
		`{"t":["1970-01-02T12:00:00.0Z"],"y":[1]}`:   1.5,
		`{"t":["1970-01-03"],"y":[1]}`:               2,
		"t,value\n1970-01-02 00:00:00,1\n":           1,
		"# x\nt,value\n1969-12-31T12:00:00.000Z,1\n": -0.5,
	} {
		if in := readRuns(t, text, nil)[0]; in.T[0] != want {
			t.Errorf("%q: %v", text, in.T)
		}
	}
	s := readRuns(t, "t,value\n172800,1\n259200.5,1\n", func(o *RunOptions) { o.Unit = Seconds })[0]
	if s.T[0] != 2 || math.Floor(s.T[1]) != 3 || !s.Calendar {
		t.Errorf("seconds: %+v", s)
	}
	if got := fmt.Sprint(s.Given, Moment{Text: "2026-11-05"}); got != "[172800 259200.5] 2026-11-05" {
		t.Errorf("in words: %s", got)
	}
	if b, _ := json.Marshal(s.Given); string(b) != "[172800,259200.5]" {
		t.Errorf("given: %s", b)
	}
	if in := readRuns(t, "t,value\n1795153365,1\n", func(o *RunOptions) {
		o.Unit = Days
	})[0]; !slices.Equal(runCodes(in), []note.Code{note.TimeUnit}) {
		t.Errorf("seconds taken as days: %v", in.Notes)
	}
}

func TestRunLines(t *testing.T) {
	all := readRuns(t, `# histories
{"id":"a","t":[1,2],"y":[3,null],"start":[10,null],"also":{"cpu_s":[1,2]},"meta":{"v":["1.10",null],"n":[1.10,true],`+
		`"list":[[1],{"a":1.0}]},"nodes":[["x"],null],"app":"nemo","unit":"s"}

{"t":["2026-11-05","2026-11-06"],"y":[1,2]}
{"id":7,"t":[1],"y":[2]}`, nil)
	if len(all) != 3 || all[0].ID != "a" || all[1].ID != "3" || all[2].ID != "7" {
		t.Fatalf("%+v", all)
	}
	a := all[0]
	if !math.IsNaN(a.Y[1]) || !math.IsNaN(a.Start[1]) || a.Also["cpu_s"][1] != 2 || a.App != "nemo" || a.Unit != "s" {
		t.Errorf("%+v", a)
	}
	if want := map[string][]string{"v": {"1.10", ""}, "n": {"1.10", "true"},
		"list": {"[1]", `{"a":1.0}`}}; !reflect.DeepEqual(a.Meta, want) {
		t.Errorf("meta %q", a.Meta)
	}
}

// A series that is not a history is listed at its position; the others are read.
// Lists that are written as in the line before share memory. Lists that differ do not, and a line that cannot be
// read has no effect on the next one.
func TestRepeatedListsAreShared(t *testing.T) {
	line := func(times, commits string) string {
		return `{"t":[` + times + `],"y":[1,2,3],"meta":{"commit":[` + commits + `]}}` + "\n"
	}
	all, _, err := ReadRuns(strings.NewReader(line("1,2,3", `"a","a","b"`)+line("1,2,3", `"a","a","b"`)+
		line("1,2,4", `"a","a","c"`)+line("1,2,4", `"a","b"`)+line("1,2,4", `"a","a","c"`)), DefaultRuns("x"))
	if err != nil || len(all) != 5 {
		t.Fatal(len(all), err)
	}
	if &all[0].Given[0] != &all[1].Given[0] || &all[0].Meta["commit"][0] != &all[1].Meta["commit"][0] {
		t.Error("the second series has lists of its own")
	}
	for k, want := range []string{"b", "b", "c", "", "c"} {
		if want == "" {
			if !all[k].Bad {
				t.Errorf("series %d is not marked as bad", k)
			}
			continue
		}
		commit, at := all[k].Meta["commit"][2], all[k].Given[2].Number
		if commit != want || (at == 3) != (want == "b") {
			t.Errorf("series %d: commit %q at %g, want %q", k, commit, at, want)
		}
	}
}

func TestBadRuns(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"b","t":[1,2],"y":[3]}`:                      "t has 2 entries but y has 1",
		`{"id":"b","y":[3]}`:                                "the series has no t or no y",
		`{"id":"b","t":[1],"y":null}`:                       "the series has no t or no y",
		`{"id":"b","t":[1],"y":["x"]}`:                      "y of the series is invalid: want a list of numbers",
		`{"id":"b","t":[1],"y":3}`:                          "y of the series is invalid: want a list of numbers",
		`{"id":"b","t":1,"y":[3]}`:                          "t of the series is invalid: want a list of times",
		`{"id":"b","t":[null],"y":[3]}`:                     "t of run 0 is invalid: want a number or a text",
		`{"id":"b","t":["soon"],"y":[3]}`:                   "t of run 0 is invalid: cannot parse \"soon\": want a",
		`{"id":"b","t":[1,"2026-11-05"],"y":[3,3]}`:         "t is a number in some runs and a date in others",
		`{"id":"b","t":[1e300],"y":[3]}`:                    "is out of range",
		`{"id":"b","t":["2026-11-05"],"y":[3,4]}`:           "t has 1 entry but y has 2",
		`{"id":"b","t":[1],"y":[3],"start":[1,2]}`:          "start has 2 entries",
		`{"id":"b","t":[1],"y":[3],"start":"x"}`:            "start of the series is invalid: want a list of numbers",
		`{"id":"b","t":[1],"y":[3],"also":{"cpu_s":[1,2]}}`: "also cpu_s has 2 entries",
		`{"id":"b","t":[1],"y":[3],"also":[1]}`:             "also of the series has the wrong type",
		`{"id":"b","t":[1],"y":[3],"meta":{"a":[]}}`:        "meta a has 0 entries",
		`{"id":"b","t":[1],"y":[3],"meta":{"a":1}}`: "meta is invalid: want an object whose fields are lists, one " +
			"value per run",
		`{"id":"b","t":[1],"y":[3],"nodes":[["x"],["y"]]}`: "nodes has 2 entries",
		`{"id":"b","t":[1],"y":[3],"nodes":[1]}`:           "nodes is invalid: want a list with a list",
		`{"id":"b","t":[1],"y":[3],"nodes":[[true]]}`:      "nodes is invalid: want a list with a list",
	} {
		all := readRuns(t, `{"id":"a","t":[1],"y":[2]}`+"\n"+line+"\n"+`{"id":"c","t":[1],"y":[2]}`, nil)
		if len(all) != 3 || !all[1].Bad || all[1].ID != "b" || !slices.Equal(runCodes(all[1]), []note.Code{note.BadSeries}) ||
			all[2].Bad {
			t.Errorf("%s: %+v", line, all)
		} else if got := all[1].Notes[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if all := readRuns(t, `{"id":{},"t":[1],"y":[2]}`, nil); !all[0].Bad || all[0].ID != "0" {
		t.Errorf("id: %+v", all)
	}
	if all := readRuns(t, "t,value\n1,2\n2026-11-05,3\n", nil); !all[0].Bad {
		t.Errorf("mixed times: %+v", all)
	}
}

func TestRunErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "f: ",
		"\n# only\n":                    "f: ",
		"{\"t\":[1],\"y\":[2]}\n{\n":    "f:2: ",
		"\n{\"t\":[1],\"y\":[2]}\n7":    "f:3: ",
		"t,value\n1,2\nx,3\n":           "f:3: ",
		"# c\nt,value\n1,2\n2,\"x\"\n":  "f:4: ",
		"t,value\n1,2\n3\n":             "f:3: ",
		"\n\nt,value\n1,2\n3,4,5\n":     "f:5: ",
		"t,value\n1,2\n3,\"4\n":         "f:3: ",
		"1\n":                           "f:1: ",
		"t,value,a,a\n1,2,3,4\n":        "f:1: ",
		"t,value\n1,2\nNaN,4\n":         "f:3: ",
		"t,value\n\n# c\n1,2\n2,12 s\n": "f:5: ",
	} {
		_, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRunOrder(t *testing.T) {
	in := readRuns(t, `{"t":[3,1,2,1],"y":[30,10,20,11],"start":[3,1,2,1.5],"also":{"cpu_s":[33,11,22,12]},`+
		`"meta":{"a":["c","a","b","a2"]},"nodes":[["c"],["a"],["b"],["a2"]]}`, nil)[0]
	if !slices.Equal(in.Order, []int{1, 3, 2, 0}) || !slices.Equal(in.T, []float64{1, 1, 2, 3}) ||
		!slices.Equal(in.Y, []float64{10, 11, 20, 30}) {
		t.Errorf("%+v", in)
	}
	if !slices.Equal(in.Also["cpu_s"], []float64{11, 12, 22, 33}) ||
		!slices.Equal(in.Meta["a"], []string{"a", "a2", "b", "c"}) ||
		!slices.Equal(in.Start, []float64{1, 1.5, 2, 3}) || in.Nodes[1][0] != "a2" || in.Given[3].Number != 3 {
		t.Errorf("%+v", in)
	}
	if !slices.Equal(runCodes(in), []note.Code{note.Unsorted}) {
		t.Errorf("%v", in.Notes)
	}
}

func TestNodeList(t *testing.T) {
	for s, want := range map[string]string{
		"":                     "",
		"a b;c,d":              "a b c d",
		"n[01-03,7],login1":    "n01 n02 n03 n7 login1",
		"r[1-2]n[1-2]x":        "r1n1x r1n2x r2n1x r2n2x",
		"n[3-1] n[a-b] n[1 n]": "n[3-1] n[a-b] n[1 n]",
		"n[1-99999999]":        "n[1-99999999]",
		"n[1-9][1-9999]":       "n[1-9][1-9999]",
		"r[1-2]n[3-1]":         "r[1-2]n[3-1]",
	} {
		if got := strings.Join(nodeList(s), " "); got != want {
			t.Errorf("%q: %.100s", s, got)
		}
	}
	if got := len(nodeList("n[1-16384] m")); got != mostNodes {
		t.Errorf("%d nodes of one run", got)
	}
}

func FuzzNodeList(f *testing.F) {
	f.Add("n[01-03,7],login1")
	f.Add("r[1-2]n[1-2]x;a b")
	f.Add("[[]][1-1][1-9999999999999999999]")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 {
			return
		}
		for i, n := range nodeList(s) {
			if n == "" || i > mostNodes+len(s) {
				t.Fatalf("%q: node %d is %q", s, i, n)
			}
		}
	})
}

// Histories in the forms that other tools and people write are read.
func TestRunFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		edit       func(*RunOptions)
		days       []float64 // since 2024-01-01
		y          string
		reading    string
	}{
		{"git's %ci", "date,value\n2024-01-01 00:00:00 +0000,5\n2024-01-02 01:00:00 +0100,6\n", nil, []float64{0, 1}, "[5 6]",
			"time = date, value = value, 2 fields"},
		{"no seconds", "time,seconds\n2024-01-01 12:00,5\n2024-01-02 00:00,6\n", nil, []float64{.5, 1}, "[5 6]",
			"time = time, value = seconds, 2 fields"},
		{"slashes", "value,date\n5,2024/01/01\n6,2024/01/02\n", nil, []float64{0, 1}, "[5 6]",
			"time = date, value = value, 2 fields"},
		{"UTC", "t,value\n2024-01-01 00:00:00 UTC,5\n2024-01-02 00:00:00 UTC,6\n", nil, []float64{0, 1}, "[5 6]",
			"time = t, value = value, 2 fields"},
		{"epoch seconds", "time,elapsed\n1704067200,5\n1704153600,6\n", nil, []float64{0, 1}, "[5 6]",
			"time = time (epoch seconds), value = elapsed, 2 fields"},
		{"epoch milliseconds", "time,elapsed\n1704067200000,5\n1704153600000,6\n", nil, []float64{0, 1}, "[5 6]",
			"time = time (epoch milliseconds), value = elapsed, 2 fields"},
		{"epoch microseconds", "time,elapsed\n1704067200000000,5\n1704153600000000,6\n", nil, []float64{0, 1}, "[5 6]",
			"time = time (epoch microseconds), value = elapsed, 2 fields"},
		{"sacct --parsable2", "JobID|Start|Elapsed|State\n" +
			"7|2024-01-01T00:00:00|00:01:50|COMPLETED\n" +
			"8|2024-01-02T00:00:00|1-00:00:01|COMPLETED\n", nil, []float64{0, 1}, "[110 86401]",
			"time = Start, value = Elapsed, 4 fields"},
		{"missing words", "t,value\n2024-01-01,[N/A]\n2024-01-02,<not counted>\n2024-01-03,6\n", nil, []float64{0, 1, 2},
			"[NaN NaN 6]", "time = t, value = value, 2 fields"},
		{"Excel, German", "Datum;Laufzeit\n01.01.2024;5,25\n02.01.2024;6,5\n", nil, []float64{0, 1}, "[5.25 6.5]",
			"time = Datum, value = Laufzeit, 2 fields, decimal commas"},
		{"by name", "a,b,c\nx,5,2024-01-01\ny,6,2024-01-02\n", func(o *RunOptions) {
			o.Columns = Columns{Time: "c", Value: "b"}
		}, []float64{0, 1}, "[5 6]", "time = c, value = b, 3 fields"},
		{"a cut last line", "t,value\n2024-01-01,5\n2024-01-02,6\n2024-01", nil, []float64{0, 1}, "[5 6]",
			"time = t, value = value, 2 fields"},
		{"Python's NaN", `{"t":["2024-01-01 00:00:00+00:00","2024-01-02"],"y":[NaN,Infinity]}`, nil, []float64{0, 1},
			"[NaN NaN]", ""},
		{"JSON milliseconds", `{"t":[1704067200000,1704153600000],"y":[5,6]}`, nil, []float64{0, 1}, "[5 6]", ""},
	} {
		o := DefaultRuns("f")
		if c.edit != nil {
			c.edit(&o)
		}
		all, reading, err := ReadRuns(strings.NewReader(c.text), o)
		if err != nil || len(all) != 1 || all[0].Bad {
			t.Errorf("%s: %+v, %v", c.name, all, err)
			continue
		}
		for i, d := range c.days {
			if len(all[0].T) != len(c.days) || math.Abs(all[0].T[i]-19723-d) > 1e-9 || !all[0].Calendar {
				t.Errorf("%s: times %v", c.name, all[0].T)
			}
		}
		if got := fmt.Sprint(all[0].Y); got != c.y || reading.Columns != c.reading {
			t.Errorf("%s: %s, %q", c.name, got, reading.Columns)
		}
	}
}

// A file in the form of apache/otava: every column of numbers is a series, with one owner.
func TestRunFilesOfSeveralValues(t *testing.T) {
	const otava = "time;commit;metric1;metric2\n2021.01.01 3:00:00 +0100;aaa0;154023;10.43\n2021.01.02 3:00:00 " +
		"+0100;aaa1;138455;10.23\n"
	all, reading, err := ReadRuns(strings.NewReader(otava), DefaultRuns("f"))
	if err != nil || len(all) != 2 || all[0].ID != "metric1" || all[1].Y[1] != 10.23 ||
		all[1].Meta["commit"][0] != "aaa0" ||
		reading.Columns != "time = time, values = metric1, metric2, 4 fields" {
		t.Fatalf("%+v, %q, %v", all, reading.Columns, err)
	}
	if owned := WithOwners(all); owned[0].User == "" || owned[0].User != owned[1].User {
		t.Errorf("owners %q and %q", owned[0].User, owned[1].User)
	}
	o := DefaultRuns("f")
	o.Columns.Parameter = "nodes"
	all, reading, err = ReadRuns(strings.NewReader("t,nodes,value\n2,1,5\n1,1,4\n1,2,3\n"), o)
	if err != nil || len(all) != 2 || all[0].ID != "nodes=1" || !slices.Equal(all[0].Y, []float64{4, 5}) ||
		!slices.Equal(all[0].Order, []int{1, 0}) ||
		all[1].Y[0] != 3 || reading.Columns != "time = t, value = value, a series for each nodes, 3 fields" {
		t.Fatalf("%+v, %q, %v", all, reading.Columns, err)
	}
}

func TestInfiniteIsMissing(t *testing.T) {
	in := readRuns(t, "t,value\n1,inf\n2,1e999\n3,4\n", nil)[0]
	if !math.IsNaN(in.Y[0]) || !math.IsNaN(in.Y[1]) || in.Y[2] != 4 ||
		!slices.Equal(runCodes(in), []note.Code{note.UnusableValue}) {
		t.Errorf("%+v", in)
	}
}

func TestRunLimits(t *testing.T) {
	for name, c := range map[string]struct {
		at   string
		text string
		edit func(*Limits)
	}{
		"bytes":      {"f: ", "t,value\n1,2\n3,4\n", func(l *Limits) { l.Bytes = 12 }},
		"runs":       {"f:3: ", "t,value\n1,2\n3,4\n", func(l *Limits) { l.Rows = 1 }},
		"columns":    {"f:1: ", "t,value,a,b\n", func(l *Limits) { l.Columns = 3 }},
		"line":       {"f:1: ", `{"t":[1],"y":[2]}`, func(l *Limits) { l.Line = 10 }},
		"line runs":  {"f:1: ", `{"t":[1,2],"y":[2,3]}`, func(l *Limits) { l.Rows = 1 }},
		"series":     {"f:2: ", "{\"t\":[1],\"y\":[2]}\n{\"t\":[1],\"y\":[2]}", func(l *Limits) { l.Series = 1 }},
		"line bytes": {"f", `{"t":[1],"y":[2]}`, func(l *Limits) { l.Bytes = 10 }},
	} {
		o := DefaultRuns("f")
		c.edit(&o.Limits)
		if _, _, err := ReadRuns(strings.NewReader(c.text), o); !errors.Is(err, errTooLarge) ||
			!strings.HasPrefix(err.Error(), c.at) {
			t.Errorf("%s: %v, want %s", name, err, c.at)
		}
	}
	in := readRuns(t, "t,value,a,b\n1,2,x,y\n", func(o *RunOptions) { o.Limits.Columns = 4 })
	if len(in[0].Meta) != 2 {
		t.Errorf("as many columns as may be: %+v", in[0])
	}
}

// A file that cannot be read to its end is an error, not a shorter file.
func TestRunsReadFails(t *testing.T) {
	broken := errors.New("disk")
	for _, text := range []string{"", "t,value\n1,2\n", `{"t":[1],"y":[2]}` + "\n"} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if _, _, err := ReadRuns(r, DefaultRuns("f")); !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// For any input, the returned series have lists of one length, in the order of time, with each run once.
func FuzzRuns(f *testing.F) {
	for _, s := range []string{
		"t,value,a,start,nodes\n1,2,x,3,n1 n2\n2,,y,4,\n", "t;value\n2026-11-05;1\n2026-11-04T00:00:00Z;2\n",
		`{"id":"a","t":[2,1],"y":[3,null],"start":[10,null],"also":{"cpu_s":[1,2]},"meta":{"v":["1",null]},"nodes":[["x"],` +
			`null]}`,
		`{"t":["2026-11-05",1],"y":[1,2]}` + "\n{}", "# c\n{\"id\":1,\"t\":[],\"y\":[]}\n", "1,2\n\"",
		"\xef\xbb\xbft,value\n1e999,1\n",
		`window.BENCHMARK_DATA = {"entries":{"s":[{"commit":{"id":"a"},"date":1704067200000,` +
			`"benches":[{"name":"b","value":5,"unit":"ns"}]}]}}`,
		`{"results":[{"command":"sleep 1","times":[1,null]}]}`, "{\n}", pytestSession, googleSession, asvSession,
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, seconds bool) {
		o := DefaultRuns("f")
		o.Limits = Limits{Bytes: 1 << 16, Document: 1 << 15, Line: 1 << 14, Rows: 1 << 10, Values: 1 << 13, Series: 100,
			Columns: 20}
		if seconds {
			o.Unit = Seconds
		}
		all, _, err := ReadRuns(strings.NewReader(string(text)), o)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("error without the file's name: %v", err)
			}
			return
		}
		for _, in := range all {
			checkRuns(t, in)
		}
	})
}

func checkRuns(t *testing.T, in Runs) {
	t.Helper()
	n := len(in.Y)
	if in.Bad {
		if n != 0 && len(in.Notes) == 0 {
			t.Fatalf("bad without a word: %+v", in)
		}
		return
	}
	if len(in.T) != n || len(in.Given) != n || in.Y == nil || in.Order != nil && len(in.Order) != n ||
		in.Start != nil && len(in.Start) != n || in.Nodes != nil && len(in.Nodes) != n {
		t.Fatalf("lists differ in length: %+v", in)
	}
	for i := range n {
		if math.IsNaN(in.T[i]) || math.IsInf(in.Y[i], 0) || i > 0 && in.T[i] < in.T[i-1] {
			t.Fatalf("run %d: %+v", i, in)
		}
	}
	seen := slices.Clone(in.Order)
	slices.Sort(seen)
	for i, v := range seen {
		if i != v {
			t.Fatalf("order %v", in.Order)
		}
	}
	for name, v := range in.Also {
		if len(v) != n {
			t.Fatalf("also %s", name)
		}
	}
	for name, v := range in.Meta {
		if len(v) != n {
			t.Fatalf("meta %s", name)
		}
	}
	if _, err := json.Marshal(in.Given); err != nil {
		t.Fatal(err)
	}
}

// Both formats with 100,000 runs, metadata and nodes.
func BenchmarkRuns(b *testing.B) {
	const n = 100_000
	var table strings.Builder
	table.WriteString("t,value,cpu_s,binary,nodes\n")
	line := map[string]any{"id": "a"}
	ts, y, meta, nodes := make([]float64, n), make([]float64, n), make([]string, n), make([][]string, n)
	for i := range n {
		ts[i], y[i], meta[i], nodes[i] = float64(i)/10, 10+float64(i%7)/10, "4c1d7a2", []string{"n1", "n2", "n3"}
		fmt.Fprintf(&table, "%.1f,%.3f,%.3f,%s,n[1-3]\n", ts[i], y[i], y[i], meta[i])
	}
	line["t"], line["y"], line["also"], line["meta"], line["nodes"] = ts, y, map[string]any{"cpu_s": y},
		map[string]any{"binary": meta}, nodes
	text, err := json.Marshal(line)
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range map[string]string{"csv": table.String(), "lines": string(text)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				if all, _, err := ReadRuns(strings.NewReader(s), DefaultRuns("f")); err != nil || len(all[0].Y) != n {
					b.Fatal(err)
				}
			}
		})
	}
}

// Documents of other tools: a series for each benchmark or command.
func TestRunDocuments(t *testing.T) {
	entries := `{"lastUpdate":1,"entries":{"Go":[
		{"commit":{"id":"c1","timestamp":"2024-01-01T00:00:00Z"},"date":1704067200000,"tool":"go",
		 "benches":[{"name":"A","value":5,"unit":"ns/op"}]},
		{"commit":{"id":"c2"},"date":1704153600000,"tool":"go",
		 "benches":[{"name":"A","value":6,"unit":"ns/op"},{"name":"B","value":1}]}]}}`
	for name, text := range map[string]string{
		"page":     "window.BENCHMARK_DATA = " + entries + ";\n",
		"one line": strings.ReplaceAll(entries, "\n", ""),
	} {
		all, reading, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
		if err != nil || len(all) != 2 || all[0].ID != "A" || !slices.Equal(all[0].Y, []float64{5, 6}) || !all[0].Calendar ||
			!slices.Equal(all[0].T, []float64{19723, 19724}) || !slices.Equal(all[0].Meta["commit"], []string{"c1", "c2"}) ||
			all[0].Unit != "ns/op" || all[1].T[0] != 19724 || reading.Columns == "" {
			t.Errorf("%s: %+v, %+v, %v", name, all, reading, err)
		}
	}
	results := "{\n \"results\": [{\"command\": \"sleep 1\", \"mean\": 1.1, \"times\": [1, 1.2]}]\n}\n"
	all, _, err := ReadRuns(strings.NewReader(results), DefaultRuns("f"))
	if err != nil || len(all) != 1 || all[0].ID != "sleep 1" || !slices.Equal(all[0].Y, []float64{1, 1.2}) ||
		!slices.Equal(all[0].T, []float64{0, 1}) {
		t.Errorf("hyperfine: %+v, %v", all, err)
	}
	for text, want := range map[string]string{
		"{\n \"a\": 1\n}\n":                            "f:1: read series: the JSON document contains no runs",
		"{\n \"results\": 5}":                          "f:1: read series: the JSON document contains no runs",
		"window.BENCHMARK_DATA = {":                    "f:1: read series: the JSON document is malformed",
		"command,mean,stddev,median\nsleep 1,1,.1,1\n": "f:1: the file has statistics",
	} {
		_, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("f"))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
