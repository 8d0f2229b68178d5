package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// paired returns two CSV files of n days with common noise, in which the second takes longer by the given
// amount.
func paired(t *testing.T, n int, percent float64) (a, b string) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, uint64(n)))
	var one, two strings.Builder
	one.WriteString("t,value\n")
	two.WriteString("t,value\n")
	for i := range n {
		shared := 100 * math.Exp(.04*r.NormFloat64())
		fmt.Fprintf(&one, "%d,%.5f\n", i, shared*math.Exp(.005*r.NormFloat64()))
		fmt.Fprintf(&two, "%d,%.5f\n", i, shared*math.Exp(.005*r.NormFloat64())*(1+percent/100))
	}
	one.WriteString("1000,5\n") // a day that the other lacks
	return fileOf(t, "old.csv", one.String()), fileOf(t, "new.csv", two.String())
}

type compareJSON struct {
	Schema         string
	Pairs, Dropped int
	RelativePct    *float64 `json:"relative_pct"`
	Lo             *float64 `json:"ci_lo_pct"`
	Hi             *float64 `json:"ci_hi_pct"`
	Level, P       *float64
	Changes        []any
	Histogram      []struct {
		Lo, Hi float64
		Count  int
	}
	Notes []any
}

func TestCompare(t *testing.T) {
	a, b := paired(t, 30, 3)
	c := ask("compare", "--json", a, b)
	var v compareJSON
	if err := json.Unmarshal([]byte(c.out), &v); err != nil || c.status != 0 {
		t.Fatalf("%v: %s %s", err, c.out, c.complaint)
	}
	if v.Schema != "jobgait.compare/1" || v.Pairs != 30 || v.Dropped != 1 || *v.RelativePct < 2 || *v.RelativePct > 4 ||
		*v.Lo > 3 || *v.Hi < 3 || *v.Level != .99 || *v.P > .001 {
		t.Errorf("%s", c.out)
	}
	n := 0
	for _, bin := range v.Histogram {
		n += bin.Count
	}
	if n != 30 || v.Changes == nil || v.Notes == nil {
		t.Errorf("%s", c.out)
	}
	if out := ask("compare", a, b).out; !strings.Contains(out, "new.csv takes 3") ||
		!strings.Contains(out, "n = 30 pairs by day, 1 run dropped") {
		t.Error(out)
	}
	if out := ask("compare", a, a).out; !strings.Contains(out, "~") {
		t.Error(out)
	}
}

func TestCompareOfLittle(t *testing.T) {
	c := ask("compare", "--json", fileOf(t, "a.csv", "t,value\n1,2\n"), fileOf(t, "b.csv", "t,value\n2,2\n"))
	if c.status != 0 || !strings.Contains(c.out, `"pairs":0`) || !strings.Contains(c.out, `"relative_pct":null`) ||
		!strings.Contains(c.out, `"histogram":[]`) {
		t.Errorf("%+v", c)
	}
}

// Runs without a common day are compared as two sets; with three runs each no difference can be significant.
func TestCompareWithoutCommonDays(t *testing.T) {
	a := fileOf(t, "a.csv", "t,value\n1,100\n1,101\n1,99\n1,100.5\n1,99.5\n")
	b := fileOf(t, "b.csv", "t,value\n2,110\n2,111\n2,109\n2,110.5\n2,109.5\n")
	for _, args := range [][]string{{a, b}, {"--join", "none", a, b}} {
		got := ask(append([]string{"compare"}, args...)...)
		flat := strings.Join(strings.Fields(got.out), " ")
		if got.status != 0 || !strings.Contains(flat, "b.csv takes 10.0 % longer than a.csv (95 % interval 8.") ||
			!strings.Contains(flat, "n = 5 and 5 runs, 0 runs dropped") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	three, few := fileOf(t, "three.csv", "t,value\n1,100\n1,101\n1,99\n"),
		fileOf(t, "c.csv", "t,value\n3,120\n3,121\n3,122\n")
	if got := ask("compare", three, few); !strings.Contains(got.out, "need 1 more run of each") ||
		strings.Contains(got.out, "takes") {
		t.Errorf("%+v", got)
	}
}

// A fault in one of the two inputs is reported with its name.
func TestCompareOfBadInput(t *testing.T) {
	good := fileOf(t, "a.csv", "t,value\n1,2\n2,3\n3,2\n")
	if c := ask("compare", "--json", good, fileOf(t, "b", `{"id":"b","t":[1],"y":[]}`)); c.status != 0 ||
		!strings.Contains(c.out, `"code":"bad_series","text":"b: t has 1 entry but y has 0`) {
		t.Errorf("%+v", c)
	}
	if c := ask("compare", "--json", good, fileOf(t, "b.csv", "t,value\n3,2\n1,2\n2,2\n")); c.status != 0 ||
		!strings.Contains(c.out, `"code":"unsorted","text":"b.csv: `) || !strings.Contains(c.out, `"pairs":3`) {
		t.Errorf("%+v", c)
	}
}

func TestCompareSeries(t *testing.T) {
	lines := fileOf(t, "a", `{"id":"a","t":[1,2,3,4,5],"y":[1,2,3,4,5]}`+"\n"+
		`{"id":"b","t":[1,2,3,4,5],"y":[2,4,6,8,10]}`+"\n")
	c := ask("compare", "--series", "a", "--series", "b", "--join", "scale", lines, lines)
	if c.status != 0 || !strings.Contains(c.out, "b takes 100 % longer than a") || !strings.Contains(c.out, "by scale") {
		t.Errorf("%+v", c)
	}
	for _, k := range []struct {
		status int
		args   []string
	}{
		{2, []string{lines, lines}}, {1, []string{"--series", "c", lines, lines}}, {2, []string{lines}},
		{2, []string{"--join", "hour", lines, lines}},
		{2, []string{"-", "-"}}, {1, []string{"--series", "a", lines, lines + ".not"}},
		{2, []string{"--series", "a", "--series", "b", "--series", "a", lines, lines}},
		{2, []string{"--t-unit", "x", lines, lines}},
	} {
		if got := ask(append([]string{"compare"}, k.args...)...); got.status != k.status || got.complaint == "" {
			t.Errorf("%v: %+v", k.args, got)
		}
	}
}
