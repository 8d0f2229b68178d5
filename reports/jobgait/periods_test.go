package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/note"
)

// ticking is n samples at 200 Hz of a loop of 110 samples with two dips.
func ticking(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = 1.2 + 0.02*rng.NormFloat64()
		if k := i % 110; k < 12 || k > 40 && k < 60 {
			x[i] = 0.4 + 0.02*rng.NormFloat64()
		}
	}
	return x
}

func csvOf(x []float64, shift float64) string {
	var b strings.Builder
	b.WriteString("t_s,ipc\n")
	for i, v := range x {
		fmt.Fprintf(&b, "%.3f,%.5f\n", float64(i)*0.005, v+shift)
	}
	return b.String()
}

// periodsJSON is what other programs read of periods --json.
type periodsJSON struct {
	Schema, Column, Method string
	RateHz                 float64 `json:"rate_hz"`
	Samples, Missing       int
	Coverage               float64
	Patterns               []struct {
		ID            string
		PeriodS       float64 `json:"period_s"`
		PeriodSamples float64 `json:"period_samples"`
		PeriodCV      float64 `json:"period_cv"`
		P10S          float64 `json:"period_p10_s"`
		P90S          float64 `json:"period_p90_s"`
		Confidence    float64
		Coverage      float64
		Values        []*float64
		P10, P90      []*float64
		Instances     [][2]int
		Regions       []struct {
			StartS float64 `json:"start_s"`
			EndS   float64 `json:"end_s"`
			Count  int
		}
		Drift struct {
			Slope *float64 `json:"slope_pct_per_hour"`
			Lo    *float64 `json:"ci_lo"`
			Hi    *float64 `json:"ci_hi"`
			Steps []any
		}
		Low []struct {
			OffsetS       float64 `json:"offset_s"`
			DurationS     float64 `json:"duration_s"`
			Share         float64
			Repeatability float64
		}
		Child []any
	}
	Macro []any
	Notes []struct{ Code, Text string }
}

func periodsOf(t *testing.T, a answer) (p periodsJSON) {
	t.Helper()
	if a.status != 0 {
		t.Fatalf("status %d: %s", a.status, a.complaint)
	}
	if err := json.Unmarshal([]byte(a.out), &p); err != nil {
		t.Fatalf("%v in %s", err, a.out)
	}
	// Lists are never null.
	for _, key := range []string{"patterns", "macro", "notes", "instances", "regions", "low", "child", "steps", "values"} {
		if strings.Contains(a.out, `"`+key+`":null`) {
			t.Errorf("%s is null", key)
		}
	}
	return p
}

func TestPeriodsOfCSV(t *testing.T) {
	path := fileOf(t, "x.csv", csvOf(ticking(6000), 0))
	for _, method := range []string{"track", "paper"} {
		p := periodsOf(t, ask("periods", "--json", "--method", method, path))
		if p.Schema != "jobgait.periods/1" || p.Column != "ipc" || p.Method != method || p.RateHz != 200 ||
			p.Samples != 6000 || p.Missing != 0 {
			t.Errorf("%+v", p)
		}
		if len(p.Patterns) != 1 {
			t.Fatalf("%s: %d patterns: %v", method, len(p.Patterns), p.Notes)
		}
		q := p.Patterns[0]
		if math.Abs(q.PeriodS-0.55) > 0.003 || q.ID != "A" || q.Coverage < 0.8 || len(q.Instances) < 45 {
			t.Errorf("%s: %v s, coverage %v, %d instances", method, q.PeriodS, q.Coverage, len(q.Instances))
		}
		if n := int(math.Round(q.PeriodSamples)); len(q.Values) != n || len(q.P10) != n || len(q.P90) != n {
			t.Errorf("%s: %d values for %v samples", method, len(q.Values), q.PeriodSamples)
		}
		if q.Drift.Slope == nil || q.Drift.Lo == nil || *q.Drift.Lo > 0 || *q.Drift.Hi < 0 {
			t.Errorf("%s: drift %+v", method, q.Drift)
		}
		if len(q.Low) != 2 {
			t.Errorf("%s: low %+v", method, q.Low)
		}
	}
}

// The same numbers as float32, packed, from standard input, and at a level of
// 1e9 say the same.
func TestPeriodsFormats(t *testing.T) {
	x := ticking(6000)
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	for name, p := range map[string]periodsJSON{
		"f32":   periodsOf(t, ask("periods", "--json", "--rate", "200", fileOf(t, "x.f32", string(raw)))),
		"large": periodsOf(t, ask("periods", "--json", fileOf(t, "x.csv", csvOf(x, 1e9)))),
	} {
		if len(p.Patterns) != 1 || math.Abs(p.Patterns[0].PeriodS-0.55) > 0.003 {
			t.Fatalf("%s: %+v", name, p)
		}
		v := *p.Patterns[0].Values[0]
		if base := math.Round(v/1e9) * 1e9; v-base < 0.3 || v-base > 1.3 || base != 0 && name == "f32" ||
			base == 0 && name == "large" {
			t.Errorf("%s: first value %v is not in the input's units", name, v)
		}
	}
	path := filepath.Join(t.TempDir(), "p.jgp")
	if err := profiletest.Write(path, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.4, Seal: true}); err != nil {
		t.Fatal(err)
	}
	p := periodsOf(t, ask("periods", "--json", path))
	if len(p.Patterns) == 0 || math.Abs(p.Patterns[0].PeriodS-0.4) > 0.02 {
		t.Errorf("profile: %+v", p)
	}
	if a := ask("periods", "--column", "gone", path); a.status != 1 || !strings.Contains(a.complaint, `no column "gone"`) {
		t.Errorf("column: %+v", a)
	}
	if q := periodsOf(t, ask("periods", "--json", "--column", "ipc", path)); q.Column != "ipc" {
		t.Errorf("column %q", q.Column)
	}
}

func TestPeriodsBadInput(t *testing.T) {
	line := func(v string) string { return "t_s,ipc\n0,1\n0.005," + v + "\n" }
	for _, c := range []struct {
		name, text string
		args       []string
		status     int
		want       string // in the complaint, or a code in the notes
	}{
		{"empty", "", nil, 1, "empty"},
		{"no header", "1,2\n3,4\n", nil, 0, "too_short"},
		{"no times", "a,b\n3,x\n1,y\n", nil, 1, "no column of times among a, b"},
		{"text", line("fast"), nil, 1, `:3: column ipc: invalid value "fast"`},
		{"short row", "t_s,a,b\n0,1\n", nil, 1, ":2:"},
		{"far apart", "t_s,x\n0,1\n1,1\n2,1\n1e15,1\n", nil, 1, "steps of 1 s, too many"},
		{"no rate", "\x00\x00\x00\x01", nil, 2, "--rate"},
		{"negative rate", line("1"), []string{"--rate", "-1"}, 2, "rate"},
		{"method", line("1"), []string{"--method", "magic"}, 2, "magic"},
		{"one sample", "t_s,ipc\n0,1\n", nil, 0, "no_rate"},
		{"header only", "t_s,ipc\n", nil, 0, "no_rate"},
		{"few", line("1"), nil, 0, "too_short"},
		{"missing only", "t_s,ipc\n" + rowsOf(100, "nan"), nil, 0, "no_variance"},
		{"constant", "t_s,ipc\n" + rowsOf(1000, "1.25"), nil, 0, "no_variance"},
		{"infinite", "t_s,ipc\n" + rowsOf(100, "inf"), nil, 0, "infinite_values"},
		{"one time", "t_s,ipc\n" + strings.Repeat("1,2\n", 100), nil, 0, "rows_averaged"},
	} {
		for _, method := range []string{"track", "paper"} {
			a := ask(append([]string{"periods", "--json", "--method", method, fileOf(t, "in", c.text)}, c.args...)...)
			if a.status != c.status {
				t.Errorf("%s: status %d, want %d: %s", c.name, a.status, c.status, a.complaint)
				continue
			}
			if c.status != 0 {
				if !strings.Contains(a.complaint, c.want) || strings.Count(a.complaint, "\n") != 1 {
					t.Errorf("%s: %q, want %q", c.name, a.complaint, c.want)
				}
				continue
			}
			p := periodsOf(t, a)
			codes := ""
			for _, n := range p.Notes {
				codes += n.Code + " "
			}
			if !strings.Contains(codes, c.want) || len(p.Patterns) != 0 {
				t.Errorf("%s: notes %q, want %q", c.name, codes, c.want)
			}
		}
	}
	if a := ask("periods", filepath.Join(t.TempDir(), "none")); a.status != 1 {
		t.Errorf("a missing file: %+v", a)
	}
	if a := ask("periods"); a.status != 2 {
		t.Errorf("no file: %+v", a)
	}
}

func rowsOf(n int, v string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%s\n", i, v)
	}
	return b.String()
}

// Rows in any order, with every tenth missing and some twice, give the period of
// the ordered ones, and notes.
func TestPeriodsOfDisorder(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(csvOf(ticking(6000), 0)), "\n")[1:]
	rng := rand.New(rand.NewPCG(2, 1))
	var kept []string
	for i, l := range lines {
		if i%10 > 0 {
			kept = append(kept, l)
		}
		if i%100 == 1 {
			kept = append(kept, l)
		}
	}
	rng.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	p := periodsOf(t, ask("periods", "--json", "--rate", "200", fileOf(t, "x.csv", "t_s,ipc\n"+strings.Join(kept, "\n"))))
	codes := ""
	for _, n := range p.Notes {
		codes += n.Code + " "
	}
	if p.Samples != 5999 || p.Missing != 599 || !strings.Contains(codes, "unsorted") ||
		!strings.Contains(codes, "rows_averaged") {
		t.Errorf("%d samples, %d missing, %s", p.Samples, p.Missing, codes)
	}
	if len(p.Patterns) == 0 || math.Abs(p.Patterns[0].PeriodS-0.55) > 0.005 {
		t.Errorf("%+v", p.Patterns)
	}
}

func TestPeriodsTextAndPicture(t *testing.T) {
	path, svg := fileOf(t, "x.csv", csvOf(ticking(6000), 0)), filepath.Join(t.TempDir(), "x.svg")
	a := ask("periods", "--plot", svg, path)
	understood := "jobgait: " + path + ": read as: time = t_s, value = ipc, 2 fields\n"
	if a.status != 0 || a.complaint != understood || !strings.Contains(a.out, "period 550") ||
		!strings.Contains(a.out, "opportunity") {
		t.Errorf("%+v", a)
	}
	if a := ask("periods", "--ascii", path); strings.ContainsFunc(a.out, func(r rune) bool { return r > 126 }) {
		t.Errorf("not ascii: %s", a.out)
	}
	b, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if s := string(b); strings.Contains(s, "NaN") || strings.Contains(s, "href") || !strings.Contains(s, "pattern A") {
		t.Error("the picture is not whole")
	}
	if a := ask("periods", "--plot", filepath.Join(t.TempDir(), "no", "x.svg"), path); a.status != 1 {
		t.Errorf("a picture into nowhere: %+v", a)
	}
}

// A cumulative counter is analysed by its rate, and a note says so.
func TestPeriodsOfACounter(t *testing.T) {
	var text strings.Builder
	text.WriteString("t_s,energy\n")
	sum := 0
	for i := range 1200 {
		sum += 5000 + 13*(i*7919%37)
		if i%47 < 14 {
			sum += 4000
		}
		fmt.Fprintf(&text, "%.1f,%d\n", float64(i)/10, sum%9_000_000)
	}
	p := periodsOf(t, ask("periods", "--json", fileOf(t, "in", text.String())))
	if len(p.Patterns) == 0 || math.Abs(p.Patterns[0].PeriodS-4.7) > 0.1 {
		t.Errorf("patterns %+v, want 4.7 s", p.Patterns)
	}
	if len(p.Notes) == 0 || p.Notes[0].Code != string(note.CounterRates) {
		t.Errorf("notes %v, want %s", p.Notes, note.CounterRates)
	}
}
