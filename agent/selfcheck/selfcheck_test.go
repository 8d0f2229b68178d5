package selfcheck

import (
	"context"
	"errors"
	"fmt"

	"jobgait/agent/counter/perf"
)

// Measure finds what one record costs, and how much the sources in the params
// slow a program down. On an idle CPU that takes 2 * Pairs * HalfNS, and for the
// sources 2 * SourcePairs * (HalfNS + SettleNS / 2) more.
func Measure(ctx context.Context, open perf.Opener, p Params) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, fmt.Errorf("self-check: %w", err)
	}
	r := Result{}
	err := pinned(p.CPU, func(cpu int) error {
		r.CPU = cpu
		l := newLoop(p)
		if err := r.amplified(ctx, open, l, p); err != nil {
			return err
		}
		if len(p.Sources) == 0 {
			return nil
		}
		d, err := direct(ctx, l, p)
		r.Sources = &d
		return err
	})
	if err != nil {
		return Result{}, fmt.Errorf("self-check: %w", err)
	}
	return r, nil
}

// MeasureSources finds only how much the sources slow a program down.
func MeasureSources(ctx context.Context, p Params) (Direct, error) {
	if err := p.check(); err != nil {
		return Direct{}, fmt.Errorf("self-check of sources: %w", err)
	}
	var d Direct
	err := pinned(p.CPU, func(int) (err error) {
		d, err = direct(ctx, newLoop(p), p)
		return err
	})
	if err != nil {
		return Direct{}, fmt.Errorf("self-check of sources: %w", err)
	}
	return d, nil
}

var errNoRecords = errors.New("the timer wrote no records")

// amplified measures the cost of a record.
func (r *Result) amplified(ctx context.Context, open perf.Opener, l *loop, p Params) (err error) {
	t, err := openTimer(open, r.CPU, p.Hz)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	r.Scope = t.scope
	ps, err := pairs(ctx, l, t, p.Pairs, 0)
	if err != nil {
		return err
	}
	r.cost(ps)
	if r.Pairs < 6 {
		return errNoRecords
	}
	return nil
}

// cost divides what each pair lost by its records, which fall into a chunk as
// they fall into the whole half.
func (r *Result) cost(ps []pair) {
	var hz float64
	var cost, cpu []float64
	for _, q := range ps {
		if readings := q.with.hz / 1e9; readings > 0 {
			hz += q.with.hz
			cost = append(cost, (q.with.chunk-q.without.chunk)/(readings*q.with.chunk))
			cpu = append(cpu, (q.with.cpu-q.without.cpu)/(readings*q.with.cpu))
		}
	}
	r.Pairs, r.Hz = len(cost), hz/float64(max(1, len(cost)))
	r.CostNS, r.CPUCostNS = shift(cost), shift(cpu)
}

// direct measures the slowdown by sources.
func direct(ctx context.Context, l *loop, p Params) (Direct, error) {
	var d Direct
	for _, s := range p.Sources {
		l.lanes = max(l.lanes, s.Lanes())
	}
	ps, err := pairs(ctx, l, &sources{list: p.Sources}, p.SourcePairs, p.SettleNS)
	d.estimate(ps)
	return d, err
}

func (d *Direct) estimate(ps []pair) {
	var slow, whole, cpu []float64
	for _, q := range ps {
		d.RecordsPerS += q.with.hz / float64(len(ps))
		slow = append(slow, 100*(q.with.stretch/q.without.stretch-1))
		whole = append(whole, 100*(q.with.chunk/q.without.chunk-1))
		cpu = append(cpu, 100*(q.with.cpu/q.without.cpu-1))
	}
	d.Pairs, d.Pct, d.WholePct, d.CPUPct = len(slow), shift(slow), shift(whole), shift(cpu)
}
