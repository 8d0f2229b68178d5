package job

import (
	"math"
	"slices"

	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// EarlierRuns are the runs of the same application in the same shape before this one, newest first. They are
// listed and described; OtherRuns judges whether this run is slower or faster.
type EarlierRuns struct {
	N int `json:"n"`
	// Need is the number of runs needed to say what is usual.
	Need    int              `json:"need"`
	Elapsed history.Quartile `json:"elapsed_s"`
	Period  history.Quartile `json:"period_s"`
	// Shorter is the number of earlier runs that took less time than this run; null where there are too few runs.
	Shorter *int `json:"shorter"`
	// OtherArguments is the number of further runs that had other arguments.
	OtherArguments int `json:"other_arguments"`
	// List has at most drawnRuns runs.
	List []EarlierRun `json:"list"`
}

// EarlierRun is one earlier run.
type EarlierRun struct {
	ID          string   `json:"id"`
	Restart     int      `json:"restart"`
	Start       string   `json:"start"`
	StartEpochS float64  `json:"start_epoch_s"`
	ElapsedS    float64  `json:"elapsed_s"`
	PeriodS     *float64 `json:"period_s"`
	Coverage    *float64 `json:"coverage"`
	State       Word     `json:"state"`
}

// drawnRuns is the largest number of earlier runs that are drawn, listedRuns the largest number that have a
// line.
const drawnRuns, listedRuns = 60, 6

// newEarlier returns the quartiles of the earlier runs without this run itself, and lists the first drawnRuns
// of them.
func newEarlier(s summary.Summary, past []history.Run) EarlierRuns {
	out := EarlierRuns{Need: history.QuartileRuns, List: []EarlierRun{}}
	var elapsed, periods []float64
	for _, p := range past {
		if sameRun(s, p) {
			continue
		}
		out.N++
		elapsed = append(elapsed, quantity.OrZero(p.ElapsedS))
		if v := quantity.FiniteOf(p.PeriodS); v != nil {
			periods = append(periods, *v)
		}
		if len(out.List) < drawnRuns {
			id := text.Clean(p.DisplayID)
			out.List = append(out.List, EarlierRun{id, p.Restart, stamp(p.Start), quantity.OrZero(p.Start),
				quantity.OrZero(p.ElapsedS),
				quantity.FiniteOf(p.PeriodS), quantity.FiniteOf(p.Coverage), Word(text.Clean(p.State))})
		}
	}
	out.Elapsed, out.Period = history.NewQuartile(elapsed), history.NewQuartile(periods)
	if out.Elapsed.Median != nil {
		shorter := 0
		for _, e := range elapsed {
			if e < s.ElapsedS {
				shorter++
			}
		}
		out.Shorter = &shorter
	}
	return out
}

// sameRun reports whether a row of the history is this very run: a report may be made again after the run was
// stored.
func sameRun(s summary.Summary, p history.Run) bool {
	return p.Cluster == s.Key.Cluster && p.JobID == s.Key.JobID && p.Restart == s.Key.Restart &&
		math.Abs(p.Start-s.Start) < 1
}

// inOrder returns the runs oldest first, as they are drawn.
func (e EarlierRuns) inOrder() []EarlierRun {
	runs := slices.Clone(e.List)
	slices.Reverse(runs)
	return runs
}
