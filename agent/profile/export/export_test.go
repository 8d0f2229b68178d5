package export

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jobgait/agent/profile"
	"jobgait/agent/profile/profiletest"
)

func synthetic(t testing.TB, seconds float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	if err := profiletest.Write(path, profiletest.SyntheticRun{Seconds: seconds, PeriodS: 0.5, Seal: true}); err != nil {
		t.Fatal(err)
	}
	return path
}

// gapped is a profile with a gap, a slow column and missing values.
func gapped(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	h := profile.Header{Node: "n", StepNS: 5e6, BaseNS: 25e6, AddressHz: 200, Columns: []profile.Column{
		{Name: "level", Unit: "bytes", Gauge: true, Scope: "job"}, {Name: "energy", Unit: "J", Scope: "node", Hz: 1}}}
	w, err := profile.Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []profile.Block{
		{First: 10, N: 2, Columns: [][]int64{{1, profile.NoValue}, {10, 20}}, Samples: []uint32{1, 2}},
		{First: 14, N: 2, Columns: [][]int64{{3, 4}, {50, 60}}, Samples: []uint32{0, 1}}} {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path string, o ExportOptions) (string, Caveats) {
	t.Helper()
	var out bytes.Buffer
	r, err := Write(&out, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

func TestCSV(t *testing.T) {
	got, r := write(t, gapped(t), ExportOptions{})
	want := "t_s,busy_cpus,level\n0.075,1,1\n0.08,2,\n0.095,0,3\n0.1,1,4\n"
	if got != want || r.Rows != 4 || r.RateHz != 200 {
		t.Errorf("%q, want %q; %+v", got, want, r)
	}
	if got, _ := write(t, gapped(t),
		ExportOptions{Column: "energy"}); got != "t_s,energy\n0.075,\n0.08,2000\n0.095,\n0.1,2000\n" {
		t.Errorf("energy: %q", got)
	}
}

func TestSeconds(t *testing.T) {
	for ns, want := range map[int64]string{0: "0", 5e6: "0.005", 1e9: "1", -15e8: "-1.5", 1: "0.000000001",
		123450000000: "123.45"} {
		if got := string(appendSeconds(nil, ns)); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}

func TestFloat32(t *testing.T) {
	got, _ := write(t, gapped(t), ExportOptions{Format: Float32, Column: "level"})
	want := []float64{1, math.NaN(), math.NaN(), math.NaN(), 3, 4}
	if len(got) != 4*len(want) {
		t.Fatalf("%d bytes", len(got))
	}
	for i, w := range want {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32([]byte(got[4*i:]))))
		if v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
			t.Errorf("slot %d: %g, want %g", i, v, w)
		}
	}
}

// Every column comes out as Load has it, bit for bit.
func TestCSVIsTheSet(t *testing.T) {
	path := synthetic(t, 5)
	l, err := profile.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := write(t, path, ExportOptions{})
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 1+l.Set.Len() {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines[1:] {
		fields := strings.Split(line, ",")
		for k, c := range l.Set.Columns {
			v, err := strconv.ParseFloat(fields[1+k], 32)
			if fields[1+k] == "" {
				v, err = math.NaN(), nil
			}
			if w := c.Values[i]; err != nil || float32(v) != w && !(math.IsNaN(v) && w != w) {
				t.Fatalf("line %d, %s: %s is not %g", i, c.Name, fields[1+k], w)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	path := gapped(t)
	for name, o := range map[string]ExportOptions{"none": {Column: "x"}, "many": {Format: Float32}} {
		if _, err := Write(io.Discard, path, o); !errors.Is(err, ErrColumn) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	odd := filepath.Join(t.TempDir(), "odd.jgp")
	for _, names := range [][]string{{"a", "a"}, {"a,b"}, {"t_s"}, {""}, {"a\nb"}} {
		os.Remove(odd)
		h := profile.Header{StepNS: 5e6}
		for _, n := range names {
			h.Columns = append(h.Columns, profile.Column{Name: n})
		}
		w, err := profile.Create(odd, h)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		for f := CSV; f <= Float32; f++ {
			if _, err := Write(io.Discard, odd, ExportOptions{Format: f}); !errors.Is(err, ErrColumn) {
				t.Errorf("%q as %d: %v", names, f, err)
			}
		}
	}
	far := filepath.Join(t.TempDir(), "far.jgp")
	w, err := profile.Create(far, profile.Header{StepNS: 5e6, Columns: []profile.Column{{Name: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []int64{0, 1 << 39} {
		if err := w.Append(profile.Block{First: first, N: 1, Columns: [][]int64{{1}}}); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if _, err := Write(io.Discard, far, ExportOptions{Format: Float32}); err == nil {
		t.Error("174 years of nothing were written")
	}
}

// A disk that fills up is an error.
func TestFull(t *testing.T) {
	path := synthetic(t, 20)
	for f := CSV; f <= Float32; f++ {
		if _, err := Write(full{}, path,
			ExportOptions{Format: f, Column: map[bool]string{true: "ipc"}[f == Float32]}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("format %d: %v", f, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
