package main

import (
	"encoding/json"
	"math"
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

// hint is a line of `jobgait watch --stream`: a cycle that ended, and what comes next.
type hint struct {
	Schema         string        `json:"schema"`
	JobID          int64         `json:"job_id"`
	Node           string        `json:"node"`
	At             time.Time     `json:"at"`
	State          tracker.State `json:"state"`
	Cycle          int64         `json:"cycle"`
	Boundary       time.Time     `json:"boundary"`
	LengthS        float64       `json:"length_s"`
	Residual       float64       `json:"residual"`
	PeriodS        *float64      `json:"period_s"`
	NextBoundary   *time.Time    `json:"next_boundary"`
	BoundaryErrorS *float64      `json:"boundary_error_s"`
	LowAt          *time.Time    `json:"low_at"`
	LowS           *float64      `json:"low_s"`
}

// hintSchema is the name and version of the lines.
const hintSchema = "jobgait.cycle/1"

// cyclesAfter are the lines of the cycles that ended after the told-th, and the last
// one's number. Of those before the stream began, told = 0, the last is told.
func cyclesAfter(s live.State, told int64) (lines string, last int64) {
	last = told
	for i, c := range s.Recent {
		if c.N <= told || told == 0 && i < len(s.Recent)-1 {
			continue
		}
		h := hint{Schema: hintSchema, JobID: s.JobID, Node: s.Node, At: s.At, State: s.State, Cycle: c.N, Boundary: c.Boundary, LengthS: c.LengthS,
			Residual: c.Residual, PeriodS: s.PeriodS, NextBoundary: s.NextBoundary, BoundaryErrorS: s.BoundaryErrorS}
		h.LowAt, h.LowS = nextLow(s)
		if b, err := json.Marshal(h); err == nil {
			lines += string(b) + "\n"
		}
		last = c.N
	}
	return lines, last
}

// nextLow is when the next stretch begins in which little is done, and how many
// seconds it takes; nil where none is known.
func nextLow(s live.State) (*time.Time, *float64) {
	if s.NextBoundary == nil || s.PeriodS == nil || !(*s.PeriodS > 0) {
		return nil, nil
	}
	var next *time.Time
	var lengthS *float64
	for _, l := range s.Low {
		at := s.NextBoundary.Add(seconds(l.OffsetS))
		at = at.Add(-seconds(*s.PeriodS * math.Floor(max(0, at.Sub(s.At).Seconds()) / *s.PeriodS)))
		if next == nil || at.Before(*next) {
			next, lengthS = &at, &l.DurationS
		}
	}
	return next, lengthS
}
