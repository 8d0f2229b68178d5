package changepoint_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

func judged(s changepoint.Series) changepoint.SeriesResult {
	return changepoint.Analyse([]changepoint.Series{s}, changepoint.Sequential, changepoint.Default()).Series[0]
}

// Of ten functions, only the one that became a tenth slower is named, and none if nothing changed. MEASURED.md
// has 1000 histories of each kind.
func TestTheSlowerFunctionIsNamed(t *testing.T) {
	named, misnamed := 0, 0
	const each = 12
	for seed := range uint64(each) {
		r := rand.New(rand.NewPCG(seed, 77))
		told := draw.DrawCodeHistory(r, draw.Slower)
		if x := told.Attribution(judged(told.Series)); x.Named {
			named++
		}
		for _, fate := range []draw.FunctionFate{draw.Untouched, draw.Renamed} {
			h := draw.DrawCodeHistory(r, fate)
			if x := h.Attribution(judged(h.Series)); x.False || x.Named {
				misnamed++
			}
		}
	}
	if named < each-2 || misnamed > 2 {
		t.Errorf("named in %d of %d, misnamed in %d of %d", named, each, misnamed, 2*each)
	}
}

// slowed returns a history that becomes slower with one function.
func slowed(fate draw.FunctionFate) draw.CodeHistory {
	h := draw.DrawCodeHistory(rand.New(rand.NewPCG(5, 5)), fate)
	for k := h.At; k < len(h.Y); k++ {
		h.Y[k] *= 1.1
		h.CodeS[k] += .1
		for _, p := range h.Code {
			if p.Name == "f0" {
				p.Y[k] += .1
			}
		}
	}
	return h
}

// A change is explained by its function; functions that were only renamed with it are listed as renamed.
func TestAChangeIsExplained(t *testing.T) {
	for _, fate := range []draw.FunctionFate{draw.Untouched, draw.Renamed} {
		h := slowed(fate)
		res := judged(h.Series)
		if len(res.Changes) != 1 || len(res.Functions) != 0 {
			t.Fatalf("%d changes, functions %+v", len(res.Changes), res.Functions)
		}
		causes := res.Changes[0].Causes
		if len(causes) == 0 || causes[0].Field != changepoint.FunctionField || causes[0].From != "f0" {
			t.Fatalf("%+v", causes)
		}
		f := causes[0].Function
		if d := f.AfterS - f.BeforeS; math.Abs(d-.1) > .01 || !(f.LoS < d && d < f.HiS) || math.Abs(f.TotalS-.1) > .02 {
			t.Errorf("%+v", f)
		}
		replaced := slices.ContainsFunc(causes, func(c changepoint.Cause) bool {
			return c.Field == changepoint.ReplacedField && c.From == h.Changed && c.To == "renamed"
		})
		if replaced != (fate == draw.Renamed) {
			t.Errorf("%+v", causes)
		}
	}
}

// Where runs name their commit, a change of a function must coincide with a change of the commit; otherwise the
// code is not the cause.
func TestFunctionsChangeWithCommits(t *testing.T) {
	for name, c := range map[string]struct {
		flip int
		want bool
	}{"two runs off": {32, true}, "another time": {12, false}} {
		found := 0
		for seed := range uint64(4) {
			h := draw.DrawCodeHistory(rand.New(rand.NewPCG(seed, 9)), draw.Slower)
			commits := make([]string, len(h.Y))
			for k := range commits {
				if commits[k] = "9e66dad"; k < c.flip {
					commits[k] = "4c1d7a2"
				}
			}
			h.Meta = map[string][]string{"commit": commits}
			for _, f := range judged(h.Series).Functions {
				if found++; f.Index != c.flip {
					t.Errorf("%s: %s changes at run %d", name, f.Name, f.Index)
				}
			}
		}
		if (found > 0) != c.want {
			t.Errorf("%s: %d functions", name, found)
		}
	}
}
