package tracker_test

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/series"
	"jobgait/analysis/tracker"
)

// TestExperiment follows profiles of known truth as an agent does, sample by sample, and prints how far boundaries
// were from where they were predicted. It is skipped without arguments:
//
//	go test -v -run TestExperiment ./analysis/tracker -args DIR..
//
// DIR is an absolute path. It has NAME.f32 (200 Hz, NaN is a missing sample) and NAME.truth.json:
// {"patterns":[{"period_samples","instances":[[first,length],..],"acceptable_periods":[..],"template":[..]}]}.
func TestExperiment(t *testing.T) {
	if flag.NArg() == 0 {
		t.Skip("prints a table of profiles: -args DIR..")
	}
	if err := runExperiment(flag.Args(), os.Stdout); err != nil {
		t.Fatal(err)
	}
}

// truth is what the generator knows.
type truth struct {
	Patterns []struct {
		Period     float64   `json:"period_samples"`
		Instances  [][2]int  `json:"instances"`
		Acceptable []float64 `json:"acceptable_periods"`
		Template   []float64 `json:"template"` // without noise
	} `json:"patterns"`
}

// runExperiment prints a line for each profile below dirs, then their sum.
func runExperiment(dirs []string, out io.Writer) error {
	fmt.Fprintf(out, "%-12s %8s %6s %6s %6s %7s %7s %6s %6s %5s %5s %7s\n", "case", "period_s", "told", "right", "true",
		"median", "p90", "asked", "us", "low", "wrong", "median")
	var all score
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.f32"))
		if err != nil {
			return err
		}
		for _, f := range files {
			s, err := one(f)
			if err != nil {
				return err
			}
			s.print(out)
			all.join(s)
		}
	}
	all.sum(out)
	return nil
}

// score is what following one profile gave.
type score struct {
	name              string
	periodS           float64 // the shortest of the truth
	null              bool
	shortRun          bool      // too short or too slow to be judged
	told, right, real int       // seconds after a minute: reported, correctly reported, with a true pattern
	errs              []float64 // of boundaries, in periods
	asked             int
	us                float64

	cases, agreed, nulls, claimed, apart int
	medians, tails                       []float64
	low                                  lowScore
}

const rate = 200

func one(path string) (score, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return score{}, err
	}
	text, err := os.ReadFile(strings.TrimSuffix(path, ".f32") + ".truth.json")
	if err != nil {
		return score{}, err
	}
	var tr truth
	if err := json.Unmarshal(text, &tr); err != nil {
		return score{}, err
	}
	x := make([]float32, len(raw)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	s := score{name: strings.TrimSuffix(filepath.Base(path), ".f32"), null: len(tr.Patterns) == 0}
	s.follow(x, tr)
	return s, nil
}

// follow feeds a profile to a pursuit.
func (s *score) follow(x []float32, tr truth) {
	active := make([]int, len(x)) // 1 + the pattern of a sample
	s.periodS = math.Inf(1)
	for k, p := range tr.Patterns {
		s.periodS = min(s.periodS, p.Period/rate)
		for _, in := range p.Instances {
			for i := range in[1] {
				if in[0]+i < len(active) {
					active[in[0]+i] = k + 1
				}
			}
		}
	}
	s.low = trueLows(tr, len(x))
	s.shortRun = len(x) < 70*rate || !s.null && s.periodS > 15
	p := tracker.NewLoopTracker([]series.Column{{Name: "ipc", Scope: series.JobScope}}, 1.0/rate)
	predicted := math.NaN()
	started := time.Now()
	var asking time.Duration
	for i, v := range x {
		c, ok := p.Add([]float32{v})
		if ok {
			if b, held := p.CurrentLoop(); held && !math.IsNaN(predicted) && math.Abs(c.EndS-predicted) < 0.5*b.PeriodS {
				s.errs = append(s.errs, math.Abs(c.EndS-predicted)/b.PeriodS)
			}
			if b, held := p.CurrentLoop(); held {
				predicted = b.NextS
			}
		}
		if p.Due() {
			began := time.Now()
			p.FollowDetected(p.NextRequest().Detect())
			asking += time.Since(began)
			s.asked++
		}
		if i >= 60*rate && i%rate == 0 {
			s.moment(p, tr, active, i)
			s.low.moment(p)
		}
	}
	s.us = float64((time.Since(started) - asking).Nanoseconds()) / 1e3 / float64(len(x))
}

// moment compares the reported loop with the true one.
func (s *score) moment(p *tracker.LoopTracker, tr truth, active []int, i int) {
	b, held := p.CurrentLoop()
	is := active[i]
	if is > 0 {
		s.real++
	}
	if !held {
		return
	}
	s.told++
	n := b.PeriodS * rate
	for k, q := range tr.Patterns {
		near := false
		for j := i; j >= 0 && j > i-int(4*q.Period); j -= max(1, int(q.Period/4)) {
			near = near || active[j] == k+1
		}
		if !near {
			continue
		}
		local := q.Period
		for _, in := range q.Instances {
			if in[0] <= i {
				local = float64(in[1])
			} else {
				break
			}
		}
		for _, want := range append([]float64{q.Period, local}, q.Acceptable...) {
			if math.Abs(n/want-1) < 0.08 {
				s.right++
				return
			}
		}
	}
}

func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return x[min(len(x)-1, int(q*float64(len(x))))]
}

func (s score) agrees() bool {
	return s.told > 0 && s.right*10 >= 9*s.told && 2*s.right >= s.real
}

func (s score) print(out io.Writer) {
	mark := ""
	switch {
	case s.null && s.told > 0:
		mark = "FALSE"
	case s.null:
	case s.shortRun:
		mark = "apart"
	case !s.agrees():
		mark = "no"
	}
	fmt.Fprintf(out, "%-12s %8.3f %6d %6d %6d %7.3f %7.3f %6d %6.2f %5d %5d %7.3f %s\n", s.name, s.periodS, s.told,
		s.right, s.real, quantile(s.errs, 0.5), quantile(s.errs, 0.9), s.asked, s.us,
		len(s.low.predicted), s.low.wrong, quantile(s.low.predicted, 0.5), mark)
}

func (s *score) join(o score) {
	switch {
	case o.null:
		s.nulls++
		if o.told > 0 {
			s.claimed++
		}
	case o.shortRun:
		s.apart++
	default:
		s.cases++
		s.low.join(o.low)
		if o.agrees() {
			s.agreed++
		}
		s.errs = append(s.errs, o.errs...)
		if len(o.errs) > 0 {
			s.medians = append(s.medians, quantile(o.errs, 0.5))
			s.tails = append(s.tails, quantile(o.errs, 0.9))
		}
	}
}

func (s score) sum(out io.Writer) {
	fmt.Fprintf(out, "agree %d of %d, false %d of %d nulls, %d apart; boundary error in periods: all median %.4f p90 "+
		"%.4f; by case median of medians %.4f, median of p90 %.4f, worst p90 %.4f\n",
		s.agreed, s.cases, s.claimed, s.nulls, s.apart, quantile(s.errs, 0.5), quantile(s.errs, 0.9),
		quantile(s.medians, 0.5), quantile(s.tails, 0.5), quantile(s.tails, 1))
	s.low.print(out)
}
