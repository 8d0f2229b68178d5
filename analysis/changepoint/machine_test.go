package changepoint_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
	"jobgait/analysis/note"
)

// together judges histories in one call and scores them.
func together(list []draw.DrawnHistory) (draw.Score, changepoint.Analysis) {
	series := make([]changepoint.Series, len(list))
	for i, h := range list {
		series[i] = h.Series
	}
	rep := changepoint.Analyse(series, changepoint.Sequential, changepoint.Default())
	var s draw.Score
	for i, h := range list {
		s.Add(h, rep.Series[i].Changes, 3)
	}
	return s, rep
}

// If the machine is slower for a while, no job reports a change, and the machine has one line, with series in
// order and shuffled. Changes of the jobs themselves stay.
func TestMachine(t *testing.T) {
	t.Parallel()
	for _, shuffled := range []bool{false, true} {
		list, spells := draw.DrawCampaign(rand.New(rand.NewPCG(21, 1)), 16, shuffled)
		s, rep := together(list)
		if s.False > 1 || s.Recall() < .7 {
			t.Errorf("shuffled %t: %+v", shuffled, s)
		}
		if len(rep.Machine) < 1 || len(rep.Machine) > 4 {
			t.Errorf("shuffled %t: %d machine events for %d spells", shuffled, len(rep.Machine), len(spells))
		}
		for _, e := range rep.Machine {
			met := false
			for _, sp := range spells {
				met = met || e.Start < sp.To && (e.End == nil || *e.End > sp.From) && (e.EffectPct > 0) == (sp.Log > 0)
			}
			if !met || len(e.Series) < 5 {
				t.Errorf("shuffled %t: %+v is not among %+v", shuffled, e, spells)
			}
		}
		if !has(rep.Series[0].Notes, note.CommonMode) {
			t.Errorf("shuffled %t: no note that a shift was taken out", shuffled)
		}
	}
}

// A shift is not removed if other series do not show it: on a quiet machine, with fewer than five others, or if
// all belong to one user.
func TestNoMachine(t *testing.T) {
	t.Parallel()
	list, _ := draw.DrawCampaign(rand.New(rand.NewPCG(22, 1)), 16, false)
	for i := range list {
		list[i].User = "u"
	}
	if _, rep := together(list); len(rep.Machine) != 0 {
		t.Errorf("one user's series are not the machine: %+v", rep.Machine)
	}
	list, _ = draw.DrawCampaign(rand.New(rand.NewPCG(22, 1)), 5, false)
	if _, rep := together(list); len(rep.Machine) != 0 {
		t.Errorf("four others are too few: %+v", rep.Machine)
	}
	list, _ = draw.DrawCampaign(rand.New(rand.NewPCG(22, 1)), 12, false)
	for i := range list {
		list[i].Machine = string(rune('a' + i%4))
	}
	if _, rep := together(list); len(rep.Machine) != 0 {
		t.Errorf("three series each on four machines: %+v", rep.Machine)
	}
}

// Adjusting for a machine without shifts costs nothing: on a quiet machine the same changes are found with start
// times as without.
func TestQuietMachine(t *testing.T) {
	t.Parallel()
	var with, without draw.Score
	r := rand.New(rand.NewPCG(23, 1))
	var list []draw.DrawnHistory
	for i := range 12 {
		h := draw.DrawOnRandomNodes(r)
		h.Nodes = nil
		for k := range h.Y {
			h.Start = append(h.Start, h.T[k]*86400+float64(i))
		}
		list = append(list, h)
	}
	with, rep := together(list)
	for i := range list {
		list[i].Start = nil
	}
	without, _ = together(list)
	if len(rep.Machine) != 0 || with.Found < without.Found-1 || with.False > without.False+1 {
		t.Errorf("%d machine events; with start %+v, without %+v", len(rep.Machine), with, without)
	}
}

// The changes of histories cut short at one time are those of the whole.
func TestMachinePrefix(t *testing.T) {
	list, _ := draw.DrawCampaign(rand.New(rand.NewPCG(24, 1)), 10, false)
	_, whole := together(list)
	for _, until := range []float64{900, 1700, 2400, 3100} {
		part := make([]draw.DrawnHistory, len(list))
		for i, h := range list {
			n := 0
			for n < len(h.Start) && h.Start[n] <= until {
				n++
			}
			part[i].Series = head(h.Series, n)
		}
		_, rep := together(part)
		for i := range part {
			samePrefix(t, whole.Series[i], rep.Series[i], len(part[i].Y))
		}
	}
}

// If runs are not in the order in which they began, events of the machine are estimated from all of them, and
// the note warns that changes may be altered; otherwise not.
func TestShuffledInputIsNoted(t *testing.T) {
	t.Parallel()
	for _, shuffled := range []bool{false, true} {
		list, _ := draw.DrawCampaign(rand.New(rand.NewPCG(24, 1)), 10, shuffled)
		_, rep := together(list)
		noted := 0
		for _, s := range rep.Series {
			for _, n := range s.Notes {
				if n.Code != note.CommonMode {
					continue
				}
				noted++
				if strings.Contains(n.Text, "runs to come may alter the changes") != shuffled {
					t.Errorf("shuffled %t: %s", shuffled, n.Text)
				}
			}
		}
		if noted == 0 {
			t.Errorf("shuffled %t: nothing was taken out", shuffled)
		}
	}
}

// head is the first n runs of a series.
func head(s changepoint.Series, n int) changepoint.Series {
	s.T, s.Y = s.T[:n], s.Y[:n]
	if s.Start != nil {
		s.Start = s.Start[:n]
	}
	if s.Nodes != nil {
		s.Nodes = s.Nodes[:n]
	}
	meta := make(map[string][]string)
	for f, v := range s.Meta {
		meta[f] = v[:n]
	}
	s.Meta = meta
	return s
}

// samePrefix checks that the first n runs have the changes that all runs had
// committed by then.
func samePrefix(t *testing.T, whole, part changepoint.SeriesResult, n int) {
	t.Helper()
	var want []changepoint.Change
	for _, c := range whole.Changes {
		if c.DetectedIndex < n {
			want = append(want, c)
		}
	}
	if len(want) != len(part.Changes) {
		t.Errorf("%s: %d changes of %d runs, %d of all by then", whole.ID, len(part.Changes), n, len(want))
		return
	}
	for i, c := range part.Changes {
		if c.Index != want[i].Index || c.DetectedIndex != want[i].DetectedIndex {
			t.Errorf("%s: of %d runs %d seen at %d, of all %d seen at %d", whole.ID, n, c.Index, c.DetectedIndex, want[i].Index,
				want[i].DetectedIndex)
		}
	}
}

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

func analyse(parts ...[]changepoint.Series) changepoint.Analysis {
	var all []changepoint.Series
	for _, p := range parts {
		all = append(all, p...)
	}
	return changepoint.Analyse(all, changepoint.Sequential, changepoint.Default())
}

// A shift that the series of one user share is not a shift of the machine for others, for one such user or
// several.
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

// A slow day that the series of three users share is attributed to the machine: it is removed from each series
// and reported once. No series has a change, not even the one without the slow day.
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
