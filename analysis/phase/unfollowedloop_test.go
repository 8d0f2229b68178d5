package phase

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// codeSet is samples of three pages of code: start and end have a page of their own, the loop has two in turn, each
// half a cycle of 20 slots.
func codeSet(seed uint64, start, loop, end int) series.Set {
	return crowdedSet(seed, start, loop, end, [2]int{})
}

// crowdedSet is codeSet with a stretch of slots in which other programs leave the job a seventh of its CPU.
func crowdedSet(seed uint64, start, loop, end int, crowded [2]int) series.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	n := start + loop + end
	pages := []series.Values{make(series.Values, n), make(series.Values, n), make(series.Values, n)}
	ran := 0. // slots of CPU time in the loop
	for i := range n {
		page, share := 2, 1.
		if i >= crowded[0] && i < crowded[1] {
			share = 1. / 7
		}
		if i >= start && i < start+loop {
			page = int(ran/10) % 2
			ran += share
		}
		for range 5 {
			if r.Float64() > share {
				continue
			}
			if r.IntN(10) == 0 {
				pages[r.IntN(3)][i]++
			} else {
				pages[page][i]++
			}
		}
	}
	s := series.Set{StepS: .005}
	for p, name := range []string{"code:a", "code:b", series.OtherCode} {
		s.Columns = append(s.Columns, series.Column{Name: name, Unit: "samples", Scope: series.JobScope,
			Group: series.CodeGroup, Values: pages[p]})
	}
	return s
}

// TestLoopThatIsNotFollowed checks that a stretch before, between or after the recognized cycles in which the code of
// the loop runs is neither start-up nor tail, and that one in which other code runs is.
func TestLoopThatIsNotFollowed(t *testing.T) {
	for _, c := range []struct {
		name             string
		start, loop, end int
		recognized       [][2]int // slots
		want             string
	}{
		{"all recognized", 200, 2000, 200, [][2]int{{200, 2200}}, "start-up loopA tail "},
		{"the end is lost", 200, 2000, 200, [][2]int{{200, 1200}}, "start-up loopA unfollowed tail "},
		{"the beginning is lost", 200, 2000, 200, [][2]int{{1000, 2200}}, "start-up unfollowed loopA tail "},
		{"the middle is lost", 200, 2000, 200, [][2]int{{200, 800}, {1400, 2200}},
			"start-up loopA unfollowed loopA tail "},
		{"lost to the end", 200, 2000, 0, [][2]int{{200, 1200}}, "start-up loopA unfollowed "},
	} {
		s := codeSet(uint64(len(c.name)), c.start, c.loop, c.end)
		p := periodicity.Period{Timing: periodicity.Timing{PeriodS: .1, PeriodSamples: 20}}
		for _, x := range c.recognized {
			for at := x[0]; at < x[1]; at += 20 {
				p.Instances = append(p.Instances, periodicity.Instance{First: at, Length: 20})
			}
			p.Regions = append(p.Regions, periodicity.Region{StartS: float64(x[0]) * .005, EndS: float64(x[1]) * .005})
		}
		table := Table(s, []pattern.Pattern{{ID: "A"}}, []periodicity.Period{p})
		if got := kinds(table); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		checkCover(t, table, 0, float64(c.start+c.loop+c.end)*.005)
	}
}

// TestLoopThatOthersSlow checks that a stretch in which other programs have most of the CPU is neither start-up nor
// tail if the loop's code runs there, although a stretch as long as two cycles holds less than one.
func TestLoopThatOthersSlow(t *testing.T) {
	for _, c := range []struct {
		name       string
		crowded    [2]int // slots
		recognized [2]int
		want       string
	}{
		{"first", [2]int{200, 2200}, [2]int{2200, 4200}, "start-up unfollowed loopA tail "},
		{"last", [2]int{2200, 4200}, [2]int{200, 2200}, "start-up loopA unfollowed tail "},
	} {
		for seed := range uint64(5) {
			s := crowdedSet(seed, 200, 4000, 200, c.crowded)
			p := periodicity.Period{Timing: periodicity.Timing{PeriodS: .1, PeriodSamples: 20}}
			for at := c.recognized[0]; at < c.recognized[1]; at += 20 {
				p.Instances = append(p.Instances, periodicity.Instance{First: at, Length: 20})
			}
			p.Regions = []periodicity.Region{{StartS: float64(c.recognized[0]) * .005, EndS: float64(c.recognized[1]) * .005}}
			table := Table(s, []pattern.Pattern{{ID: "A"}}, []periodicity.Period{p})
			if got := kinds(table); got != c.want {
				t.Errorf("%s, draw %d: %q, want %q", c.name, seed, got, c.want)
			}
			for _, stage := range table {
				if stage.Kind != Loop && stage.Kind != Unfollowed && stage.EndS-stage.StartS > 2 {
					t.Errorf("%s, draw %d: %s from %.2f to %.2f s", c.name, seed, stage.Kind, stage.StartS, stage.EndS)
				}
			}
		}
	}
}
