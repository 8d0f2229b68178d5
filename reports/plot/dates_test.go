package plot

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"jobgait/reports/pagetest"
)

func labels(ticks []Tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return strings.Join(out, "|")
}

func TestDateTicks(t *testing.T) {
	day := func(s string) float64 {
		at, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return float64(at.Unix()) / dayS
	}
	for _, c := range []struct{ lo, hi, want string }{
		{"2026-09-01 00:00", "2026-11-20 00:00", "14 Sep 2026|28 Sep|12 Oct|26 Oct|9 Nov"},
		{"2026-11-16 00:00", "2026-11-20 00:00", "16 Nov 2026|17 Nov|18 Nov|19 Nov|20 Nov"},
		{"2025-11-16 00:00", "2026-11-20 00:00", "Jan 2026|Apr|Jul|Oct"},
		{"2019-02-16 00:00", "2026-11-20 00:00", "2020|2022|2024|2026"},
		{"2026-11-20 05:30", "2026-11-20 06:20", "20 Nov 05:30|05:45|06:00|06:15"},
	} {
		if got := labels(DateTicks(day(c.lo), day(c.hi), 6)); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// Ticks lie in the range, ascend and do not greatly exceed the requested number.
func TestTicksLieInRange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		lo := 60000*r.Float64() - 20000
		hi := lo + math.Pow(10, 6*r.Float64()-2)
		for name, ticks := range map[string][]Tick{"dates": DateTicks(lo, hi, 7), "numbers": NumberTicks(lo, hi, 7, "day ")} {
			if len(ticks) > 16 {
				t.Fatalf("%s %g to %g: %d ticks", name, lo, hi, len(ticks))
			}
			for i, k := range ticks {
				if k.Value < lo-1e-6 || k.Value > hi+1e-6 || i > 0 && k.Value <= ticks[i-1].Value {
					t.Fatalf("%s %g to %g: %+v", name, lo, hi, ticks)
				}
			}
		}
		s, ticks := Between(3, []float64{lo, hi})
		if s.Lo >= lo || s.Hi <= hi || len(ticks) == 0 || len(ticks) > 8 {
			t.Fatalf("between %g and %g: %+v %+v", lo, hi, s, ticks)
		}
	}
	for _, c := range [][2]float64{{1, 1}, {0, 0}, {math.NaN(), 1}, {0, math.Inf(1)}, {-1e308, 1e308}} {
		if s, _ := Between(3, c[:]); !(s.Hi > s.Lo) {
			t.Errorf("%v: %+v", c, s)
		}
	}
}

// What a history is drawn with is well formed and holds hostile text as text.
func TestRunLayers(t *testing.T) {
	c := New(Frame{Name: "a<b", Height: 90, X: Scale{0, 10}, Y: Scale{0, 1}})
	c.Boxes("spread", []Box{{0, 5, .2, .4}, {5, 10, .5, .6}})
	c.Dots("runs", []float64{1, 2, math.NaN(), 9}, []float64{.3, math.NaN(), .3, .5})
	c.Levels("level", []Box{{0, 5, .3, 0}})
	c.Mark("change", 5, "+5 %", `"<&`)
	c.Strips([]float64{0, 4, 6, 10}, []string{"one\ntwo", "", "<x>"})
	svg := c.SVG()
	pagetest.Picture(t, svg)
	for _, want := range []string{`class="tips"><path d="M0,0H400V90H0"><title>one`, "&lt;x&gt;", `M900,45h0"`,
		"M500,0v90"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if strings.Count(svg, "h0") != 2 {
		t.Errorf("missing values are drawn: %s", svg)
	}
}
