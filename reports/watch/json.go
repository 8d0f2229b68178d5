package watch

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

// CycleLine is a line of `jobgait watch --stream`: a cycle that ended, and what is expected next.
type CycleLine struct {
	Schema         string            `json:"schema"`
	JobID          int64             `json:"job_id"`
	Node           string            `json:"node"`
	At             time.Time         `json:"at"`
	State          tracker.LoopState `json:"state"`
	Cycle          int64             `json:"cycle"`
	Boundary       time.Time         `json:"boundary"`
	LengthS        float64           `json:"length_s"`
	Residual       float64           `json:"residual"`
	PeriodS        *float64          `json:"period_s"`
	NextBoundary   *time.Time        `json:"next_boundary"`
	BoundaryErrorS *float64          `json:"boundary_error_s"`
	Low            []LowAhead        `json:"low"`
}

// LowAhead is an expected stretch at a low level of activity.
type LowAhead struct {
	Begins        time.Time `json:"begins"`
	DurationS     float64   `json:"duration_s"`
	ErrorS        float64   `json:"error_s"`
	Repeatability float64   `json:"repeatability"`
}

// lowsAhead returns, for each known low stretch, when it is next expected to begin, in order of time. The list
// is empty unless the job is in its loop.
func lowsAhead(s live.State) []LowAhead {
	out := []LowAhead{}
	if s.LastBoundary == nil || s.PeriodS == nil || *s.PeriodS <= 0 || s.State != tracker.InCycle {
		return out
	}
	for _, l := range s.Low {
		after := s.At.Sub(*s.LastBoundary).Seconds() - l.OffsetS
		turns := max(0, math.Ceil(after / *s.PeriodS))
		begins := s.LastBoundary.Add(time.Duration((l.OffsetS + turns**s.PeriodS) * 1e9))
		out = append(out, LowAhead{begins, l.DurationS, l.ErrorS, l.Repeatability})
	}
	slices.SortFunc(out, func(a, b LowAhead) int { return a.Begins.Compare(b.Begins) })
	return out
}

// CycleSchema is the name and version of the lines.
const CycleSchema = "jobgait.cycle/1"

// CycleLines makes the lines of one run, one line per cycle.
type CycleLines struct {
	begun bool
	last  int64 // the number of the last printed cycle
}

// Next returns the lines of the cycles that ended since the last call, "" if none did. The first call also
// returns the last cycle before it, so that a reader need not wait for a known value.
func (h *CycleLines) Next(s live.State, alive bool) (lines string) {
	recent := s.Recent
	if !h.begun {
		h.begun, recent = true, recent[max(0, len(recent)-1):]
	}
	for _, c := range recent {
		if c.N > h.last {
			lines, h.last = lines+line(s, c, alive), c.N
		}
	}
	return lines
}

// line returns the line of one cycle. It has no predictions if the run is over.
func line(s live.State, c live.EndedCycle, alive bool) string {
	h := CycleLine{Schema: CycleSchema, JobID: s.JobID, Node: s.Node, At: s.At, State: s.State, Cycle: c.N,
		Boundary: c.Boundary,
		LengthS:  c.LengthS, Residual: c.Residual, PeriodS: s.PeriodS, Low: []LowAhead{}}
	if alive {
		h.NextBoundary, h.BoundaryErrorS, h.Low = s.NextBoundary, s.BoundaryErrorS, lowsAhead(s)
	} else {
		h.State = endState(s)
	}
	b, err := json.Marshal(h)
	if err != nil {
		return ""
	}
	return string(b) + "\n"
}

// JSON returns the state of a run, as in live.json, in one line. If the agent is not alive, the state is "ended" if the
// agent reported the end of the run, else "dead".
func JSON(s live.State, alive bool) (string, error) {
	if !alive {
		s.State = endState(s)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("internal error, please report it: encode the state of job %d: %w", s.JobID, err)
	}
	return string(b) + "\n", nil
}
