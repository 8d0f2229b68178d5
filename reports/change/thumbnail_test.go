package change

import (
	"math"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/reports/pagetest"
)

func TestSmall(t *testing.T) {
	hs, found := everything()
	r := New(hs, changepoint.Sequential, found, options())
	for _, s := range r.Series {
		svg := Thumbnail(s)
		if s.Bad {
			if svg != "" {
				t.Errorf("%s: drawn", s.ID)
			}
			continue
		}
		pagetest.Picture(t, svg)
		if strings.Contains(svg, "NaN") || strings.Count(svg, "h0") < 30 || len(svg) > 2000 {
			t.Errorf("%s: %d bytes: %.200s", s.ID, len(svg), svg)
		}
	}
	// Outliers of a possible change are in the picture, at its edge if necessary.
	watched := JudgedHistory{History: aHistory("late"), Result: result("late")}
	watched.Y[35], watched.Result.Outliers = 90, []int{35}
	if svg := Thumbnail(watched); !strings.Contains(svg, `class="runs odd" d="M276,4h0"`) {
		t.Error(svg)
	}
	odd := JudgedHistory{History: aHistory("odd")}
	for k := range odd.Y {
		odd.Y[k] = math.NaN()
	}
	if Thumbnail(odd) != "" || Thumbnail(JudgedHistory{}) != "" {
		t.Error("nothing is drawn")
	}
	long := JudgedHistory{History: aHistory("long")}
	for range 1000 {
		long.Y, long.T = append(long.Y, 50), append(long.T, long.T[len(long.T)-1]+1)
	}
	if svg := Thumbnail(long); math.Abs(float64(strings.Count(svg, "h0")-smallRuns)) > 1 {
		t.Errorf("%d dots", strings.Count(svg, "h0"))
	}
	// A change long ago is in the picture.
	long.Result.Changes = []changepoint.Change{step(40, firstDay+40.5, 10)}
	if svg := Thumbnail(long); strings.Count(svg, ",0V") != 1 || strings.Count(svg, "h0") > 2*smallRuns ||
		strings.Count(svg, "h0") < smallRuns/2 {
		t.Errorf("%.300s", svg)
	}
}

func TestShortly(t *testing.T) {
	hs, found := everything()
	got := map[string]string{}
	for _, s := range New(hs, changepoint.Sequential, found, options()).Series {
		got[s.ID] = s.BriefText(options())
	}
	for id, want := range map[string]string{"nemo": "+14.9 % since 21 October", "both": "-20.0 % since 31 October",
		"watch": "+20.0 %, not confirmed yet",
		"bad":   "could not be read", "days": "+4.0 % since day 20739"} {
		if got[id] != want {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
}
