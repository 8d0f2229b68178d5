package pair_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/note"
)

func compare(a, b changepoint.Series, join pair.Join) pair.Comparison {
	return pair.Compare(a, b, join)
}

// Of 400 intervals of .99 some four miss; 15 would be missed once in 30,000
// times. The exact share is experiment's: .9886 at 15 and .9896 at 30 pairs.
func TestPairCoverage(t *testing.T) {
	t.Parallel()
	for _, n := range []int{15, 30} {
		r := rand.New(rand.NewPCG(11, uint64(n)))
		missed := 0
		for range 400 {
			a, b := draw.DrawPair(r, n, .04, .015, .06, math.Log(1.03))
			c := compare(a.Series, b.Series, pair.JoinDay)
			if *c.LoPct > 3 || *c.HiPct < 3 {
				missed++
			}
		}
		if missed > 14 {
			t.Errorf("%d pairs: %d of 400 intervals miss", n, missed)
		}
	}
}

func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	a, b := draw.DrawPair(r, 40, .04, .01, .05, math.Log(1.1))
	c := compare(a.Series, b.Series, pair.JoinDay)
	if c.Pairs != 40 || c.Dropped != 0 || c.Used != 40 || !c.Significant || c.Level != .99 {
		t.Errorf("%+v", c)
	}
	if math.Abs(*c.RelativePct-10) > 2 || *c.P > 1e-6 || c.Need != nil {
		t.Errorf("%v %%, p %v, need %v", *c.RelativePct, *c.P, c.Need)
	}
	if c.Correlation == nil || *c.Correlation < .3 {
		t.Errorf("correlation %v", c.Correlation)
	}
	n := 0
	for i, bin := range c.Histogram {
		n += bin.Count
		if bin.Hi <= bin.Lo || i > 0 && bin.Lo != c.Histogram[i-1].Hi {
			t.Errorf("bin %d: %+v", i, bin)
		}
	}
	if n != c.Used {
		t.Errorf("the histogram holds %d of %d pairs", n, c.Used)
	}
	// Exchanged, the ratio is the inverse.
	d := compare(b.Series, a.Series, pair.JoinDay)
	if math.Abs((1+*d.RelativePct/100)*(1+*c.RelativePct/100)-1) > 1e-9 {
		t.Errorf("there %v %%, back %v %%", *c.RelativePct, *d.RelativePct)
	}
}

func TestCompareSame(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	a, b := draw.DrawPair(r, 12, .04, .05, 0, 0)
	c := compare(a.Series, b.Series, pair.JoinDay)
	if c.Significant || c.RelativePct == nil || c.Need == nil || *c.Need < 10 {
		t.Errorf("%+v, need %v", c, c.Need)
	}
}

// Days and scales are not mixed: runs of one day may have several scales.
func TestJoin(t *testing.T) {
	a := changepoint.Series{T: []float64{1.2, 1.7, 2.1, 4.5, 6, 8}, Y: []float64{10, 14, 12, 12, 12, math.NaN()}}
	b := changepoint.Series{T: []float64{1.5, 2.4, 4.5, 6, 9}, Y: []float64{24, 24, 24, 24, 24}}
	c := compare(a, b, pair.JoinDay)
	if c.Pairs != 4 || c.Dropped != 2 {
		t.Errorf("by day: %d pairs, %d dropped; want 4, 2", c.Pairs, c.Dropped)
	}
	if math.Abs(*c.RelativePct-100) > 2 {
		t.Errorf("two runs of a day count as one: %v %%", *c.RelativePct)
	}
	c = compare(a, b, pair.JoinScale)
	if c.Pairs != 2 || c.Dropped != 7 {
		t.Errorf("by scale: %d pairs, %d dropped; want 2, 7", c.Pairs, c.Dropped)
	}
	if !contains(c.Notes, note.FewPairs) {
		t.Errorf("notes %v", c.Notes)
	}
	c = compare(a, changepoint.Series{T: []float64{99}, Y: []float64{1}}, pair.JoinDay)
	if c.RelativePct != nil || c.Changes == nil || c.Histogram == nil || !contains(c.Notes, note.NoPairs) {
		t.Errorf("nothing in common: %+v", c)
	}
}

// After a change of the ratio the figures describe the time since.
func TestRatioChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	a, b := draw.DrawPair(r, 60, .05, .01, .03, 0)
	for i := 40; i < 60; i++ {
		b.Y[i] *= 1.2
	}
	c := compare(a.Series, b.Series, pair.JoinDay)
	if len(c.Changes) != 1 || c.Changes[0].Index < 39 || c.Changes[0].Index > 41 || c.Used > 21 {
		t.Fatalf("%+v, %d used", c.Changes, c.Used)
	}
	if math.Abs(*c.RelativePct-20) > 2 || !contains(c.Notes, note.RatioChanged) {
		t.Errorf("%v %%", *c.RelativePct)
	}
	for _, n := range c.Notes {
		if n.Code == note.RatioChanged && !strings.HasPrefix(n.Text, "the ratio of the two histories changed once:") {
			t.Errorf("note %q", n.Text)
		}
	}
}

func TestCompareSets(t *testing.T) {
	set := func(y ...float64) changepoint.Series { return changepoint.Series{Y: y} }
	c := pair.CompareSets(set(10, 10.1, 10.2, 10.3), set(11, 11.1, 11.2, 11.3))
	if !c.Significant || math.Abs(*c.P-2.0/70) > 1e-9 || *c.LoPct < 5 || *c.HiPct > 14 {
		t.Errorf("four against four apart: %+v", c)
	}
	c = pair.CompareSets(set(10, 11, 12), set(20, 21, 22))
	if c.Significant || c.LoPct != nil || c.RelativePct == nil || !contains(c.Notes, note.TooFewSets) || c.Need == nil {
		t.Errorf("three against three cannot be significant: %+v", c)
	}
	c = pair.CompareSets(set(), set(1))
	if c.RelativePct != nil || !contains(c.Notes, note.TooFewSets) {
		t.Errorf("nothing: %+v", c)
	}
	c = pair.CompareSets(set(10, 10, 10, 10, 10), set(10, 10, 10, 10, 10))
	if c.Significant || *c.RelativePct != 0 {
		t.Errorf("all alike: %+v", c)
	}
	many := make([]float64, 5000)
	for i := range many {
		many[i] = 10 + float64(i%100)/100
	}
	c = pair.CompareSets(set(many...), set(many...))
	if c.Significant || c.Used != 10000 {
		t.Errorf("5000 against themselves: %v, p %v", c, *c.P)
	}
}

func contains(notes []note.Note, code note.Code) bool {
	return slices.ContainsFunc(notes, func(n note.Note) bool { return n.Code == code })
}
