package scaling

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"jobgait/analysis/scaling"
	"jobgait/reports/pagetest"
	"jobgait/reports/text"
)

func TestScreens(t *testing.T) {
	for _, c := range cases() {
		var b bytes.Buffer
		if err := Text(&b, report(c)); err != nil {
			t.Fatal(err)
		}
		pagetest.Golden(t, c.name+".txt", b.Bytes())
		for _, l := range strings.Split(b.String(), "\n") {
			if utf8.RuneCountInString(l) > text.PageWidth || strings.Contains(l, "NaN") || strings.Contains(l, "Inf") {
				t.Errorf("%s: %q", c.name, l)
			}
		}
	}
}

func TestTable(t *testing.T) {
	list := cases()
	list[0].series.ID, list[0].result.ID = "a call path that is longer than its column|step_s",
		"a call path that is longer than its column|step_s"
	r := report(list...)
	r.Expected = 0.25
	r.Common = &scaling.SharedChange{Strength: 12.345, After: 32, Before: 64, Share: 0.2, Members: []int{0, 3, 5}}
	var b bytes.Buffer
	if err := Text(&b, r); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "table.txt", b.Bytes())
}

func TestJSON(t *testing.T) {
	all := cases()
	r := report(all[:len(all)-1]...) // without the numbers that package scaling never gives
	r.Numbers = []bool{true}
	r.Common = &scaling.SharedChange{Strength: 12.345, After: 32, Before: 64, Share: 0.2, Members: []int{}}
	r.Series[0].ID, r.Results[0].ID = "17", "17"
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) || strings.Contains(b.String(), "NaN") {
		t.Fatalf("not JSON: %s", b.String())
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "all.json", pretty.Bytes())
	for _, never := range []string{`"cuts":null`, `"changes":null`, `"segments":null`, `"predictions":null`, `"next":null`,
		`"notes":null`, `"terms":null`, `"members":null`} {
		if strings.Contains(b.String(), never) {
			t.Errorf("%s: lists are never null", never)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range cases() {
		lines := Lines(c.result, c.series.Observations)
		if len(lines) < 1 || len(lines) > 6 {
			t.Errorf("%s: %d lines: %q", c.name, len(lines), lines)
		}
		pagetest.Golden(t, c.name+".lines", []byte(strings.Join(lines, "\n")+"\n"))
	}
}

func TestPictures(t *testing.T) {
	for _, c := range cases() {
		var b bytes.Buffer
		if _, err := Picture(&b, report(c)); err != nil {
			t.Fatal(err)
		}
		pagetest.Picture(t, b.String())
		if strings.Contains(b.String(), "var(") {
			t.Errorf("%s: a variable that viewers of SVG do not know", c.name)
		}
		pagetest.Picture(t, Chart(c.result, c.series.Observations))
	}
}

// A picture shows each thing that it says it shows.
func TestPictureShows(t *testing.T) {
	list := map[string]made{}
	for _, c := range cases() {
		list[c.name] = c
	}
	for _, want := range []struct {
		name, what string
		n          int
	}{
		{"segmented", `<circle class="dot"`, 10}, {"segmented", `class="runs"`, 1}, {"segmented", `class="line whole"`, 1},
		{"segmented", `class="line c0"`, 1},
		{"segmented", `class="line c1"`, 1}, {"segmented", `class="band foresight"`, 1},
		{"segmented", `class="span change"`, 1}, {"segmented", `class="wanted"`, 1},
		{"five-points", `class="runs"`, 0}, {"five-points", `class="span change"`, 0}, {"five-points", `class="line c0"`, 1},
		{"two-changes", `class="cut"`, 2}, {"two-changes", `class="line c2"`, 1}, {"points-missing", `class="wanted"`, 2},
		{"points-missing", ">?</text>", 2},
		{"negative", `<circle class="dot"`, 10}, {"too-few", `<circle class="dot"`, 2},
	} {
		c := list[want.name]
		if got := strings.Count(Chart(c.result, c.series.Observations), want.what); got != want.n {
			t.Errorf("%s: %d of %s, want %d", want.name, got, want.what, want.n)
		}
	}
}

// A picture of very many runs is still one that a browser opens.
func TestPictureIsBounded(t *testing.T) {
	s := scaling.Series{ID: "x"}
	for i := range 100_000 {
		s.Observations = append(s.Observations, scaling.Observation{P: float64(1 + i/2), Value: float64(1 + i)})
	}
	r := scaling.Result{ID: "x", N: 50_000, Whole: lawOf(0, 2, 1, 0)}
	if n := len(Chart(r, s.Observations)); n > 300_000 {
		t.Errorf("%d bytes", n)
	}
}

func TestPicturesAreFew(t *testing.T) {
	list := cases()
	for len(list) < 40 {
		list = append(list, list[3])
	}
	var b bytes.Buffer
	left, err := Picture(&b, report(list...))
	if err != nil || left != 40-mostPictures || strings.Count(b.String(), `class="chart scaling"`) != mostPictures {
		t.Errorf("%d left out, %v", left, err)
	}
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		m    *scaling.Model
		want string
		f    string
	}{
		{lawOf(5), "does not change with p", "5"},
		{lawOf(0, 1, 1, 1), "grows like p log2 p", "p log2 p"},
		{lawOf(-2.5, 3, 0.5, 0, 1e-12, 1.25, 2), "grows like p^(5/4) (log2 p)^2",
			"-2.5 + 3 sqrt(p) + 1e-12 p^(5/4) (log2 p)^2"},
		{lawOf(1, 2, -1, 0), "falls like 1/p towards 1", "1 + 2/p"},
		{lawOf(0, 2, -0.5, 0), "falls like p^(-1/2)", "2 p^(-1/2)"},
		{lawOf(9, -2, -2, 0), "rises towards 9", "9 - 2 p^-2"},
		{lawOf(9, -2, 0, 1), "falls like -log2 p", "9 - 2 log2 p"},
		{lawOf(0, -1, 1, 0), "falls like -p", "-p"},
		{lawOf(1, 1, 0, 0), "does not change with p", "1 + 1"},
	} {
		if g := growth(*c.m, "p"); g != c.want {
			t.Errorf("%s, want %s", g, c.want)
		}
		if f := formula(*c.m, "p"); f != c.f {
			t.Errorf("%s, want %s", f, c.f)
		}
	}
}

// Slopes are compared of laws that grow alike.
func TestSteeper(t *testing.T) {
	for _, c := range []struct {
		a, b *scaling.Model
		want string
	}{
		{lawOf(5, 2, 1, 0), lawOf(5, 6, 1, 0), ", 3 times as steep"},
		{lawOf(5, 8, 1, 0), lawOf(5, 2, 1, 0), ", 4 times less steep"},
		{lawOf(5, 2, 1, 0), lawOf(5, 2.05, 1, 0), ""},
		{lawOf(5, 2, 1, 0), lawOf(5, 6, 2, 0), ""},
		{lawOf(5, 2, 1, 0), lawOf(5, 6, 1, 1), ""},
		{lawOf(5, 2, -1, 0), lawOf(5, 6, -1, 0), ""},
		{lawOf(5), lawOf(5, 6, 1, 0), ""},
		{lawOf(5, 2, 1, 0), lawOf(5, -6, 1, 0), ""},
	} {
		if got := steeper(*c.a, *c.b); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestNamesAreCleaned(t *testing.T) {
	c := cases()[0]
	c.series.ID = "a\x1b[2Jb\u202e\n" + strings.Repeat("x", 1000)
	c.result.ID = c.series.ID
	var b bytes.Buffer
	if err := Text(&b, report(c)); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") || utf8.RuneCountInString(b.String()) > 2500 {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	if _, err := Picture(&b, report(c)); err != nil {
		t.Fatal(err)
	}
	pagetest.Picture(t, b.String())
}

func TestGrid(t *testing.T) {
	a, b := byLaws(powers(5), 1, nil, lawOf(1)), byLaws(powers(6), 1, nil, lawOf(1))
	c := byLaws(powers(5), 3, nil, lawOf(2))
	other := a
	other.Parameter = "tasks"
	for _, k := range []struct {
		list []scaling.Series
		want bool
	}{{nil, false}, {[]scaling.Series{a}, false}, {[]scaling.Series{a, c}, true}, {[]scaling.Series{a, c, b}, false},
		{[]scaling.Series{a, other}, false}} {
		if Grid(k.list) != k.want {
			t.Errorf("%d series: %t", len(k.list), !k.want)
		}
	}
}
