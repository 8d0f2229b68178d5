package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

// follow prints hints until the run is over: of what the agent tells, and of its file as
// long as it tells nothing.
func follow(ctx context.Context, path string, out io.Writer) error {
	var told hints
	for ctx.Err() == nil {
		s, alive, err := look(func() (live.State, error) { return live.Read(path) })
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, told.next(s, alive)); err != nil {
			return nil // nobody reads any more
		}
		if !alive {
			return status(1)
		}
		if r, err := live.Dial(path); err == nil {
			told.listen(ctx, r, out)
			r.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollEvery): // also after an agent that lets everybody go
		}
	}
	return nil
}

// listen prints hints as the agent tells them, until it does not any more.
func (h *hints) listen(ctx context.Context, r *live.Reader, out io.Writer) {
	for ctx.Err() == nil {
		s, err := r.Next(pollEvery)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			continue
		case err != nil:
			return
		}
		if _, err := io.WriteString(out, h.next(s, true)); err != nil {
			return
		}
	}
}

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
	Low            []lowAhead    `json:"low"`
}

// lowAhead is a stretch at a low level of activity that is expected.
type lowAhead struct {
	Begins        time.Time `json:"begins"`
	DurationS     float64   `json:"duration_s"`
	ErrorS        float64   `json:"error_s"`
	Repeatability float64   `json:"repeatability"`
}

// ahead are the next stretches, each from the moment that is told of on.
func ahead(s live.State) []lowAhead {
	out := []lowAhead{}
	if s.LastBoundary == nil || s.PeriodS == nil || *s.PeriodS <= 0 || s.State != tracker.InCycle {
		return out
	}
	for _, l := range s.Low {
		after := s.At.Sub(*s.LastBoundary).Seconds() - l.OffsetS
		turns := max(0, math.Ceil(after / *s.PeriodS))
		begins := s.LastBoundary.Add(time.Duration((l.OffsetS + turns**s.PeriodS) * 1e9))
		out = append(out, lowAhead{begins, l.DurationS, l.ErrorS, l.Repeatability})
	}
	slices.SortFunc(out, func(a, b lowAhead) int { return a.Begins.Compare(b.Begins) })
	return out
}

// hintSchema is the name and version of the lines.
const hintSchema = "jobgait.cycle/1"

// hints are the lines of one run, each cycle once.
type hints struct {
	begun bool
	last  int64 // the number of the last cycle that was told
}

// next are the lines of the cycles that ended since the last call, "" if none did. Of
// those from before the first call the last is told, so that a reader need not wait for
// what is known.
func (h *hints) next(s live.State, alive bool) (lines string) {
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

// line tells of one cycle. What a run that is over was expected to do will not come.
func line(s live.State, c live.Cycle, alive bool) string {
	h := hint{Schema: hintSchema, JobID: s.JobID, Node: s.Node, At: s.At, State: s.State, Cycle: c.N, Boundary: c.Boundary,
		LengthS: c.LengthS, Residual: c.Residual, PeriodS: s.PeriodS, Low: []lowAhead{}}
	if alive {
		h.NextBoundary, h.BoundaryErrorS, h.Low = s.NextBoundary, s.BoundaryErrorS, ahead(s)
	} else {
		h.State = deadState(s)
	}
	b, err := json.Marshal(h)
	if err != nil {
		return ""
	}
	return string(b) + "\n"
}
