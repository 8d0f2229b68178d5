package main

import (
	"bytes"
	"compress/gzip"
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
)

// slower returns CSV of 60 runs, one a day, in which those from run 40 on are slower by the given amount.
func slower(seed uint64, percent float64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("# made for this test\nt,value,binary\n")
	for i := range 60 {
		level, binary := 100., "4c1d7a2"
		if i >= 40 {
			level, binary = 100*(1+percent/100), "9e66dad"
		}
		fmt.Fprintf(&b, "2026-%02d-%02d,%.4f,%s\n", 9+i/28, 1+i%28, level*math.Exp(.01*r.NormFloat64()), binary)
	}
	return b.String()
}

// changesJSON has the keys of changes --json that other programs read.
type changesJSON struct {
	Schema, Method string
	Series         []struct {
		ID      string
		N       int
		Changes []struct {
			Index         int
			T             any
			DetectedIndex int      `json:"detected_index"`
			EffectPct     float64  `json:"effect_pct"`
			Lo            *float64 `json:"ci_lo_pct"`
			Hi            *float64 `json:"ci_hi_pct"`
			Kind          string
			Causes        []struct{ Field, From, To string }
		}
		Regimes   []struct{ First, Last, N int }
		Outliers  []int
		SlowNodes []any `json:"slow_nodes"`
		Notes     []struct{ Code, Text string }
	}
	Machine []any
}

func parse(t *testing.T, c answer) (v changesJSON) {
	t.Helper()
	if c.status != 0 {
		t.Fatalf("status %d: %s", c.status, c.complaint)
	}
	if err := json.Unmarshal([]byte(c.out), &v); err != nil {
		t.Fatalf("%v: %s", err, c.out)
	}
	return v
}

func TestChangesOfCSV(t *testing.T) {
	path := fileOf(t, "nemo.csv", slower(1, 15))
	for _, method := range []string{"sequential", "paper"} {
		v := parse(t, ask("changes", "--json", "--method", method, path))
		if v.Schema != "jobgait.changes/1" || v.Method != method || len(v.Series) != 1 || v.Machine == nil {
			t.Fatalf("%+v", v)
		}
		s := v.Series[0]
		if s.ID != "0" || s.N != 60 || len(s.Changes) != 1 || len(s.Regimes) != 2 || s.Outliers == nil ||
			s.SlowNodes == nil || s.Notes == nil {
			t.Fatalf("%s: %+v", method, s)
		}
		c := s.Changes[0]
		if c.Index != 40 || c.T != "2026-10-13" || c.DetectedIndex < 40 || math.Abs(c.EffectPct-15) > 2 || c.Lo == nil ||
			*c.Lo > 15 || *c.Hi < 15 {
			t.Errorf("%s: %+v", method, c)
		}
		if len(c.Causes) == 0 || c.Causes[0].Field != "binary" || c.Causes[0].To != "9e66dad" {
			t.Errorf("%s: causes %+v", method, c.Causes)
		}
	}
	text := strings.Join(strings.Fields(ask("changes", path).out), " ")
	for _, want := range []string{"nemo.csv, 60 runs: changed.", "% slower since 13 October",
		"the executable changed then.", "binary: 4c1d7a2 -> 9e66dad"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// A benchmark tool writes a file for each session: together they are one history. A rate that fell is slower.
func TestChangesOfSessions(t *testing.T) {
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "machine.json")}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(files[0], `{"arch": "x86_64", "cpu": "", "machine": "m", "ram": "4", "version": 1}`)
	for i := range 40 {
		seconds := 1 + .01*float64(i%3)
		if i >= 25 {
			seconds *= 1.3
		}
		path := filepath.Join(dir, fmt.Sprintf("c%d.json", 99-i)) // not in the order of time
		write(path, fmt.Sprintf(`{"commit_hash": "c%d", "env_name": "e", "date": %d, "params": {"machine": "m"},
			"results": {"a.time_b": [[%g], []], "a.track_c": [[%g], []]}}`, i, 1_700_000_000_000+i*86_400_000, seconds,
			1/seconds))
		files = append(files, path)
	}
	v := parse(t, ask(append([]string{"changes", "--json"}, files...)...))
	if len(v.Series) != 2 || v.Series[0].N != 40 || len(v.Series[0].Changes) != 1 || v.Series[0].Changes[0].Index != 25 {
		t.Errorf("%+v", v)
	}
	a := ask(append([]string{"changes"}, files...)...)
	for _, want := range []string{"Slower or higher now: a.time_b by", "% lower since"} {
		if !strings.Contains(strings.Join(strings.Fields(a.out), " "), want) {
			t.Errorf("no %q in %s", want, a.out)
		}
	}
	if !strings.Contains(a.complaint, "and 39 more files: read as: asv: ") {
		t.Errorf("%s", a.complaint)
	}
	if a = ask("changes", files[0]); a.status != 1 ||
		!strings.Contains(a.complaint, "machine.json: read: no file has a run") {
		t.Errorf("%+v", a)
	}
}

func TestCheck(t *testing.T) {
	worse, same, better := fileOf(t, "a.csv", slower(1, 15)), fileOf(t, "b.csv", slower(2, 0)),
		fileOf(t, "c.csv", slower(3, -15))
	byIndex, byDay, other := fileOf(t, "a", "id,index\n0,40\n"), fileOf(t, "b", "id,t\n0,2026-10-13\n"),
		fileOf(t, "c", "id,index\n0,39\n")
	for _, c := range []struct {
		want int
		args []string
	}{
		{3, []string{"--check", worse}}, {0, []string{worse}}, {0, []string{"--check", same}},
		{0, []string{"--check", better}},
		{3, []string{"--check", "--json", worse}}, {0, []string{"--check", "--min-effect", "20", worse}},
		{0, []string{"--check", "--ack", byIndex, worse}}, {0, []string{"--check", "--ack", byDay, worse}},
		{3, []string{"--check", "--ack", other, worse}},
	} {
		if got := ask(append([]string{"changes"}, c.args...)...); got.status != c.want || !onlyReading(got.complaint) ||
			got.out == "" {
			t.Errorf("%v: status %d, want %d: %s", c.args, got.status, c.want, got.complaint)
		}
	}
}

// onlyReading reports whether standard error has only the line on how the file was interpreted.
func onlyReading(complaint string) bool {
	return strings.Count(complaint, "\n") == 1 &&
		strings.Contains(complaint, ": read as: time = t, value = value, 3 fields")
}

func TestChangesRefuses(t *testing.T) {
	good, malformed := fileOf(t, "a.csv", slower(1, 15)), fileOf(t, "b.csv", "t,value\n1,2\n2,x\n")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{1, "no such file", []string{good, good + ".not"}}, {2, "--method", []string{"--method", "magic", good}},
		{2, "--t-unit", []string{"--t-unit", "h", good}}, {2, "--min-effect", []string{"--min-effect", "-1", good}},
		{2, "flag", []string{"--nonsense", good}},
		{2, "--days", []string{"--days", "nan", good}}, {2, "--site", []string{"--site", "--user", "a"}},
		{2, "--metric", []string{"--metric", "moon"}},
		{1, "b.csv:3:", []string{malformed}}, {1, "no such file", []string{good + ".not"}},
		{1, "a.csv.not", []string{"--ack", good + ".not", good}},
		{1, "write", []string{"--plot", filepath.Join(good, "x.svg"), good}}, {1, "a.csv:", []string{"--ack", good, good}},
	} {
		got := ask(append([]string{"changes"}, c.args...)...)
		if got.status != c.status || !strings.Contains(got.complaint, c.says) || strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%v: status %d, %q; want %d, %q", c.args, got.status, got.complaint, c.status, c.says)
		}
	}
}

// Series lines: each in its place, the bad one too; indexes are those of the
// input also where it was not in the order of time; gzip and standard input.
func TestChangesOfLines(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	const n = 50
	ts, y := make([]float64, n), make([]float64, n)
	for i := range n {
		day := n - 1 - i // the newest run first
		ts[i], y[i] = float64(day), math.Exp(.01*r.NormFloat64())
		if day >= 30 {
			y[i] *= 1.2
		}
	}
	line, err := json.Marshal(map[string]any{"id": "reversed", "t": ts, "y": y})
	if err != nil {
		t.Fatal(err)
	}
	text := string(line) + "\n" + `{"id":"bad","t":[1,2],"y":[1]}` + "\n" + `{"t":[1,2],"y":[1,null]}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := changesCommand(func(string) string { return "" })
	c.SetArgs([]string{"--json", "-"})
	c.SetIn(&packed)
	c.SetOut(&out)
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	v := parse(t, answer{out: out.String()})
	if len(v.Series) != 3 || v.Series[1].ID != "bad" || v.Series[2].ID != "2" {
		t.Fatalf("%+v", v.Series)
	}
	if s := v.Series[0]; len(s.Changes) != 1 || s.Changes[0].Index != 19 || s.Changes[0].T != 30. ||
		s.Regimes[0].First != 49 || s.Notes[0].Code != "unsorted" {
		t.Errorf("%+v", s)
	}
	if s := v.Series[1]; s.Changes == nil || s.Regimes == nil || len(s.Notes) != 1 || s.Notes[0].Code != "bad_series" {
		t.Errorf("%+v", s)
	}
	if s := v.Series[2]; s.N != 2 || s.Changes == nil || len(s.Notes) == 0 {
		t.Errorf("%+v", s)
	}
}

func TestEpochSeconds(t *testing.T) {
	var b strings.Builder
	r := rand.New(rand.NewPCG(6, 7))
	b.WriteString("t,value\n")
	for i := range 40 {
		v := math.Exp(.01 * r.NormFloat64())
		if i >= 25 {
			v *= .8
		}
		fmt.Fprintf(&b, "%d,%.5f\n", 1790812800+i*86400, v)
	}
	path := fileOf(t, "a.csv", b.String())
	v := parse(t, ask("changes", "--json", "--t-unit", "s", path))
	if s := v.Series[0]; len(s.Changes) != 1 || s.Changes[0].Index != 25 || s.Changes[0].T != 1790812800.+25*86400 ||
		len(s.Notes) != 0 {
		t.Errorf("%+v", s)
	}
	if out := ask("changes", "--t-unit", "s", path).out; !strings.Contains(out, "% faster since 26 October") {
		t.Error(out)
	}
	auto := parse(t, ask("changes", "--json", path)).Series[0]
	if len(auto.Changes) != 1 || auto.Changes[0].Index != 25 || auto.Changes[0].T != 1790812800.+25*86400 ||
		len(auto.Notes) != 0 {
		t.Errorf("seconds without --t-unit: %+v", auto)
	}
	if s := parse(t, ask("changes", "--json", "--t-unit", "day", path)).Series[0]; len(s.Notes) == 0 ||
		s.Notes[0].Code != "time_unit" {
		t.Errorf("seconds taken as days: %+v", s.Notes)
	}
}

func TestChangesPlot(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "a.svg")
	if c := ask("changes", "--plot", svg, fileOf(t, "a.csv", slower(1, 15))); c.status != 0 {
		t.Fatal(c.complaint)
	}
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(svg), ".jobgait-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A flag that would be ignored is rejected, because its user would misread the list.
func TestFlagsOfStoredRunsBesideAFile(t *testing.T) {
	path := fileOf(t, "nemo.csv", slower(1, 15))
	for _, flag := range [][]string{{"--site"}, {"--user", "alice"}, {"--app", "nemo"}, {"--metric", "step_s"},
		{"--history", "x.db"}} {
		for _, verb := range [][]string{{"changes"}, {"dashboard", "-o", filepath.Join(t.TempDir(), "page.html")}} {
			got := ask(append(append(verb, flag...), path)...)
			if got.status != 2 || !strings.Contains(got.complaint, flag[0]+" is only for stored runs") {
				t.Errorf("%v %v: %+v", verb, flag, got)
			}
		}
	}
	if got := ask("changes", "--ack", "-", "-"); got.status != 2 || !strings.Contains(got.complaint, "cannot both be -") {
		t.Errorf("%+v", got)
	}
}
