package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"jobgait/reports/pagetest"
)

var nan = math.NaN()

func TestChart(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5}
	y := []float64{1, 2, nan, 4, nan, 3}
	s, ticks := FromZero(3, y)
	c := New(Frame{Name: `a "name" <b>`, Class: "k", Height: 100, X: Scale{0, 5}, Y: s, XTicks: TimeTicks(0, 5, 5),
		YTicks: ticks})
	c.Span("p0", 0, 3, "A", "from & to")
	c.Band("band", x, y, y)
	c.Bins("bins", append(x, 6), y, y)
	c.Line("line", x, y)
	c.Points([]string{"a", "a", "a", "a", "a", "a"}, x, y, []string{"<1>", "", "", "", "", ""})
	c.Bars([]string{"a", "a", "a", "a", "a", "a"}, y, []string{"", "", "", "", "", ""})
	svg := c.SVG()
	pagetest.Picture(t, svg)
	for what, want := range map[string]int{"<circle": 4, `class="a" x=`: 4, "<polyline": 0, "<title>": 2 + 4 + 4} {
		if got := strings.Count(svg, what); got != want {
			t.Errorf("%d of %s, want %d in %s", got, what, want, svg)
		}
	}
	line := svg[strings.Index(svg, `class="line"`):]
	line = line[:strings.Index(line, "/>")]
	if strings.Count(line, "M") != 3 {
		t.Errorf("a line with two gaps has not three parts: %s", line)
	}
}

// Positions in a chart of ten by ten, 100 high and 1000 units wide: larger values are higher, later times are
// further right.
func TestGeometry(t *testing.T) {
	frame := Frame{Height: 100, X: Scale{0, 10}, Y: Scale{0, 10}, YTicks: []Tick{{0, "0"}, {5, "5"}}}
	for name, c := range map[string]struct {
		draw func(*Chart)
		want []string // all of it, in order
	}{
		"a line": {func(c *Chart) {
			c.Line("l", []float64{1, 2, 3, 4, 5}, []float64{1, 9, nan, 4, nan})
		}, []string{`d="M100,90L200,10M400,60h0"`}},
		"a band": {func(c *Chart) { c.Band("b", []float64{1, 2, 3}, []float64{1, 2, 3}, []float64{4, 5, 6}) },
			[]string{`d="M100,60L200,50L300,40L300,70L200,80L100,90Z"`}},
		"bins": {func(c *Chart) { c.Bins("b", []float64{0, 1, 3}, []float64{1, 2}, []float64{4, 5}) },
			[]string{`d="M0,60V60H100V50H300V80H100V90H0Z"`}},
		"bars": {func(c *Chart) { c.Bars([]string{"u", "v", "w"}, []float64{2, nan, 10}, []string{"", "", ""}) },
			[]string{`class="u" x="7.5" y="80" width="85" height="20"`, `class="w" x="207.5" y="0" width="85" height="100"`}},
		"points": {func(c *Chart) { c.Points([]string{"p", "p"}, []float64{1, 2.5}, []float64{10, 0}, []string{"a", ""}) },
			[]string{`cx="10%" cy="20" r="4"><title>a</title>`, `cx="25%" cy="120" r="4"`}},
		"marks": {func(c *Chart) { c.Marks("m", 2.5, []float64{10, 0}, []float64{10, 0}, []string{"", "b"}) },
			[]string{`cx="100%" cy="20" r="2.5"/>`, `cx="0%" cy="120" r="2.5"><title>b</title>`}},
		"a span": {func(c *Chart) {
			c.Span("s", 2, 5, "A", "")
		}, []string{`x="200" y="0" width="300" height="100"`, `class="mark" x="35%"`}},
		"a narrow span": {func(c *Chart) {
			c.Span("s", 2, 2.16, "A", "")
		}, []string{`x="200" y="0" width="16" height="100"`}},
		"a word": {func(c *Chart) {
			c.Span("s", 2, 2.4, "Abc", "")
		}, []string{`width="40" height="100"`, `class="mark word" x="22%"`}},
		"a word in a gap": {func(c *Chart) { c.Span("s", 2, 2.33, "Abc", "") }, []string{`width="33" height="100"`}},
		"beyond the chart": {func(c *Chart) {
			c.Line("l", []float64{-5, 15}, []float64{-5, 15})
		}, []string{`d="M0,100L1000,0"`}},
	} {
		c1 := New(frame)
		c.draw(c1)
		svg := c1.SVG()
		if grid := strings.Count(svg, `class="grid"`); grid != 2*strings.Count(svg, `d="M0,50H1000"`) {
			t.Errorf("%s: %d lines of the grid: %s", name, grid, svg)
		}
		drawn := regexp.MustCompile(`<(path class="[^g]|rect|circle|text class="mark)`).FindAllString(svg, -1)
		if len(drawn) != len(c.want) {
			t.Errorf("%s: %d things are drawn, want %d: %s", name, len(drawn), len(c.want), svg)
		}
		rest := svg
		for _, want := range c.want {
			i := strings.Index(rest, want)
			if i < 0 {
				t.Errorf("%s: no %s in %s", name, want, svg)
				break
			}
			rest = rest[i+len(want):]
		}
	}
	// The grid is drawn once, behind the data.
	c := New(frame)
	c.Line("l", []float64{1, 2}, []float64{1, 2})
	c.Line("m", []float64{1, 2}, []float64{1, 2})
	if svg := c.SVG(); strings.Count(svg, `class="grid"`) != 2 ||
		strings.Index(svg, `class="grid"`) > strings.Index(svg, `class="l"`) {
		t.Error(svg)
	}
}

func TestEmptyChartIsWellFormed(t *testing.T) {
	for _, f := range []Frame{{}, {X: Scale{nan, nan}, Y: Scale{math.Inf(-1), math.Inf(1)}, Height: 10}} {
		c := New(f)
		c.Line("l", nil, nil)
		c.Line("l", []float64{nan}, []float64{nan})
		c.Bars(nil, nil, nil)
		if s := c.SVG(); strings.Contains(s, "style=") || !strings.HasSuffix(s, "</svg>") {
			t.Error(s)
		}
	}
	pagetest.Picture(t, Meter("v", 3, 4, "<tip>"))
	pagetest.Picture(t, Meter("v", 3, 0, ""))
	pagetest.Picture(t, Swatch(`"p0`))
}

func TestFromZero(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "1.08 [0.0 0.5 1.0]"}, {[]float64{nan, math.Inf(1), -3}, "1.08 [0.0 0.5 1.0]"},
		{[]float64{62}, "66.96 [0 20 40 60]"},
		{[]float64{0.97}, "1.048 [0.0 0.5 1.0]"}, {[]float64{4100}, "4428 [0 2k 4k]"},
		{[]float64{3e10}, "3.24e+10 [0 10G 20G 30G]"}, {[]float64{0.002}, "0.00216 [0.000 0.001 0.002]"},
	} {
		s, ticks := FromZero(3, c.values)
		labels := make([]string, len(ticks))
		for i, k := range ticks {
			labels[i] = k.Label
		}
		if got := fmt.Sprintf("%.4g %v", s.Hi, labels); got != c.want {
			t.Errorf("%v: got %s, want %s", c.values, got, c.want)
		}
	}
}

func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 3604, "[0:00:00 0:10:00 0:20:00 0:30:00 0:40:00 0:50:00 1:00:00]"}, {0, 6.2, "[0 s 1 s 2 s 3 s 4 s 5 s 6 s]"},
		{0, 0.005, "[0 ms 1 ms 2 ms 3 ms 4 ms 5 ms]"}, {0, 90, "[0 s 15 s 30 s 45 s 60 s 75 s 90 s]"},
		{100, 130, "[0:01:40 0:01:45 0:01:50 0:01:55 0:02:00 0:02:05 0:02:10]"},
		{0, 8 * 86400, "[0:00:00 48:00:00 96:00:00 144:00:00 192:00:00]"}, {0, 0, "[]"}, {nan, 1, "[]"},
	} {
		labels := []string{}
		for _, k := range TimeTicks(c.lo, c.hi, 7) {
			labels = append(labels, k.Label)
		}
		if got := fmt.Sprint(labels); got != c.want {
			t.Errorf("%g to %g: got %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// However long the axis, the ticks are in order, inside it, and not too many.
func TestTimeTicksAreFew(t *testing.T) {
	for hi := 1e-4; hi < 1e8; hi *= 1.3 {
		for _, lo := range []float64{0, hi * 0.9} {
			ticks := TimeTicks(lo, hi, 6)
			if len(ticks) < 1 && lo == 0 || len(ticks) > 7 {
				t.Errorf("%g to %g: %d ticks", lo, hi, len(ticks))
			}
			for i, k := range ticks {
				if k.Value < lo*(1-1e-9) || k.Value > hi*(1+1e-9) || i > 0 && k.Value <= ticks[i-1].Value {
					t.Errorf("%g to %g: tick at %g", lo, hi, k.Value)
				}
			}
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", `<&>"'`, "\x00\x1b\xff", "]]>", "a\u202eb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := Escape(s)
		if strings.ContainsAny(e, `<>"'`) {
			t.Errorf("Escape(%q) = %q", s, e)
		}
		d := xml.NewDecoder(strings.NewReader(`<a b="` + e + `">` + e + `</a>`))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("Escape(%q) = %q: %v", s, e, err)
			}
		}
	})
}
