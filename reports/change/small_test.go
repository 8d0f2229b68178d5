package change

import (
	"math"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

func TestSmall(t *testing.T) {
	hs, found := everything()
	r := New(hs, changepoint.Sequential, found, options())
	for _, s := range r.Series {
		svg := Small(s)
		if s.Bad {
			if svg != "" {
				t.Errorf("%s: drawn", s.ID)
			}
			continue
		}
		wellFormed(t, svg)
		if strings.Contains(svg, "NaN") || strings.Count(svg, "h0") < 30 || len(svg) > 2000 {
			t.Errorf("%s: %d bytes: %.200s", s.ID, len(svg), svg)
		}
	}
	odd := Judged{History: history("odd")}
	for k := range odd.Y {
		odd.Y[k] = math.NaN()
	}
	if Small(odd) != "" || Small(Judged{}) != "" {
		t.Error("nothing is drawn")
	}
	long := Judged{History: history("long")}
	for range 1000 {
		long.Y, long.T = append(long.Y, 50), append(long.T, long.T[len(long.T)-1]+1)
	}
	if svg := Small(long); strings.Count(svg, "h0") != smallRuns {
		t.Errorf("%d dots", strings.Count(svg, "h0"))
	}
}

func TestShortly(t *testing.T) {
	hs, found := everything()
	got := map[string]string{}
	for _, s := range New(hs, changepoint.Sequential, found, options()).Series {
		got[s.ID] = s.Shortly(options())
	}
	for id, want := range map[string]string{"nemo": "+14.9 % since 21 Oct", "both": "-20.0 % since 31 Oct", "watch": "not confirmed yet",
		"bad": "cannot be told", "days": "+4.0 % since day 20739"} {
		if got[id] != want {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
}
