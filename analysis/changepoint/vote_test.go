package changepoint_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
	"jobgait/analysis/note"
)

// Changes of shapes of one user that change together are detected more often when they are known to be of one
// user, and not more often without a change.
func TestJoint(t *testing.T) {
	t.Parallel()
	var alone, own draw.Score
	r := rand.New(rand.NewPCG(41, 1))
	for i := range 8 {
		shapes := draw.DrawUserHistories(r, fmt.Sprint("u", i), .8)
		s, _ := together(shapes)
		own = sum(own, s)
		for q := range shapes {
			shapes[q].User = ""
		}
		s, _ = together(shapes)
		alone = sum(alone, s)
	}
	if own.Found+own.WeakFound <= alone.Found+alone.WeakFound || own.False > alone.False+2 {
		t.Errorf("alone %+v, together %+v", alone, own)
	}
}

func sum(a, b draw.Score) draw.Score {
	return draw.Score{Asked: a.Asked + b.Asked, Found: a.Found + b.Found, Weak: a.Weak + b.Weak,
		WeakFound: a.WeakFound + b.WeakFound, False: a.False + b.False, Runs: a.Runs + b.Runs}
}

// Changes of other series are used from the day on which they were known.
func TestJointPrefix(t *testing.T) {
	t.Parallel()
	shapes := draw.DrawUserHistories(rand.New(rand.NewPCG(42, 1)), "u", .9)
	_, whole := together(shapes)
	for _, until := range []float64{30, 50, 70, 85} {
		part := make([]draw.DrawnHistory, len(shapes))
		for i, h := range shapes {
			n := 0
			for n < len(h.T) && h.T[n] <= until {
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

// phased is a history of runs of start-up, loop and checkpoints, in which one
// of them becomes longer, by seconds, at run 40.
func phased(name string, by float64) changepoint.Series {
	r := rand.New(rand.NewPCG(43, 1))
	s := changepoint.Series{ID: name, Also: map[string][]float64{}}
	for i := range 80 {
		parts := map[string]float64{"startup_s": 10, "step_s": 80, "checkpoint_s": 10, "waiting": 0}
		if i >= 40 {
			parts[name] += by
		}
		y := 0.0
		for p, v := range parts {
			v *= math.Exp(.01 * r.NormFloat64())
			y += v
			switch p {
			case "step_s":
				s.Also[p] = append(s.Also[p], v/1000)
			case "waiting":
			default:
				s.Also[p] = append(s.Also[p], v)
			}
		}
		s.Also["cpu_s"] = append(s.Also["cpu_s"], y-parts["waiting"])
		s.T, s.Y = append(s.T, float64(i)), append(s.Y, y)
	}
	return s
}

func TestPhase(t *testing.T) {
	for _, c := range []struct {
		slower, phase string
		by            float64
	}{{"startup_s", "startup", 12}, {"step_s", "step", 12}, {"checkpoint_s", "checkpoint", -5}, {"waiting", "", 12}} {
		res := judge(phased(c.slower, c.by))
		if len(res.Changes) != 1 {
			t.Errorf("%s: %d changes", c.slower, len(res.Changes))
			continue
		}
		ch := res.Changes[0]
		if ch.Phase != c.phase || len(ch.Metrics) != 4 {
			t.Errorf("%s: phase %q, metrics %+v", c.slower, ch.Phase, ch.Metrics)
		}
		if has(res.Notes, note.Waiting) != (c.slower == "waiting") {
			t.Errorf("%s: notes %v", c.slower, res.Notes)
		}
		for _, m := range ch.Metrics {
			if *m.LoPct > m.EffectPct || m.EffectPct > *m.HiPct {
				t.Errorf("%s: %+v", c.slower, m)
			}
		}
	}
}
