package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

func codes(t Table) string {
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
		{"byte order mark, quotes, comment", "\ufeff\"t_s\",\"x\"\n# made by hand\n0,\"1\"\n0.5, 2 \n", 0, "", 0.5, "[1 2]", ""},
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
		got, err := Read(strings.NewReader(c.text), Options{Name: "f", RateHz: c.rate, Column: c.column})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s := fmt.Sprint(got.Set.Columns[0].Values); s != c.want || math.Abs(got.Set.StepS-c.step) > 1e-12 || codes(got) != c.notes {
			t.Errorf("%s: %s step %v notes %q, want %s step %v notes %q", c.name, s, got.Set.StepS, codes(got), c.want, c.step, c.notes)
		}
	}
}

// The grid begins at the earliest time, in whatever row it is.
func TestBegin(t *testing.T) {
	for text, want := range map[string]float64{"t_s,x\n10,1\n11,2\n": 10, "t_s,x\n3,1\n-1,2\n1,2\n": -1, "t_s,x\n5,1\n": 5} {
		if got, err := Read(strings.NewReader(text), Options{}); err != nil || got.Set.StartS != want {
			t.Errorf("%q: begins at %v, %v; want %v", text, got.Set.StartS, err, want)
		}
	}
}

func TestCSVErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "empty",
		"\n\n":                             "no header",
		"0.1,2\n0.2,3\n":                   `f:1: the header is "0.1,2"`,
		"t_s\n1\n":                         "f:1: the header",
		"t_s,x\n0,1\n1,abc\n":              `f:3: column x: "abc" is not a number`,
		"t_s,x\n0,1\n1,2,3\n":              "f:3: more fields",
		"t_s,x,y\n0,1\n":                   "f:2: 2 fields, the header has 3",
		"t_s,x\n0\n":                       "f:2: 1 field",
		"t_s,x\nnan,1\n":                   "f:2: time",
		"t_s,x\ninf,1\n":                   "f:2: time",
		"t_s,x\n,1\n":                      "f:2: time",
		"t_s,x\n0,0x10\n":                  "f:2: column x",
		"t_s,x,x\n0,1,2\n":                 `column "x" has no name of its own`,
		"t_s,x\n0,1\n1,2\n2,2\n1e15,3\n":   "4 rows span 1e+15 slots",
		"t_s,x\n-1e308,1\n1e308,2\n0,2\n ": "",
	} {
		_, err := Read(strings.NewReader(text), Options{Name: "f"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(strings.NewReader("t_s,x\n0,1\n"), Options{Name: "f", Column: "y"}); err == nil || !strings.Contains(err.Error(), "there are x") {
		t.Errorf("missing column: %v", err)
	}
}

func TestGroups(t *testing.T) {
	got, err := Read(strings.NewReader("t_s,code:a,code:b,one:c,d\n0,1,2,3,4\n1,1,2,3,4\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"code", "code", "", ""} {
		if g := got.Set.Columns[i].Group; g != want {
			t.Errorf("column %d in group %q", i, g)
		}
	}
	only, err := Read(strings.NewReader("t_s,code:a,code:b,d\n0,1,2,x\n"), Options{Column: "code"})
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
	got, err := Read(bytes.NewReader(b), Options{RateHz: 200})
	if err != nil || fmt.Sprint(got.Set.Columns[0].Values) != "[1 NaN 0.1 NaN]" || got.Set.StepS != 0.005 || codes(got) != "infinite_values" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Read(bytes.NewReader(b), Options{}); !errors.Is(err, ErrNoRate) {
		t.Errorf("without a rate: %v", err)
	}
	if _, err := Read(bytes.NewReader(b[:7]), Options{RateHz: 1}); err == nil || !strings.Contains(err.Error(), "7 bytes") {
		t.Errorf("cut off: %v", err)
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
		got, ok := number([]byte(s))
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
		got, err := Read(strings.NewReader(b.String()), Options{})
		if err != nil || math.Abs(got.Set.StepS-0.005) > 1e-10 || got.Set.Len() != 720000 || len(got.Notes) > 0 {
			t.Errorf("from %v: step %v, %d samples, notes %v, %v", origin, got.Set.StepS, got.Set.Len(), got.Notes, err)
		}
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
		got, err := Read(strings.NewReader("t_s,x\n"+strings.Join(lines, "\n")), Options{RateHz: 200})
		if err != nil || fmt.Sprint(got.Set.Columns[0].Values) != fmt.Sprint(want) {
			t.Fatalf("%v: %v, want %v", err, got.Set.Columns[0].Values, want)
		}
	}
}

// Whatever comes in: an error, or a set that holds together, and no more memory
// than the input deserves.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"t_s,x\n0,1\n1,2\n", "t_s,a:b,a:c\n1,2,3\n0,,\n", "t_s,x\n0,1\n1e12,3\n", "\x00\x00\x80\x3f", "t_s,x\n0,1e999\n", "\ufefft_s,x\r\n#\r\n1,\"2\""} {
		f.Add([]byte(s), 0.0)
		f.Add([]byte(s), 200.0)
	}
	f.Fuzz(func(t *testing.T, b []byte, rate float64) {
		got, err := Read(bytes.NewReader(b), Options{Name: "f", RateHz: rate})
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
		_ = note.Note{}
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
		if _, err := Read(bytes.NewReader(text), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFloat32(b *testing.B) {
	raw := make([]byte, 4<<20)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(raw), Options{RateHz: 200, Size: int64(len(raw))}); err != nil {
			b.Fatal(err)
		}
	}
}
