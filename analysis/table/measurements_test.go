package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"jobgait/analysis/note"
	"jobgait/analysis/scaling"
)

// show writes a series so that a test can name it in one line.
func show(s scaling.Series) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%s,%s]", s.ID, s.Parameter, s.Metric)
	if s.Mode != "" {
		fmt.Fprintf(&b, "{%s}", s.Mode)
	}
	for _, o := range s.Observations {
		fmt.Fprintf(&b, " %g:%g", o.P, o.Value)
		if o.Group != "" {
			fmt.Fprintf(&b, "@%s", o.Group)
		}
		if o.NodeHours != 0 {
			fmt.Fprintf(&b, "$%g", o.NodeHours)
		}
	}
	return b.String()
}

func read(s string) (Measurements, error) {
	return ReadMeasurements(strings.NewReader(s), DefaultMeasurements("in"))
}

const legacyDocument = `{"measurements":[{"id":1,"metric_id":1,"coordinate_id":2,"callpath_id":1,"value":4},
{"id":2,"metric_id":1,"coordinate_id":1,"callpath_id":1,"value":"2.5"},{"id":3,"metric_id":1,"coordinate_id":1,` +
	`"callpath_id":1,"value":3}],
"coordinates":[{"id":1,"parameter_value_pairs":[{"parameter_id":1,"parameter_value":"8"}]},{"id":2,` +
	`"parameter_value_pairs":[{"parameter_id":1,"parameter_value":16}]}],
"callpaths":[{"id":1,"name":"solve"}],"metrics":[{"id":1,"name":"time"}],"parameters":[{"id":1,"name":"p"}]}`

// grid is 3 x 3 points of two parameters in Extra-P's text.
const grid = "PARAMETER p n\nPOINTS (1 10) (2 10) (4 10) (1 20) (2 20) (4 20) (1 40) (2 40) (8 40)\nMETRIC " +
	"t\nREGION r\n" +
	"DATA 1\nDATA 2\nDATA 3\nDATA 4\nDATA 5\nDATA 6\nDATA 7\nDATA 8\nDATA 9\n"

func TestMeasurements(t *testing.T) {
	for _, c := range []struct {
		in     string
		format Format
		want   string // series, separated by " / "
	}{
		{"# made here\nparam,rep,value\n1,1,5\n2,1,6.5\n2,2,nan\n", CSV, "0[param,value] 1:5 2:6.5 2:NaN"},
		{"1,1,5\n2,1,6", CSV, "0[param,value] 1:5 2:6"},
		{"\xef\xbb\xbf1,5\r\n\r\n2,6\r\n", CSV, "0[param,value] 1:5 2:6"},
		{"1 5\n2   6\n", CSV, "0[param,value] 1:5 2:6"},
		{"1;5\n2;\n", CSV, "0[param,value] 1:5 2:NaN"},
		{"param\tvalue\n1\t5\n", CSV, "0[param,value] 1:5"},
		{"param,value\n1,1e999\n", CSV, "0[param,value] 1:+Inf"},
		{"time_s,nodes\n16,2\n8,4\n", CSV, "0[nodes,time_s] 2:16 4:8"},
		{"elapsed,ranks\n00:01:50,2\n00:00:55,4\n", CSV, "0[ranks,elapsed] 2:110 4:55"},
		{"param,,value\n1,7,2\n", CSV, "0[param,value] 1:2"},
		{"n;nodes;time\n10;1;1,5\n10;2;1\n10;4;0,5\n20;1;3\n20;2;2\n20;4;1\n", CSV,
			"(n=10)[nodes,time] 1:1.5 2:1 4:0.5 / (n=20)[nodes,time] 1:3 2:2 4:1"},
		{"nodes,ranks,time\n1,4,8\n2,8,4\n", CSV, "0[nodes,time] 1:8 2:4"},
		{"mpi,variable,Ranks,N,mean,sd,median,kind\nI,Bar,32,1600,13.2,19.4,11.2,SD\n" +
			"I,Bar,64,1998,16.5,41.8,14.3,IQR\nO,Red,32,1601,3,1,2,SD\nO,Red,64,1602,4,1,2,SD\n", CSV,
			"I Bar[Ranks,mean] 32:13.2 64:16.5 / O Red[Ranks,mean] 32:3 64:4"},
		{"JobID|NNodes|Elapsed|Start|State|\n" +
			"7|2|00:01:50|2024-01-01T02:00:00|COMPLETED|\n" +
			"8|4|00:00:55|2024-01-01T03:00:00|COMPLETED|\n", CSV, "0[NNodes,Elapsed] 2:110 4:55"},
		{`{"parameters":{"x":20};"metric":"time";"callpath":"a;b";"value":82.5}` + "\n" +
			`{"parameters":{"x":30};"metric":"time";"callpath":"a;b";"value":NaN}`, Talpas,
			"a;b[x,time] 20:82.5 30:NaN"},
		{`{"params":{"p":1},"value":NaN}` + "\n" + `{"params":{"p":2},"value":[6,-Infinity]}`, ExtraPLines,
			"<root>[p,<default>] 1:NaN 2:6 2:-Inf"},
		{`{"results":[{"command":"sleep 1","mean":1.5,"times":[1,2],"parameters":{"threads":"1"}},{"command":"sleep 2",` +
			`"mean":3,"parameters":{"threads":"2"}}]}`, Hyperfine,
			"time[threads,time] 1:1 1:2 2:3"},
		{`{"context":{"date":"x"},"benchmarks":[{"name":"BM_Sort/8","run_type":"iteration","real_time":5,"time_unit":"ms"},` +
			`{"name":"BM_Sort/16","run_type":"iteration","real_time":11,"time_unit":"ms"},{"name":"BM_Sort/16_mean",` +
			`"run_name":"BM_Sort/16","run_type":"aggregate","real_time":11}]}`,
			GoogleBenchmark, "BM_Sort[argument,real_time_s] 8:0.005 16:0.011"},
		{"param,value\n0,5\n-1,5\n1,-3\n1,inf\n", CSV, "0[param,value] 0:5 -1:5 1:-3 1:+Inf"},
		{"nodes, step_s, elapsed_s\n4,1,50\n8,2,30\n", CSV,
			"step_s[nodes,step_s] 4:1 8:2 / elapsed_s[nodes,elapsed_s] 4:50 8:30"},
		{"nodes,day,node_hours,value\n4,mon,1.5,7\n8,tue,,6\n", CSV, "0[nodes,value] 4:7@mon$1.5 8:6@tue"},
		{"series,p,value\na,1,2\nb,1,3\n\"a\",2,4\n", CSV, "a[p,value] 1:2 2:4 / b[p,value] 1:3"},
		{"series,p,value\na ,1,2\n a,2,4\n", CSV, "a[p,value] 1:2 2:4"},
		{"series,metric,p,value\na,time,1,2\na,energy,1,3\n", CSV, "a|time[p,time] 1:2 / a|energy[p,energy] 1:3"},
		{`{"id":7,"p":[1,2,4],"y":[3,[4,null],[]],"s":"more"}` + "\n\n" +
			`{"p":[1],"y":[2],"mode":"weak","parameter":"nodes","metric":"step_s","node_hours":[2],"group":[["mon"]]}`,
			SeriesLines, "7[,] 1:3 2:4 2:NaN 4:NaN / 2[nodes,step_s]{weak} 1:2@mon$2"},
		{`{"id":"x","p":[1,2],"y":[null,[4,5]],"group":["a",["b",3]],"node_hours":[null,4]}`, SeriesLines,
			"x[,] 1:NaN@a 2:4@b$4 2:5@3$4"},
		{`{"p":[],"y":[]}`, SeriesLines, "0[,]"},
		{"# c\nPARAMETER p\nPOINTS 1 2 4\nMETRIC time\nREGION a\nDATA 1 2\nDATA 3 4\nDATA 5 6\nREGION b->c\nDATA 1\nDATA " +
			"nan\nDATA 3\n", ExtraPText,
			"a[p,time] 1:1 1:2 2:3 2:4 4:5 4:6 / b->c[p,time] 1:1 2:NaN 4:3"},
		{"PARAMETER\tp\nPOINTS ( 1 ) ( 2 )\nPOINTS ((4)(8))\nDATA 1\nDATA 2\nDATA 3\nDATA 4\n", ExtraPText,
			"0[p,] 1:1 2:2 4:3 8:4"},
		{"PARAMETER p\nPOINTS 1 2\nREGION a\nMETRIC t\nDATA 1\nDATA 2\nMETRIC e\nDATA 3\nDATA 4\n", ExtraPText,
			"a|t[p,t] 1:1 2:2 / a|e[p,e] 1:3 2:4"},
		{grid, ExtraPText, "r (n=10)[p,t] 1:1 2:2 4:3 / r (n=20)[p,t] 1:4 2:5 4:6 / r (n=40)[p,t] 1:7 2:8 8:9 / r " +
			"(p=1)[n,t] 10:1 20:4 40:7 / r (p=2)[n,t] 10:2 20:5 40:8"},
		{"PARAMETER p n\nPOINTS (1 10) (2 10)\nDATA 1\nDATA 2\n", ExtraPText, "0[p,] 1:1 2:2"},
		{"PARAMETER p n\nPOINTS (1 10) (1 20)\nDATA 1\nDATA 2\n", ExtraPText, "0[n,] 10:1 20:2"},
		{`{"parameters":["p"],"measurements":{"a":{"t":[]},"b":{"t":[{"point":1,"values":9}]}}}`, ExtraPJSON, "b[p,t] 1:9"},
		{`{"parameters":["p"],"measurements":{"main":{"time":[{"point":[1],"values":[1,2]},{"point":[2],"values":[null]}],` +
			`"flop":[{"point":1,"values":9}]}}}`, ExtraPJSON,
			"main|time[p,time] 1:1 1:2 2:NaN / main|flop[p,flop] 1:9"},
		{"{\"measurements\": {\"main\": {\"\": [\n{\"point\": [2], \"values\": [3]}]}},\n \"x\": [1, {}], \"parameters\": " +
			"[\"p\"]}\n", ExtraPJSON, "main[p,] 2:3"},
		{legacyDocument, ExtraPLegacyJSON, "solve[p,time] 16:4 8:2.5 8:3"},
		{`{"params":{"p":1},"value":5}` + "\n" + `{"params":{"p":2},"value":[6,7]}` + "\n" +
			`{"params":{"p":1},"value":8,"callpath":"f","metric":"t"}`, ExtraPLines,
			"<root>|<default>[p,<default>] 1:5 2:6 2:7 / f|t[p,t] 1:8"},
	} {
		f, err := read(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var got []string
		for _, s := range f.Series {
			got = append(got, show(s))
		}
		if g := strings.Join(got, " / "); g != c.want || f.Format != c.format {
			t.Errorf("%q:\n got %s, %s\nwant %s, %s", c.in, f.Format, g, c.format, c.want)
		}
	}
}

func TestNumbersStayNumbers(t *testing.T) {
	f, err := read(`{"id":7,"p":[1],"y":[3]}` + "\n" + `{"id":"7","p":[1],"y":[3]}` + "\n" + `{"p":[1],"y":[3]}`)
	if err != nil || fmt.Sprint(f.Numbers) != "[true false false]" {
		t.Errorf("%v, %v", f.Numbers, err)
	}
}

func TestCombinationsLeftOut(t *testing.T) {
	f, err := read(grid)
	if err != nil || f.Left != 2 { // p = 4 and p = 8 vary too little
		t.Errorf("%d left out, want 2: %v", f.Left, err)
	}
}

func TestMalformedMeasurements(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "in: the file has no data: want CSV"},
		{"\n# nothing\n", "in: the file has no data: want CSV"},
		{"param,value\n", "in:1: the file has a header"},
		{"param,rep,value\n1,1,5\n# c\n2,1,x\n", `in:4: column value: invalid value "x": want a number`},
		{"1," + strings.Repeat("x", 41) + "\n", `in:1: column value: invalid value "` + strings.Repeat("x", 40) + `..."`},
		{"param,rep,value\n1,1\n", "in:2: the line has 2 fields but the header has 3"},
		{"param,value\n,5\n", "in:2: the line has no value for the parameter param: want a number"},
		{"1,2,3,4\n", "in:1: 4 columns without a header"},
		{"x,2\n", `in:1: column param: invalid value "x": want a number`},
		{"param,param,value\n1,1,1\n", `in:1: the header has column "param" twice`},
		{"param,size\na,b\n", "in:1: the header names no column"},
		{"param,rep\n1,1\n", "in:1: the header names no column"},
		{"param,value\n1,\"2\n", "in:2: a quote is not closed"},
		{"PARAMETER p\nPOINTS 1 2\nDATA 1\nDATA 2\nDATA 3\n", "in:5: the region has more DATA lines"},
		{"PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nREGION b\n", "in:5: the region before this line has 1 DATA line for"},
		{"PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\n", "in:4: the region before this line has 1 DATA line for"},
		{"PARAMETER p\nPOINTS 1 2\nDATA one\n", `in:3: invalid value "one" in the file: want a number`},
		{"PARAMETER p\nPOINTS 1 x\n", "in:2:"},
		{"PARAMETER p\nPOINTS (1 2) (3 4)\n", "in:2: a point has 2 values for 1 parameter"},
		{"PARAMETER p\nPOINTS (1) 2)\n", "in:2:"},
		{"PARAMETER p\nPOINTS ((1)\n", "in:2: the POINTS line has a '('"},
		{"PARAMETER p\nPOINTS (1) (2", "in:2: the POINTS line has a '(' without its ')'"},
		{"PARAMETER p\nPOINTS (1))\n", "in:2: the POINTS line has a ')' without its '('"},
		{"PARAMETER p\nPOINTS\n", "in:2: the POINTS line is empty"},
		{"PARAMETER a b c d e\n", "in:1: the PARAMETER lines name too many parameters: want at most 4"},
		{"PARAMETER\n", "in:1: the PARAMETER line is empty"},
		{"POINTS 1 2\n", "in:1: POINTS precedes PARAMETER"},
		{"DATA 1\n", "in:1: DATA precedes POINTS"},
		{"PARAMETER p\nPOINTS 1\nDATA\n", "in:3: the DATA line is empty"},
		{"PARAMETER p\nPOINTS 1\nPARAMETER q\n", "in:3: PARAMETER follows POINTS"},
		{"PARAMETER p\nPOINT 1\n", `in:2: unknown keyword "POINT"`},
		{"PARAMETER p\nPOINTS 1\n", "in: the file has no measurements"},
		{`{"p":[1],"y":[1]}` + "\n" + `{"p":[1],"y":[Nan]}` + "\n", "in:2: read series:"},
		{`{"p":[1],"y":[1]}` + "\n" + `{"p":[1],` + "\n", "in:2: read series:"},
		{`{"schema":"jobgait.scaling/1","series":[]}`, "in:1: the file is a JSON result"},
		{`{"a":1}`, "in:1: no measurements in this object"},
		{`[1,2]`, "in:1: the file is a JSON list"},
		{`{"params":{"p":1},"value":5}` + "\n" + `{"params":{"q":1},"value":5}`,
			`in:2: read the measurement: the line lacks parameter "p"`},
		{`{"params":{"p":1},"value":5}` + "\n" + `{"params":{"p":1,"q":2},"value":5}`,
			"in:2: read the measurement: the line has 2 parameters but the first"},
		{`{"params":{"p":1}}`, `in:1: read the measurement: the line lacks "value"`},
		{`{"params":{"p":"x"},"value":1}`, "in:1: read the measurement: the file has a JSON string"},
		{`{"params":{"p":1},"value":"x"}`, "in:1: read the measurement: the file has a JSON string"},
		{`{"params":{"p":1},"value":[1,"x"]}`, "in:1: read the measurement: the file has a JSON string"},
		{`{"params":[1],"value":1}`, "in:1: read the measurement: \"params\" must be an object of parameters and their " +
			"values"},
		{`{"params":{"p":1,"p":2},"value":1}`,
			"in:1: read the measurement: the line gives parameter \"p\" twice: write it once"},
		{`{"params":{},"value":1}`, "in:1: read the measurement: the measurement has an empty"},
		{`{"params":{"p":1},"value":}`, "in:1: Extra-P JSON:"},
		{"{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":{\"t\":[\n{\"point\":[1],\"values\":[1]},\n" +
			"{\"point\":[1,2],\"values\":[1]}]}}}", "in:4: Extra-P JSON: the point has 2 values but"},
		{"{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":{\"t\":[\n{\"point\":[1]}]}}}",
			"in:3: Extra-P JSON: a measurement has a point but no"},
		{"{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":\n[]}}",
			"in:3: Extra-P JSON: the file has another JSON value here: want an object"},
		{"{\"parameters\":[\"p\"],\n\"measurements\":{", "in:2: Extra-P JSON: the JSON is malformed: unexpected end"},
		{"{\"parameters\":[\"p\"],\n\"measurements\":{}}\nx", "in:3: Extra-P JSON:"},
		{"{\"parameters\":[\"p\"],\n\"measurements\":{}}", "in: the file has no measurements"},
		{"{\"measurements\":{}}", "in:1: Extra-P JSON: the JSON document lacks \"parameters\""},
		{strings.Replace(legacyDocument, `"coordinate_id":2`, `"coordinate_id":3`, 1),
			"in:1: Extra-P JSON: a measurement has coordinate_id 3"},
		{strings.Replace(legacyDocument, `"callpath_id":1,"value":"2.5"`, `"callpath_id":0,"value":"2.5"`, 1),
			"in:2: Extra-P JSON: a measurement has callpath_id 0"},
		{strings.Replace(legacyDocument, `"callpath_id":1,"value":"2.5"`, `"callpath_id":2,"value":"2.5"`, 1),
			"in:2: Extra-P JSON: a measurement has callpath_id 2"},
		{strings.Replace(legacyDocument, `"metric_id":1`, `"metric_id":0`, 1),
			"in:1: Extra-P JSON: a measurement has metric_id 0"},
		{strings.Replace(legacyDocument, `"metric_id":1`, `"metric_id":2`, 1),
			"in:1: Extra-P JSON: a measurement has metric_id 2"},
		{strings.Replace(legacyDocument, `"2.5"`, `"x"`, 1), `in:2: Extra-P JSON: invalid value "x" in the file`},
		{strings.Replace(legacyDocument, `"parameter_id":1`, `"parameter_id":2`, 1),
			"Extra-P JSON: coordinate 1 has no value for parameter 1"},
		{"PARAMETER p n\nPOINTS (1 1) (2 2) (3 3)\nDATA 1\nDATA 2\nDATA 3\n", "in: p and n vary together"},
	} {
		f, err := read(c.in)
		if err == nil {
			t.Errorf("%q: no error but %v", c.in, f)
		} else if !strings.HasPrefix(err.Error(), c.want) &&
			!(strings.HasPrefix(c.want, "Extra-P") && strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v\nwant %s", c.in, err, c.want)
		}
	}
}

// TestBadMeasurementSeries checks that a whole object which holds no series keeps its place
// among the others.
func TestBadMeasurementSeries(t *testing.T) {
	const good = `{"p":[1],"y":[1]}` + "\n"
	for line, want := range map[string]string{
		`{"id":"x","p":[1,2],"y":[1]}`:                              `"p" has 2 entries and "y" has 1`,
		`{"id":"x","p":[1],"y":["a"]}`:                              `a JSON string for "y", want a number`,
		`{"id":"x","p":1,"y":[1]}`:                                  `a JSON number for "p", want a list`,
		`{"id":"x","p":[1],"y":[true]}`:                             `a JSON bool for "y", want a number`,
		`{"id":"x","p":[1],"y":[false]}`:                            `a JSON bool for "y", want a number`,
		`{"id":"x","p":[1],"y":[{}]}`:                               `a JSON object for "y", want a number`,
		`{"id":"x","p":[1],"y":[1],"group":1}`:                      `a JSON number for "group", want a list`,
		`{"id":"x","p":[[1,2]],"y":[1]}`:                            `point 0: "p" has a list`,
		`{"id":"x","p":[1],"y":[[[1]]]}`:                            `a JSON array for "y", want a number`,
		`{"id":"x","p":[1],"y":[1],"mode":"fast"}`:                  `mode "fast"`,
		`{"id":"x","p":[1],"y":[1],"group":["a","b"]}`:              `"p" has 1 entries and "group" has 2`,
		`{"id":"x","p":[1],"y":[[1,2,3]],"group":[["a","b"]]}`:      `point 0: "group" has another number`,
		`{"id":"x","p":[1],"y":[1],"node_hours":[1,2]}`:             `"p" has 1 entries and "node_hours" has 2`,
		`{"id":"x","p":[1],"y":[1],"parameter":{"name":"threads"}}`: `a JSON object for "parameter", want a text`,
	} {
		f, err := read(good + line + "\n" + good)
		if err != nil || len(f.Series) != 3 {
			t.Errorf("%s: %d series, %v", line, len(f.Series), err)
			continue
		}
		s := f.Series[1]
		if s.ID != "x" || len(s.Observations) != 0 || len(s.Notes) != 1 || s.Notes[0].Code != note.BadSeries ||
			!strings.Contains(s.Notes[0].Text, want) {
			t.Errorf("%s: %+v", line, s)
		}
		if f.Series[2].ID != "2" || len(f.Series[2].Observations) != 1 {
			t.Errorf("%s: the next is %+v", line, f.Series[2])
		}
	}
	if f, err := read(`{"p":[1],"y":[1],"id":[]}`); err != nil || f.Series[0].ID != "0" || len(f.Series[0].Notes) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// An input beyond a limit is an error, and no part of it is returned.
func TestTooMuch(t *testing.T) {
	tiny := DefaultMeasurements("in")
	tiny.Limits.Bytes = 100
	for _, in := range []string{strings.Repeat("1", 300), strings.Repeat("1,2\n", 50), "{\n" + strings.Repeat("\n", 300),
		strings.Repeat(`{"p":[1],"y":[1]}`+"\n", 9), "PARAMETER p\nPOINTS " + strings.Repeat("1 ", 100)} {
		f, err := ReadMeasurements(strings.NewReader(in), tiny)
		if err == nil || !strings.Contains(err.Error(), "the input is larger than") || f.Series != nil {
			t.Errorf("%.40q: %v, %v", in, f.Series, err)
		}
	}
}

// A file that cannot be read to its end is an error, not a shorter file.
func TestMeasurementsReadFails(t *testing.T) {
	broken := errors.New("disk")
	for _, text := range []string{"", "1,2\n", grid, "{\n", `{"p":[1],"y":[1]}` + "\n", `{"params":{"p":1},"value":5}` +
		"\n"} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if _, err := ReadMeasurements(r, DefaultMeasurements("in")); !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A line of 100,000 points is read.
func TestLongSeries(t *testing.T) {
	var p, y []string
	for i := range 100_000 {
		p, y = append(p, fmt.Sprint(i+1)), append(y, fmt.Sprint(math.Sqrt(float64(i))))
	}
	f, err := read(`{"p":[` + strings.Join(p, ",") + `],"y":[` + strings.Join(y, ",") + `]}`)
	if err != nil || len(f.Series) != 1 || len(f.Series[0].Observations) != 100_000 {
		t.Errorf("%d series, %v", len(f.Series), err)
	}
}

// The CSV of hyperfine names its parameter with a prefix, and has columns of statistics.
func TestHyperfineCSV(t *testing.T) {
	text := "command,mean,stddev,median,user,system,min,max,parameter_threads\na,3,.1,3,1,1,2,4,1\na,2,.1,2,1,1,1,3,2\n"
	file, err := ReadMeasurements(strings.NewReader(text), DefaultMeasurements("f"))
	if err != nil || len(file.Series) != 1 || len(file.Series[0].Observations) != 2 ||
		file.Series[0].Parameter != "parameter_threads" {
		t.Errorf("%+v, %v", file, err)
	}
}
