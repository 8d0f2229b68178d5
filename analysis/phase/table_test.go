package phase

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// set of n samples of 5 ms that begins at start.
func set(start float64, n int) series.Set {
	return series.Set{StartS: start, StepS: 0.005, Columns: []series.Column{{Name: "x", Values: make(series.Values, n)}}}
}

func period(p float64, at ...float64) periodicity.Period {
	q := periodicity.Period{Timing: periodicity.Timing{PeriodS: p}}
	for i := 0; i+1 < len(at); i += 2 {
		q.Regions = append(q.Regions, periodicity.Region{StartS: at[i], EndS: at[i+1]})
	}
	return q
}

func kinds(table []Phase) string {
	s := ""
	for _, p := range table {
		s += string(p.Kind) + p.Pattern + " "
	}
	return s
}

func TestTable(t *testing.T) {
	a, b := pattern.Pattern{ID: "A"}, pattern.Pattern{ID: "B"}
	for _, c := range []struct {
		name     string
		patterns []pattern.Pattern
		periods  []periodicity.Period
		want     string
	}{
		{"none", nil, nil, "aperiodic "},
		{"all", []pattern.Pattern{a}, []periodicity.Period{period(0.5, 1, 11)}, "loopA "},
		{"one", []pattern.Pattern{a}, []periodicity.Period{period(0.5, 2, 9)}, "start-up loopA tail "},
		{"short break", []pattern.Pattern{a}, []periodicity.Period{period(0.5, 2, 5, 5.7, 9)}, "start-up loopA tail "},
		{"checkpoint", []pattern.Pattern{a}, []periodicity.Period{period(0.5, 2, 5, 6, 9)}, "start-up loopA gap loopA tail "},
		{"two at a time", []pattern.Pattern{a, b}, []periodicity.Period{period(0.5, 2.005, 9), period(0.2, 2, 9.005)},
			"start-up loopA tail "},
		{"one within another", []pattern.Pattern{a, b}, []periodicity.Period{period(0.5, 4, 5), period(0.2, 2, 9)},
			"start-up loopB tail "},
		{"two that overlap", []pattern.Pattern{a, b}, []periodicity.Period{period(0.5, 2, 6), period(0.2, 5, 9)},
			"start-up loopA loopB tail "},
		{"two", []pattern.Pattern{a, b}, []periodicity.Period{period(0.5, 6, 11), period(0.2, 1, 6)}, "loopB loopA "},
	} {
		table := Table(set(1, 2000), c.patterns, c.periods)
		if got := kinds(table); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		checkCover(t, table, 1, 11)
	}
	if got := Table(series.Set{}, nil, nil); len(got) != 0 {
		t.Errorf("empty set: %v", got)
	}
}

func checkCover(t *testing.T, table []Phase, start, end float64) {
	t.Helper()
	at, share := start, 0.0
	for _, p := range table {
		if math.Abs(p.StartS-at) > 1e-9 || p.EndS < p.StartS {
			t.Fatalf("phases do not follow each other: %+v", table)
		}
		at, share = p.EndS, share+p.Share
	}
	if math.Abs(at-end) > 1e-9 || math.Abs(share-1) > 1e-9 {
		t.Fatalf("phases end at %v with shares of %v: %+v", at, share, table)
	}
}

// For any regions, including those of two patterns at a time, the table covers the run.
func TestTableCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var periods []periodicity.Period
		var patterns []pattern.Pattern
		for i := range rng.IntN(4) {
			p, edge := period(0.01+rng.Float64()), 0.0
			for range rng.IntN(5) {
				a := edge + rng.Float64()*rng.Float64()
				b := a + rng.Float64()
				if b > 10 {
					break
				}
				edge = b
				p.Regions = append(p.Regions, periodicity.Region{StartS: a, EndS: b})
			}
			periods = append(periods, p)
			patterns = append(patterns, pattern.Pattern{ID: string(rune('A' + i))})
		}
		checkCover(t, Table(set(0, 2000), patterns, periods), 0, 10)
	}
}
