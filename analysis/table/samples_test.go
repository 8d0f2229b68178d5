package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

func codes(t Samples) string {
	s := ""
	for _, n := range t.Notes {
		s += string(n.Code) + " "
	}
	return strings.TrimSpace(s)
}

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rate       float64
		column     string
		step       float64
		want       string // of the first column
		notes      string
	}{
		{"plain", "t_s,x\n0,1\n0.5,2\n1,3\n", 0, "", 0.5, "[1 2 3]", ""},
		{"no last line end, CR", "t_s,x\r\n0,1\r\n0.5,2", 0, "", 0.5, "[1 2]", ""},
		{"byte order mark, quotes, comment", "\ufeff\"t_s\",\"x\"\n# made by hand\n0,\"1\"\n0.5, 2 \n", 0, "", 0.5, "[1 2]",
			""},
		{"blank lines", "t_s,x\n\n0,1\n\n0.5,2\n", 0, "", 0.5, "[1 2]", ""},
		{"blank lines, CR", "\r\nt_s,x\r\n\r\n0,1\r\n0.5,2\r\n", 0, "", 0.5, "[1 2]", ""},
		{"no whole rate", "t_s,x\n0,1\n0.4,2\n0.8,3\n", 0, "", 0.4, "[1 2 3]", ""},
		{"hole", "t_s,x\n10,1\n10.5,2\n12,5\n12.5,6\n", 0, "", 0.5, "[1 2 NaN NaN 5 6]", ""},
		{"missing words", "t_s,x\n0,\n1,nan\n2,null\n3,NA\n4,1e2\n", 0, "", 1, "[NaN NaN NaN NaN 100]", ""},
		{"one slot twice", "t_s,x\n0,1\n1,2\n1.1,4\n2,5\n3,6\n4,7\n5,8\n", 0, "", 1, "[1 3 5 6 7 8]", "rows_averaged"},
		{"missing beside present", "t_s,x\n0,1\n1,2\n1,\n2,5\n", 0, "", 1, "[1 2 5]", "rows_averaged"},
		{"unsorted", "t_s,x\n2,3\n0,1\n1,2\n3,4\n", 0, "", 1, "[1 2 3 4]", "unsorted"},
		{"rate given", "t_s,x\n0,1\n1,2\n", 2, "", 0.5, "[1 NaN 2]", ""},
		{"second column", "t_s,a,x\n0,z,1\n1,z,2\n", 0, "x", 1, "[1 2]", ""},
		{"infinite", "t_s,x\n0,inf\n1,-Infinity\n2,1e300\n3,1\n", 0, "", 1, "[NaN NaN NaN 1]", "infinite_values"},
		{"header only", "t_s,x\n", 0, "", 0, "[]", "no_rate"},
		{"one row", "t_s,x\n5,7\n", 0, "", 0, "[7]", "no_rate"},
		{"one time", "t_s,x\n5,7\n5,8\n", 0, "", 0, "[7.5]", "no_rate rows_averaged"},
		{"large", "t_s,x\n0,1e9\n1,1000000001\n2,999999999\n", 0, "", 1, "[0 1 -1]", ""},
		{"negative time", "t_s,x\n-1,1\n0,2\n1,3\n", 0, "", 1, "[1 2 3]", ""},
	} {
		got, err := ReadSamples(strings.NewReader(c.text),
			SampleOptions{Name: "f", RateHz: c.rate, Columns: Columns{Value: c.column}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s := fmt.Sprint(got.Set.Columns[0].Values); s != c.want || math.Abs(got.Set.StepS-c.step) > 1e-12 ||
			codes(got) != c.notes {
			t.Errorf("%s: %s step %v notes %q, want %s step %v notes %q", c.name, s, got.Set.StepS, codes(got), c.want, c.step,
				c.notes)
		}
	}
}

// The grid begins at the earliest time of all rows.
func TestBegin(t *testing.T) {
	for text, want := range map[string]float64{"t_s,x\n10,1\n11,2\n": 10, "t_s,x\n3,1\n-1,2\n1,2\n": -1,
		"t_s,x\n5,1\n": 5} {
		if got, err := ReadSamples(strings.NewReader(text), SampleOptions{}); err != nil || got.Set.StartS != want {
			t.Errorf("%q: begins at %v, %v; want %v", text, got.Set.StartS, err, want)
		}
	}
}

func TestCSVErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "empty",
		"\n\n":                            "f: the file has no data",
		"t_s\n1\n":                        "f:1: the file has no column besides the time",
		"t_s,x\n0,1\n1,abc\n":             `f:3: column x: invalid value "abc": want a number`,
		"t_s,x\n0,1\n1,2,3\n":             "f:3: the line has 3 fields but the header has 2",
		"t_s,x,y\n0,1\n":                  "f:2: the line has 2 fields but the header has 3",
		"t_s,x\n0\n":                      "f:2: the line has 1 field but the header has 2",
		"t_s,x\nnan,1\n":                  "f:2: time",
		"t_s,x\ninf,1\n":                  "f:2: time",
		"t_s,x\n,1\n":                     "f:2: time",
		"t_s,x\n0,0x10\n":                 "f:2: column x",
		"t_s,x,x\n0,1,2\n":                `f:1: the header has column "x" twice`,
		"t_s,x\n0,1\n1,2\n2,2\n1e15,3\n":  "4 rows span 1e+15 steps",
		"t_s,x\n-1e308,1\n1e308,2\n0,2\n": "3 rows span",
	} {
		_, err := ReadSamples(strings.NewReader(text), SampleOptions{Name: "f"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	// The same gap is accepted in one column and rejected in two.
	far := func(columns string) string { return "t_s" + columns + "\n0,1,1\n1,1,1\n1500000,1,1\n" }
	if _, err := ReadSamples(strings.NewReader(far(",x,y")), SampleOptions{RateHz: 2}); err == nil ||
		!strings.Contains(err.Error(), "3 rows span 3e+06 steps of 0.5 s") {
		t.Errorf("a hole: %v", err)
	}
	if got, err := ReadSamples(strings.NewReader(strings.ReplaceAll(far(",x"), ",1,1", ",1")),
		SampleOptions{RateHz: 2}); err != nil || got.Set.Len() != 3000001 {
		t.Errorf("a hole in one column: %v", err)
	}
	if _, err := ReadSamples(strings.NewReader("t_s,x\n0,1\n"),
		SampleOptions{Name: "f", Columns: Columns{Value: "y"}}); err == nil ||
		!strings.Contains(err.Error(), "the columns are t_s, x") {
		t.Errorf("missing column: %v", err)
	}
}

func TestGroups(t *testing.T) {
	got, err := ReadSamples(strings.NewReader("t_s,code:a,code:b,one:c,d\n0,1,2,3,4\n1,1,2,3,4\n"), SampleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"code", "code", "", ""} {
		unit := map[bool]string{true: "samples"}[want == "code"]
		if c := got.Set.Columns[i]; c.Group != want || c.Unit != unit {
			t.Errorf("column %d in group %q, unit %q", i, c.Group, c.Unit)
		}
	}
	only, err := ReadSamples(strings.NewReader("t_s,code:a,code:b,d\n0,1,2,x\n"),
		SampleOptions{Columns: Columns{Value: "code"}})
	if err != nil || len(only.Set.Columns) != 2 {
		t.Errorf("group by name: %v, %v", only, err)
	}
}

func float32s(v ...float32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v)
	return b
}

func TestFloat32(t *testing.T) {
	b := float32s(1, float32(math.NaN()), 0.1, float32(math.Inf(1)))
	got, err := ReadSamples(bytes.NewReader(b), SampleOptions{RateHz: 200})
	if err != nil || fmt.Sprint(got.Set.Columns[0].Values) != "[1 NaN 0.1 NaN]" || got.Set.StepS != 0.005 ||
		codes(got) != "infinite_values" ||
		!strings.HasPrefix(got.Notes[0].Text, "the file has 1 infinite") || got.Set.Columns[0].Name != "value" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := ReadSamples(bytes.NewReader(b[:12]),
		SampleOptions{RateHz: 200, Columns: Columns{Value: "power"}}); err != nil || len(got.Notes) != 0 ||
		got.Set.Columns[0].Name != "power" {
		t.Errorf("%v, %v", got, err)
	}
	// The comma suggests text, but text has no byte 1.
	if got, err := ReadSamples(strings.NewReader(",\x01,?"), SampleOptions{RateHz: 200}); err != nil ||
		got.Set.Len() != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ReadSamples(bytes.NewReader(b), SampleOptions{}); !errors.Is(err, ErrNoRate) {
		t.Errorf("without a rate: %v", err)
	}
	if _, err := ReadSamples(bytes.NewReader(b[:7]), SampleOptions{RateHz: 1}); err == nil ||
		!strings.Contains(err.Error(), " 7 bytes") {
		t.Errorf("cut off: %v", err)
	}
	if _, err := ReadSamples(bytes.NewReader(make([]byte, 1<<16+7)), SampleOptions{RateHz: 1}); err == nil ||
		!strings.Contains(err.Error(), " 65543 bytes") {
		t.Errorf("cut off: %v", err)
	}
}

// A file that cannot be read to its end is an error, not a shorter file.
func TestReadFails(t *testing.T) {
	broken := errors.New("disk")
	for _, head := range []string{"", "t_s,x\n0,1\n", "\x00\x00\x80\x3f"} {
		r := io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))
		if _, err := ReadSamples(r, SampleOptions{Name: "f", RateHz: 1}); !errors.Is(err, broken) {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// Lines grow the buffer up to a bound. The first part of a file may end within a character.
func TestLongLines(t *testing.T) {
	comment := "#," + strings.Repeat("x", headSize-3) + "\u00e9" + strings.Repeat("y", 1<<20) + "\n"
	got, err := ReadSamples(strings.NewReader(comment+"t_s,x\n0,1\n1,2\n"), SampleOptions{})
	if err != nil || got.Set.Len() != 2 {
		t.Errorf("after a comment of 1 MB: %v", err)
	}
	_, err = ReadSamples(strings.NewReader("t_s,x\n0,"+strings.Repeat("1", sampleLine)), SampleOptions{Name: "f"})
	if err == nil || !strings.Contains(err.Error(), " line has more than 16777216 bytes") {
		t.Errorf("an endless line: %v", err)
	}
}

// Forms of fields in files of other programs.
func TestNumberWords(t *testing.T) {
	for s, want := range map[string]float64{
		".5": 0.5, "-.5": -0.5, "5.": 5, "0": 0, "-12.25": -12.25, "9007199254740992": 1 << 53, "9007199254740993": 1 << 53,
		"+1": 1, "1e3": 1000, " 3": 3, "": math.NaN(), "-": math.NaN(), ".": 0, `"`: 0, "1_0": 0, "1.2.3": 0,
	} {
		got, _, ok := cells{}.number([]byte(s))
		if ok != (want != 0 || s == "0") || ok && got != want && want == want || want != want && got == got {
			t.Errorf("%q: %v %v, want %v", s, got, ok, want)
		}
	}
}

// number agrees with ParseFloat to the last bit.
func TestNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		v := math.Float64frombits(rng.Uint64())
		s := strconv.FormatFloat(v, "efg"[rng.IntN(3)], rng.IntN(12), 64)
		if rng.IntN(2) == 0 {
			s = strconv.FormatFloat(1e5*rng.NormFloat64(), 'f', rng.IntN(9), 64)
		}
		want, err := strconv.ParseFloat(s, 64)
		got, _, ok := cells{}.number([]byte(s))
		if ok != (err == nil || errors.Is(err, strconv.ErrRange)) || got != want && got == got {
			t.Fatalf("%s: %v %v, want %v %v", s, got, ok, want, err)
		}
	}
}

// Times since 1970, whose last digit is near the resolution of a float64, have
// the rate of times since the start, and no slot is lost in an hour.
func TestRateOfEpochTimes(t *testing.T) {
	for _, origin := range []float64{0, 1.79e9} {
		var b strings.Builder
		b.WriteString("t_s,x\n")
		for i := range 720000 {
			if i%1000 != 7 {
				fmt.Fprintf(&b, "%.3f,1\n", origin+float64(i)*0.005)
			}
		}
		got, err := ReadSamples(strings.NewReader(b.String()), SampleOptions{})
		if err != nil || math.Abs(got.Set.StepS-0.005) > 1e-10 || got.Set.Len() != 720000 || len(got.Notes) > 0 {
			t.Errorf("from %v: step %v, %d samples, notes %v, %v", origin, got.Set.StepS, got.Set.Len(), got.Notes, err)
		}
	}
}

// Times of few digits: a rate within a millionth of a whole number is that number.
func TestWholeRate(t *testing.T) {
	for rate, want := range map[float64]float64{7: 7, 7.001: 7.001} {
		var b strings.Builder
		b.WriteString("t_s,x\n")
		for i := range 10000 {
			fmt.Fprintf(&b, "%.4f,1\n", float64(i)/rate)
		}
		got, err := ReadSamples(strings.NewReader(b.String()), SampleOptions{})
		if err != nil || math.Abs(got.Set.StepS*want-1) > 1e-6 || want == 7 && got.Set.StepS != 1.0/7 {
			t.Errorf("rate %v: step %v, %v", rate, got.Set.StepS, err)
		}
	}
}

// Times in milliseconds, or times that jitter about a grid, have the rate of the grid, and each row has a slot.
// If the clock itself drifts there is no grid: the rate is that of the median step.
func TestRateOfCoarseTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		rate, jitter, wander float64
	}{{30, 0, 0}, {60, 0, 0}, {64, 0, 0}, {75, 0, 0}, {120, 0, 0}, {144, 0, 0}, {240, 0, 0}, {300, 0, 0}, {20, 0.1, 0},
		{100, 0.03, 0}, {20, 0, 0.1}} {
		var b strings.Builder
		b.WriteString("t_s,x\n")
		at, steps := 0.0, []float64{}
		for i := range 10000 {
			printed := math.Round(1000*(at+c.jitter*rng.Float64())/c.rate) / 1000
			if i == 0 || i == 9999 {
				printed = math.Round(1000*at/c.rate) / 1000
			}
			steps = append(steps, printed)
			fmt.Fprintf(&b, "%.3f,1\n", printed)
			at += 1 + c.wander*rng.NormFloat64()
		}
		for i := len(steps) - 1; i > 0; i-- {
			steps[i] -= steps[i-1]
		}
		slices.Sort(steps[1:])
		got, err := ReadSamples(strings.NewReader(b.String()), SampleOptions{})
		want, length, close := c.rate, 10000, 2e-5 // half a millisecond of 42 s
		if c.wander > 0 {
			want, length, close = 1/steps[5000], got.Set.Len(), 1e-3
		}
		if err != nil || math.Abs(got.Set.StepS*want-1) > close || got.Set.Len() != length ||
			c.wander == 0 && len(got.Notes) > 0 {
			t.Errorf("%+v: %.3f Hz, %d slots, %v, %v", c, 1/got.Set.StepS, got.Set.Len(), got.Notes, err)
		}
	}
	// Steps of 5 ms, and of 7.3 ms where something else held them up: no grid.
	var b strings.Builder
	b.WriteString("t_s,x\n")
	at := 0.0
	for range 10000 {
		fmt.Fprintf(&b, "%.4f,1\n", at)
		if at += 0.005; rng.IntN(10) < 4 {
			at += 0.0023
		}
	}
	if got, err := ReadSamples(strings.NewReader(b.String()), SampleOptions{}); err != nil ||
		math.Abs(got.Set.StepS-0.005) > 1e-9 {
		t.Errorf("steps of two lengths: %v s, %v", got.Set.StepS, err)
	}
}

// A regular grid in any order, with rows left out, is found again.
func TestGridProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 30 + rng.IntN(200)
		want := make([]float32, n)
		var lines []string
		for i := range n {
			want[i] = float32(math.NaN())
			if i == 0 || i == n-1 || rng.IntN(10) > 0 {
				want[i] = float32(rng.IntN(100))
				lines = append(lines, fmt.Sprintf("%.4f,%g", 7+float64(i)*0.005+0.001*rng.Float64(), want[i]))
			}
		}
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		got, err := ReadSamples(strings.NewReader("t_s,x\n"+strings.Join(lines, "\n")), SampleOptions{RateHz: 200})
		if err != nil || fmt.Sprint(got.Set.Columns[0].Values) != fmt.Sprint(want) {
			t.Fatalf("%v: %v, want %v", err, got.Set.Columns[0].Values, want)
		}
	}
}

// Any input gives an error or a consistent set, and memory in proportion to its size.
func FuzzReadSamples(f *testing.F) {
	for _, s := range []string{"t_s,x\n0,1\n1,2\n", "t_s,a:b,a:c\n1,2,3\n0,,\n", "t_s,x\n0,1\n1e12,3\n",
		"\x00\x00\x80\x3f", "t_s,x\n0,1e999\n", "\ufefft_s,x\r\n#\r\n1,\"2\""} {
		f.Add([]byte(s), 0.0)
		f.Add([]byte(s), 200.0)
	}
	f.Fuzz(func(t *testing.T, b []byte, rate float64) {
		got, err := ReadSamples(bytes.NewReader(b), SampleOptions{Name: "f", RateHz: rate})
		if err != nil {
			return
		}
		n := got.Set.Len()
		if n > slotsPerRow*len(b)+freeSlots {
			t.Fatalf("%d samples of %d bytes", n, len(b))
		}
		for _, c := range got.Set.Columns {
			if len(c.Values) != n {
				t.Fatalf("columns of %d and %d samples", n, len(c.Values))
			}
			for _, v := range c.Values {
				if math.IsInf(float64(v), 0) {
					t.Fatal("an infinite value")
				}
			}
		}
		if len(got.Offsets) != len(got.Set.Columns) {
			t.Fatal("a column without offset")
		}
	})
}

func benchCSV(n int) []byte {
	var b bytes.Buffer
	b.WriteString("t_s,ipc\n")
	for i := range n {
		fmt.Fprintf(&b, "%.3f,%.6f\n", float64(i)*0.005, 1+0.3*math.Sin(float64(i)))
	}
	return b.Bytes()
}

func BenchmarkCSV(b *testing.B) {
	text := benchCSV(1 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadSamples(bytes.NewReader(text), SampleOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFloat32(b *testing.B) {
	raw := make([]byte, 4<<20)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := ReadSamples(bytes.NewReader(raw), SampleOptions{RateHz: 200, Size: int64(len(raw))}); err != nil {
			b.Fatal(err)
		}
	}
}
