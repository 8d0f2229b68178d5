package changepoint_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// daily are series of 60 daily runs of one user with noise of 1 %, whose runs
// from..to take longer by the logarithm.
func daily(r *rand.Rand, user string, n, from, to int, by float64) []changepoint.Series {
	var list []changepoint.Series
	for i := range n {
		s := changepoint.Series{ID: fmt.Sprint(user, i), User: user}
		for k := range 60 {
			day := float64(k) + float64(i)/20 + float64(len(user))/100
			x := .01 * r.NormFloat64()
			if k >= from && k < to {
				x += by
			}
			s.T, s.Start = append(s.T, day), append(s.Start, 1.79e9+86400*day)
			s.Y = append(s.Y, 100*math.Exp(x))
		}
		list = append(list, s)
	}
	return list
}

func analyse(parts ...[]changepoint.Series) changepoint.Report {
	var all []changepoint.Series
	for _, p := range parts {
		all = append(all, p...)
	}
	return changepoint.Analyse(all, changepoint.Sequential, changepoint.Default())
}

// What the series of one user show together is no shift of the machine for
// others, be there one of them or several.
func TestOneOwner(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 1))
	rep := analyse(daily(r, "alice", 7, 30, 60, .15), daily(r, "bob", 1, 0, 0, 0), daily(r, "carolin", 2, 0, 0, 0))
	if len(rep.Machine) != 0 {
		t.Errorf("machine events %+v", rep.Machine)
	}
	for i, s := range rep.Series {
		if want := i < 7; (len(s.Changes) == 1) != want || has(s.Notes, note.CommonMode) {
			t.Errorf("%s: changes %+v, notes %v", s.ID, s.Changes, s.Notes)
		}
	}
}

// A day that the series of three users share is the machine's: taken out of
// each and reported once. No series has a change, one that was spared neither.
func TestSharedDay(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 1))
	rep := analyse(daily(r, "alice", 8, 30, 33, .06), daily(r, "bob", 8, 30, 33, .06),
		daily(r, "dorothea", 8, 30, 33, .06), daily(r, "spared", 1, 0, 0, 0))
	if len(rep.Machine) != 1 || len(rep.Machine[0].Series) < 20 {
		t.Fatalf("machine events %+v", rep.Machine)
	}
	if e := rep.Machine[0]; math.Abs(e.EffectPct-6.2) > 1 || e.End == nil || *e.End-e.Start > 4*86400 {
		t.Errorf("%+v", e)
	}
	for _, s := range rep.Series {
		if len(s.Changes) != 0 {
			t.Errorf("%s: %+v", s.ID, s.Changes)
		}
	}
}

// Notes name a time, not a place in a list that was sorted.
func TestNotesNameTimes(t *testing.T) {
	s := phased("waiting", 12)
	for _, c := range []struct {
		want  string
		dated bool
		start []float64
	}{{"since t = ", false, nil}, {"since 1970-02-", true, nil}, {"since 2026-", false, make([]float64, len(s.Y))}} {
		s.Dated, s.Start = c.dated, c.start
		for i := range s.Start {
			s.Start[i] = 1.79e9 + 86400*float64(i)
		}
		for _, n := range judge(s).Notes {
			if n.Code == note.Waiting && !strings.HasPrefix(n.Text, c.want) {
				t.Errorf("%q does not begin with %q", n.Text, c.want)
			}
		}
	}
}
