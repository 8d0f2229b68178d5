package table

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
)

// Files of samples in the forms that other tools and people write are read.
func TestSampleFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		options    SampleOptions
		step       float64
		want       string // values of the columns
		reading    string
	}{
		{"time behind the value", "power,time\n5,0\n6,0.5\n7,1\n", SampleOptions{}, .5, "[5 6 7]",
			"time = time, value = power, 2 fields"},
		{"blanks", "t_s   x\n0 1\n1    2\n", SampleOptions{}, 1, "[1 2]", "time = t_s, value = x, 2 fields"},
		{"numpy's header in a comment", "# t_s x\n0 1\n1 2\n", SampleOptions{}, 1, "[1 2]",
			"time = t_s, value = x, 2 fields"},
		{"no header", "0,1\n1,2\n", SampleOptions{}, 1, "[1 2]", "time = column 1, value = column 2, 2 fields"},
		{"trailing commas", "t_s,x,\n0,1,\n1,2,\n", SampleOptions{}, 1, "[1 2]", "time = t_s, value = x, 2 fields"},
		{"Excel, German", "Zeit;x\n0;1,5\n0,5;2,5\n", SampleOptions{}, .5, "[1.5 2.5]",
			"time = Zeit, value = x, 2 fields, decimal commas"},
		{"milliseconds by name", "t_ms\tx\n0\t1\n20\t2\n", SampleOptions{}, .02, "[1 2]",
			"time = t_ms (milliseconds), value = x, 2 fields"},
		{"epoch milliseconds", "timestamp,x\n1704067200000,1\n1704067200020,2\n", SampleOptions{}, .02, "[1 2]",
			"time = timestamp (milliseconds), value = x, 2 fields"},
		{"epoch microseconds", "timestamp,x\n1704067200000000,1\n1704067200020000,2\n", SampleOptions{}, .02, "[1 2]",
			"time = timestamp (microseconds), value = x, 2 fields"},
		{"nvidia-smi", "timestamp, utilization.gpu [%], power.draw [W], name\n2024/01/01 12:00:00.000, 45 %, 71.51 W, " +
			"H100\n" +
			"2024/01/01 12:00:01.000, [N/A], [Not Supported], H100\n2024/01/01 12:00:02.000, 46 %, 72.00 W, H100\n",
			SampleOptions{}, 1,
			"[45 NaN 46] [71.51 NaN 72]", "time = timestamp, values = utilization.gpu [%], power.draw [W], 4 fields"},
		{"perf stat -I 100 -x,", "# started on Mon Jan  1 12:00:00 2024\n\n     0.100100,5,,cycles,100,100.00,,\n     " +
			"0.100100,<not counted>,,instructions,0,0.00,,\n" +
			"     0.200100,7,,cycles,100,100.00,,\n     0.200100,8,,instructions,100,100.00,,\n", SampleOptions{}, .1,
			"[5 7] [NaN 8]", "time = perf's interval, values = cycles, instructions, 3 fields"},
		{"one event of perf", "0.1,5,,cycles,100,100.00,,\n0.1,6,,instructions,0,0.00,,\n0.2,7,,cycles,100,100.00,,\n",
			SampleOptions{Columns: Columns{Value: "cycles"}}, .1,
			"[5 7]", "time = perf's interval, value = cycles, 2 fields"},
		{"columns by name", "a,b,c\n9,0,1\n7,1,2\n", SampleOptions{Columns: Columns{Time: "b", Value: "c"}}, 1, "[1 2]",
			"time = b, value = c, 3 fields"},
		{"no times", "x\n5\n6\n", SampleOptions{RateHz: 2}, .5, "[5 6]", "time = row number / rate, value = x, 1 field"},
		{"a cut last line", "t_s,x,y\n0,1,2\n1,2,3\n2,3", SampleOptions{}, 1, "[1 2] [2 3]",
			"time = t_s, values = x, y, 3 fields"},
		{"quotes with line ends", "t_s,x,note\n0,1,\"a\nb\"\n1,2,\"c, d\"\n", SampleOptions{}, 1, "[1 2]",
			"time = t_s, value = x, 3 fields"},
	} {
		c.options.Name = "f"
		got, err := ReadSamples(strings.NewReader(c.text), c.options)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var values []string
		for _, col := range got.Set.Columns {
			v := append([]float32{}, col.Values...)
			for i := range v {
				v[i] += float32(got.Offsets[len(values)])
			}
			values = append(values, fmt.Sprint(v))
		}
		if s := strings.Join(values, " "); s != c.want || got.Set.StepS < .999*c.step || got.Set.StepS > 1.001*c.step ||
			got.Columns != c.reading {
			t.Errorf("%s: %s step %v, %q\nwant %s step %v, %q", c.name, s, got.Set.StepS, got.Columns, c.want, c.step, c.reading)
		}
	}
}

// An input that ends too early is read up to its end, with one message.
func TestCutInputs(t *testing.T) {
	text := "t_s,x\n0,1\n1,2\n2,345\n3,4\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, text[:18])
	_ = z.Flush()
	for name, c := range map[string]struct {
		r    io.Reader
		want string
		n    int
	}{
		"complete":     {strings.NewReader(text), "", 4},
		"no last end":  {strings.NewReader(text[:len(text)-1]), "", 4},
		"cut behind ,": {strings.NewReader(text[:len(text)-2]), "", 4}, // an empty cell is a missing value
		"cut time": {strings.NewReader(text[:len(text)-3]),
			"the input ends within line 5, only the lines before were read: write it again", 3},
		"incomplete gzip": {unpacked(t, packed.Bytes()),
			"the compressed file is cut off in line 4, only the lines before were read: copy it again", 2},
	} {
		got, err := ReadSamples(c.r, SampleOptions{Name: "f"})
		if err != nil || got.Cut != c.want || got.Set.Len() != c.n {
			t.Errorf("%s: %d samples, %q, %v; want %d, %q", name, got.Set.Len(), got.Cut, err, c.n, c.want)
		}
	}
}

func unpacked(t *testing.T, b []byte) io.Reader {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Missing values at the start of a column say nothing about its unit; a unit that changes later is an error.
func TestUnitAfterMissingValues(t *testing.T) {
	limits := Limits{Bytes: 1 << 16, Document: 1 << 15, Line: 1 << 14, Rows: 1 << 10, Values: 1 << 13, Series: 100,
		Columns: 100}
	for text, want := range map[string]string{
		"date,load\n2026-01-01,N/A\n2026-01-02,45 %\n2026-01-03,46 %\n": "",
		"date,load\n2026-01-01,N/A\n2026-01-02,5\n2026-01-03,46 %\n": `f:4: column load: the unit of "46 %" differs from ` +
			"that of the rows before: use one unit",
	} {
		got, _, err := ReadRuns(strings.NewReader(text), RunOptions{Name: "f", Limits: limits})
		complaint := ""
		if err != nil {
			complaint = err.Error()
		}
		if complaint != want || want == "" && (len(got) != 1 || got[0].Unit != "%") {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
	rows := "nodes,time\n1,N/A\n1,8 ms\n2,5 ms\n4,3 ms\n"
	if _, err := ReadMeasurements(strings.NewReader(rows), MeasurementOptions{Name: "f", Limits: limits}); err != nil {
		t.Errorf("%q: %v", rows, err)
	}
}

// A file that does not contain numbers is an error that says what to do.
func TestNoTables(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfet\x00,\x00": "f: read: the file is UTF-16: save it as UTF-8",
		"PK\x03\x04\x14, ":   "f: read: the file is a spreadsheet or a zip file: save the sheet as CSV",
		"a,b\n5,x\n4,y\n": "f: no column of times among a, b: name one with --time, or give the rate " +
			"with --rate",
		"t_s,x\n0,5 MB\n1,6 GB\n": `f:3: column x: the unit of "6 GB" differs from that of the rows before: use one unit`,
		"date,x\n1/2/2024,5\n3/2/2024,5\n": `f:2: parse the time of the row: the date "1/2/2024" is ambiguous ` +
			`(day or month first?): write year-month-day`,
	} {
		if _, err := ReadSamples(strings.NewReader(text), SampleOptions{Name: "f"}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
