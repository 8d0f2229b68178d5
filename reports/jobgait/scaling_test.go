package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scalingCall is what a verb did.
type scalingCall struct {
	status   int
	out, err string
}

// scalingVerb calls the program in this process.
func scalingVerb(args ...string) scalingCall {
	var out, complain bytes.Buffer
	status := runJobgait(context.Background(), []string{"PATH=/bin"}, append([]string{"jobgait"}, args...), &out,
		&complain)
	return scalingCall{status, out.String(), complain.String()}
}

// scalingInput is a file of the test's own with some content.
func scalingInput(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// workedExample is Table 1 of the paper: p^2 up to 6, 30 + p from there on.
func workedExample() string {
	b := "# worked example\nparam,rep,value\n"
	for p := 1; p <= 10; p++ {
		v := p * p
		if p > 6 {
			v = 30 + p
		}
		b += fmt.Sprintf("%d,1,%d\n", p, v)
	}
	return b
}

// scaled is the part of the JSON form that these tests check.
type scaled struct {
	Schema, Method string
	Series         []struct {
		ID        any
		N         int
		Segmented bool
		Cuts      []int
		Changes   []struct{ Common *float64 }
		Whole     *struct {
			Constant float64
			Terms    []struct{ Coefficient, I, J float64 }
		}
		Segments []struct{ First, Last int }
		Notes    []struct{ Code string }
		Mode     *string
	}
}

func scaledJSON(t *testing.T, c scalingCall) scaled {
	t.Helper()
	var s scaled
	if c.status != 0 {
		t.Fatalf("status %d: %s", c.status, c.err)
	}
	if err := json.Unmarshal([]byte(c.out), &s); err != nil {
		t.Fatalf("%v in %s", err, c.out)
	}
	return s
}

func TestScalingWorkedExample(t *testing.T) {
	file := scalingInput(t, "table1.csv", workedExample())
	for _, method := range []string{"paper", "likelihood"} {
		s := scaledJSON(t, scalingVerb("scaling", "--json", "--method", method, file)).Series[0]
		if !s.Segmented || fmt.Sprint(s.Cuts) != "[5]" || s.Changes[0].Common == nil || *s.Changes[0].Common != 6 {
			t.Errorf("%s: %+v, want the common point 6", method, s)
		}
	}
	full := scaledJSON(t, scalingVerb("scaling", "--json", "--method", "paper", file)).Series[0].Whole
	at1024 := full.Constant
	for _, term := range full.Terms {
		at1024 += term.Coefficient * math.Pow(1024, term.I) * math.Pow(10, term.J)
	}
	if off := 1 - at1024/1054; math.Abs(off-0.62) > 0.01 {
		t.Errorf("the one model is %.1f %% off at 1024, not 62 %%", 100*off)
	}
	text := scalingVerb("scaling", file)
	if text.status != 0 || !strings.HasPrefix(text.out, "table1.csv: law changes at 6 ") {
		t.Errorf("%d %s %s", text.status, text.out, text.err)
	}
}

// Every format of the same measurements gives the same result.
func TestScalingFormatsAgree(t *testing.T) {
	file := scalingInput(t, "a.csv", workedExample())
	want := scalingVerb("scaling", "--json", "--method", "paper", file)
	var lines bytes.Buffer
	fmt.Fprint(&lines, `{"p":[1,2,3,4,5,6,7,8,9,10],"y":[1,4,9,16,25,36,37,38,39,40],"parameter":"param",`+
		`"metric":"value"}`)
	files := map[string]string{"series lines": scalingInput(t, "a", lines.String())}
	for _, style := range []string{"text", "json", "jsonl"} {
		c := scalingVerb("export", "--extra-p", style, file)
		if c.status != 0 {
			t.Fatalf("export %s: %d %s", style, c.status, c.err)
		}
		files[style] = scalingInput(t, "b", c.out)
	}
	for what, f := range files {
		got := scalingVerb("scaling", "--json", "--method", "paper", f)
		if got.status != 0 || got.out != want.out {
			t.Errorf("%s: %d %s\n got %s\nwant %s", what, got.status, got.err, got.out, want.out)
		}
	}
}

func TestScalingStandardInputPacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, workedExample())
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(scalingInput(t, "x", packed.String()))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = f
	defer func() { os.Stdin = before; _ = f.Close() }()
	if s := scaledJSON(t, scalingVerb("scaling", "--json", "-")); s.Series[0].N != 10 {
		t.Errorf("%+v", s)
	}
}

// Bad data in one series is listed in its place; a malformed line is an error.
func TestScalingBadInput(t *testing.T) {
	lines := `{"id":7,"p":[1,2,3,4,5,6],"y":[1,2,3,4,5,6]}
{"p":[1],"y":[null]}
{"id":"c","p":[0,-1,1,1,2],"y":[1,2,1e308,1e308,0]}
{"id":"d","p":[],"y":[]}
{"id":"e","p":[1,2],"y":[1]}
`
	for _, method := range []string{"likelihood", "paper", "extra-p"} {
		s := scaledJSON(t, scalingVerb("scaling", "--json", "--method", method, scalingInput(t, "s", lines)))
		var ids []string
		for i, one := range s.Series {
			ids = append(ids, fmt.Sprint(one.ID))
			if i > 0 && len(one.Notes) == 0 {
				t.Errorf("%s: series %d has no note", method, i)
			}
		}
		if strings.Join(ids, " ") != "7 1 c d e" || s.Method != method || s.Schema != "jobgait.scaling/1" {
			t.Errorf("%s: ids %q, %s, %s", method, ids, s.Method, s.Schema)
		}
	}
	cut := scalingInput(t, "cut", lines+`{"p":[1,2],"y":[1`)
	if c := scalingVerb("scaling", cut); c.status != 0 || c.err != "jobgait: "+cut+
		": the input ends within line 6, only the lines before were read: write it again\n" {
		t.Errorf("a cut file: %d %q", c.status, c.err)
	}
	bad := scalingInput(t, "bad", lines+`{"p":[1,2],"y":[1`+"\n")
	for _, args := range [][]string{{"scaling", bad}, {"scaling", "--json", bad}, {"export", "--extra-p", "text", bad}} {
		if c := scalingVerb(args...); c.status != 1 || c.out != "" || !strings.Contains(c.err, bad+":6: ") {
			t.Errorf("%v: %d %q %q", args, c.status, c.out, c.err)
		}
	}
}

func TestScalingUsage(t *testing.T) {
	file := scalingInput(t, "a.csv", workedExample())
	for _, c := range []struct {
		status int
		args   []string
	}{
		{2, []string{"scaling", file, file}}, {2, []string{"scaling", "--method", "magic", file}},
		{2, []string{"scaling", "--mode", "big", file}}, {2, []string{"scaling", "--nothing", file}},
		{1, []string{"scaling", file + "x"}},
		{1, []string{"scaling", "--series", "z", file}}, {0, []string{"scaling", "--series", "0", file}},
		{1, []string{"scaling", "--plot", file + "/no/x.svg", file}},
		{2, []string{"export", file}}, {2, []string{"export", "--extra-p", "xml", file}},
		{1, []string{"export", "--extra-p", "text", file + "x"}},
	} {
		if got := scalingVerb(c.args...); got.status != c.status || c.status != 0 && (got.err == "" || got.out != "") {
			t.Errorf("%v: status %d, want %d: %s%s", c.args, got.status, c.status, got.out, got.err)
		}
	}
}

func TestScalingMode(t *testing.T) {
	lines := scalingInput(t, "s", `{"p":[1,2,4,8,16,32],"y":[64,33,17,9,5,3]}`)
	if s := scaledJSON(t, scalingVerb("scaling", "--json", lines)); s.Series[0].Mode != nil {
		t.Error("a mode that nobody declared")
	}
	if s := scaledJSON(t, scalingVerb("scaling", "--json", "--mode", "strong", lines)); s.Series[0].Mode == nil ||
		*s.Series[0].Mode != "strong" {
		t.Error("the declared mode is lost")
	}
}

func TestScalingPlot(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "x.svg")
	if c := scalingVerb("scaling", "--plot", svg, scalingInput(t, "a.csv", workedExample())); c.status != 0 {
		t.Fatal(c.err)
	}
	b, err := os.ReadFile(svg)
	if err != nil || !bytes.HasPrefix(b, []byte("<svg ")) || !bytes.Contains(b, []byte("change")) {
		t.Errorf("%v: %.200s", err, b)
	}
}

// Many series are a table, whose last line says what chance would do.
func TestScalingTable(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, `{"id":"kernel %d","p":[2,4,8,16,32,64],"y":[%d,4,8,16,32,64]}`+"\n", i, 2+i%2)
	}
	c := scalingVerb("scaling", scalingInput(t, "s", b.String()))
	if lines := strings.Split(c.out, "\n"); c.status != 0 || len(lines) < 201 ||
		!strings.HasPrefix(lines[200], "kernel 199") {
		t.Errorf("%d %s %d lines", c.status, c.err, len(lines))
	}
}
