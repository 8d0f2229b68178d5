package change

import (
	"math/rand/v2"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

// All runs of the newest level lie inside the axis: runs that take half as long again and are outliers so far too.
func TestNewestLevelIsInsideTheAxis(t *testing.T) {
	s := JudgedHistory{History: aHistory("late"), Result: result("late")}
	s.Y[3], s.Y[34], s.Y[35], s.Result.Outliers = 500, 75, 76, []int{3, 34, 35}
	lo, hi, ok := s.valueRange()
	if !ok || lo > 50 || hi < 76 {
		t.Errorf("the axis reaches from %g to %g", lo, hi)
	}
	if hi > 100 {
		t.Errorf("an outlier of an earlier level stretches the axis to %g", hi)
	}
}

// Runs that take turns between two levels have two lines and no mean between them, and both levels in words.
func TestTwoLevelsAreTwoLines(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 15))
	h := aHistory("pair")
	for i := range h.Y {
		h.Y[i] = (100 + 30*float64(r.IntN(2))) * (1 + 0.004*r.NormFloat64())
	}
	found := changepoint.Analyse([]changepoint.Series{h.Series}, changepoint.Sequential, changepoint.Default())
	s := New([]History{h}, changepoint.Sequential, found, options()).Series[0]
	if l := s.Result.Levels; len(l) != 2 || l[0] < 98 || l[0] > 102 || l[1] < 127 || l[1] > 133 {
		t.Fatalf("levels %v", l)
	}
	small := Thumbnail(s)
	_, levels, _ := strings.Cut(small, `class="level" d="`)
	levels, _, _ = strings.Cut(levels, `"`)
	if strings.Count(levels, "H") != 2 {
		t.Errorf("the levels are drawn as %q", levels)
	}
	large := Timeline(s, DefaultView(options()))
	if _, rest, _ := strings.Cut(large, `class="level"`); strings.Count(rest[:strings.Index(rest, "/>")], "H") != 2 &&
		strings.Count(large, `class="level"`) != 2 {
		t.Errorf("the levels are drawn as %.300s", rest)
	}
	s.Status = Pass // whatever the last run is
	if words := s.BriefText(options()); !strings.Contains(words, " or ") {
		t.Errorf("in words: %q", words)
	}
}
