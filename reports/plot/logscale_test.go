package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jobgait/reports/pagetest"
)

func labelsOf(ticks []Tick) string {
	var l []string
	for _, t := range ticks {
		l = append(l, t.Label)
	}
	return strings.Join(l, " ")
}

func TestLogScale(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1, 2, 4, 8}, "1 2 5"},
		{[]float64{5, 6, 7}, "5 5.5 6 6.5 7 7.5"},
		{[]float64{3}, "2.5 3 3.5"},
		{[]float64{1, 1000}, "1 3 10 30 100 300 1000"},
		{[]float64{1e-9, 1e9}, "1e-09 1e-06 0.001 1 1000 1M 1G"},
		{[]float64{1, 1e6, nan, -3, 0, math.Inf(1)}, "1 10 100 1000 10000 100000 1M"},
		{nil, "1 2 5 10"},
	} {
		s, ticks := LogScale(7, 0.02, c.values)
		if got := labelsOf(ticks); got != c.want {
			t.Errorf("%v: ticks %s, want %s", c.values, got, c.want)
		}
		for _, k := range ticks {
			if k.Value < s.Lo || k.Value > s.Hi {
				t.Errorf("%v: tick %s at %g is outside %v", c.values, k.Label, k.Value, s)
			}
		}
	}
}

// However long the axis, there are some ticks and not too many.
func TestLogTicksAreFew(t *testing.T) {
	for length := 0.01; length < 700; length *= 1.3 {
		for _, lo := range []float64{-300, -1.37, 0, 5} {
			ticks := logTicks(Scale{lo, lo + length}, 6)
			if len(ticks) > 6 || len(ticks) == 0 {
				t.Errorf("%g decades from %g: %d ticks", length, lo, len(ticks))
			}
		}
	}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{-7, 2}, "-6 -4 -2 0 2"}, {[]float64{0, 0}, "-0.04 -0.02 0.00 0.02 0.04"},
		{[]float64{nan}, "0.0 0.2 0.4 0.6 0.8 1.0"}, {[]float64{-1e9, -1e6}, "-1G -0.8G -0.6G -0.4G -0.2G 0"},
	} {
		if _, ticks := Between(5, c.values); labelsOf(ticks) != c.want {
			t.Errorf("%v: ticks %s, want %s", c.values, labelsOf(ticks), c.want)
		}
	}
}

func TestMarksStayInside(t *testing.T) {
	c := New(Frame{Height: 100, X: Scale{0, 1}, Y: Scale{0, 1}})
	x, y := []float64{0.5, 2, 0.5, nan}, []float64{0.5, 0.5, -1, 0.5}
	c.Marks("m", 3, x, y, []string{"<tip>"})
	c.Letters("l", x, y, "<")
	svg := c.SVG()
	pagetest.Picture(t, svg)
	if strings.Count(svg, "<circle") != 1 || strings.Count(svg, "&lt;</text>") != 1 {
		t.Error(svg)
	}
	clipped := c.Clip([]float64{0, 0.5, 1.5, -0.1, nan})
	if fmt.Sprint(clipped) != "[0 0.5 NaN NaN NaN]" {
		t.Error(clipped)
	}
}
