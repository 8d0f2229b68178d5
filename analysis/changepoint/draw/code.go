package draw

import (
	"fmt"
	"math"
	"math/rand/v2"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/functions"
)

// CodeHistory is a simulated history of a program of ten functions, sampled 10,000 times a run.
type CodeHistory struct {
	changepoint.Series
	// At is the run at which one function became slower or was replaced, and Changed is its name, "" if nothing
	// changed.
	At      int
	Changed string
}

// FunctionFate is what happens to a simulated function.
type FunctionFate int

const (
	Untouched FunctionFate = iota
	Slower                 // by a tenth
	Renamed
	Inlined // into the largest of the others
)

const (
	codeRuns, codeFunctions, codeSamples = 60, 10, 10_000
	// Noise of CPU time from run to run: of the program, and of each function.
	programNoise, functionNoise = .01, .01
)

// DrawCodeHistory simulates 60 runs on 60 days. From the middle on one function, drawn at random, is changed as fate
// says. Functions have 5 to 15 % of the time; the sampled time of each scatters as counts do. A function with less than
// 1 % in a run is not listed there.
func DrawCodeHistory(r *rand.Rand, fate FunctionFate) CodeHistory {
	level := make([]float64, codeFunctions)
	sum := 0.0
	for i := range level {
		level[i] = r.Float64()
		sum += level[i]
	}
	h := CodeHistory{At: codeRuns / 2, Series: changepoint.Series{ID: "drawn", CodeS: make([]float64, codeRuns)}}
	victim, other := r.IntN(codeFunctions), 0
	for i := range level {
		level[i] = .05 + .5*level[i]/sum
		h.Code = append(h.Code, functions.Part{Library: "app", Name: fmt.Sprintf("f%d", i), Y: make([]float64, codeRuns)})
		if i != victim && (other == victim || level[i] > level[other]) {
			other = i
		}
	}
	if other == victim {
		other = (victim + 1) % codeFunctions
	}
	h.Code = append(h.Code, functions.Part{Library: "app", Name: "renamed", Y: make([]float64, codeRuns)})
	if fate != Untouched {
		h.Changed = h.Code[victim].Name
	}
	for k := range codeRuns {
		now := append(append([]float64{}, level...), 0)
		if k >= h.At {
			switch fate {
			case Slower:
				now[victim] *= 1.1
			case Renamed:
				now[victim], now[codeFunctions] = 0, now[victim]
			case Inlined:
				now[victim], now[other] = 0, now[other]+now[victim]
			}
		}
		h.T, h.Start = append(h.T, float64(k)), append(h.Start, float64(k)*86400)
		h.Y = append(h.Y, h.sampleRun(r, k, now))
	}
	return h
}

// sampleRun sets the sampled CPU time of all functions in run k, NaN for those that are not listed, and returns the
// run's true total time. level is the mean time of each function, in seconds.
func (h *CodeHistory) sampleRun(r *rand.Rand, k int, level []float64) float64 {
	program := math.Exp(programNoise * r.NormFloat64())
	y := 0.0
	for i, v := range level {
		v *= program * math.Exp(functionNoise*r.NormFloat64())
		y += v
		counted := 0.0
		if v > 0 { // a count of samples, near enough
			counted = v + math.Sqrt(v/codeSamples)*r.NormFloat64()
		}
		h.CodeS[k] += counted
		h.Code[i].Y[k] = math.NaN()
		if counted > .01 {
			h.Code[i].Y[k] = counted
		}
	}
	return y
}

// Attribution says how a result attributes the change of a simulated history to functions.
type Attribution struct {
	// Named and Replaced report that the changed function is named as slower or as replaced, at a change within
	// three runs of the true one.
	Named, Replaced bool
	// Misplaced reports that it is named at another change, False that another function is named.
	Misplaced, False bool
}

// Attribution compares the functions named in a result with the true one.
func (h CodeHistory) Attribution(res changepoint.SeriesResult) Attribution {
	var t Attribution
	judge := func(c changepoint.Change, name string, replacement bool) {
		near := c.FirstIndex-3 <= h.At && h.At <= c.LastIndex+3
		switch {
		case h.Changed == "" || name != h.Changed:
			t.False = true
		case !near:
			t.Misplaced = true
		case replacement:
			t.Replaced = true
		default:
			t.Named = true
		}
	}
	for _, c := range res.Changes {
		for _, cause := range c.Causes {
			switch cause.Field {
			case changepoint.FunctionField, changepoint.ReplacedField:
				judge(c, cause.From, cause.Field == changepoint.ReplacedField)
			}
		}
	}
	for _, f := range res.Functions {
		judge(f.Change, f.Name, false)
	}
	return t
}
