package selfcheck

import (
	"context"
	"fmt"
	"testing"

	"jobgait/agent/counter"
	"jobgait/agent/counter/address"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/peek"
	"jobgait/configs"
)

// The cost of one record, from an amplified timer, and what follows from it for
// 200 Hz. Bar: 0.6 % in a virtual machine.
func BenchmarkRecord(b *testing.B) {
	p := Default()
	for b.Loop() {
		r, err := Measure(context.Background(), perf.Open, p)
		if err != nil {
			b.Skip(err)
		}
		b.Logf("CPU %d, timer of a %s, %.0f records a second", r.CPU, r.Scope, r.Hz)
		report(b, r.CostNS, "ns/record")
		report(b, r.CPUCostNS, "cpu-ns/record")
		report(b, r.CostNS.scale(200*1e-9*100), "%slower@200Hz")
		b.ReportMetric(float64(r.Pairs), "pairs")
	}
	b.ReportMetric(0, "ns/op")
}

// Counters at 200 Hz alone, as they are shipped, on and off.
func BenchmarkCounters(b *testing.B) {
	benchmarkSources(b, func(r kernel.Roots, cpus []int) ([]counter.Source, error) {
		c, err := perf.NewCounters(perf.Open, r, cpus, 5e6)
		return []counter.Source{c}, err
	})
}

// Counters and code addresses: as many as the budget of a cluster has room for
// beside the counters, and those of one machine, whose budget is larger. Bar: within
// the budget.
func BenchmarkShipped(b *testing.B) {
	d := configs.Default().Agent
	step := 1e9 / int64(d.RateHz)
	for _, budget := range []struct {
		name string
		pct  float64
	}{{"cluster", d.BudgetPct}, {"run", d.RunBudgetPct}} {
		pct := budget.pct
		b.Run(budget.name, func(b *testing.B) {
			d := benchmarkSources(b, func(r kernel.Roots, cpus []int) ([]counter.Source, error) {
				cost, err := Measure(context.Background(), perf.Open, Default())
				if err != nil {
					return nil, err
				}
				room := 0.9*pct/100/(cost.InterruptNS()/1e9) - float64(d.RateHz)
				rate := address.ChooseRate(max(1, min(1000, int(room))), len(cpus), step)
				b.Logf("%.2f us a record: %g code addresses a second are to cost %.2f %% with the counters, of %g %%",
					cost.InterruptNS()/1e3, rate.Hz, 100*(rate.Hz+float64(d.RateHz))*cost.InterruptNS()/1e9, pct)
				c, err := perf.NewCounters(perf.Open, r, cpus, step)
				if err != nil {
					return nil, err
				}
				a, err := address.New(perf.Open,
					address.SamplingParams{Peek: peek.Direct{Proc: r.Proc}, CPUs: cpus, Rate: rate, StepNS: step})
				return []counter.Source{c, a}, err
			})
			b.ReportMetric(pct, "%budget")
			if d.Pct.Lo > pct {
				b.Errorf("%.2f to %.2f %% slower: surely more than the budget of %g %%", d.Pct.Lo, d.Pct.Hi, pct)
			}
		})
	}
}

func benchmarkSources(b *testing.B, open func(kernel.Roots, []int) ([]counter.Source, error)) (d Direct) {
	cpus, err := kernel.OnlineCPUs("/sys")
	if err != nil {
		b.Fatal(err)
	}
	list, err := open(kernel.Roots{Proc: "/proc", Sys: "/sys"}, cpus)
	if err != nil {
		b.Skip(err)
	}
	p := Default()
	p.Sources = list
	// One measurement, more precise with more iterations.
	p.SourcePairs = max(6, 70*b.N)
	d, err = MeasureSources(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	ratio := func(x Interval) string {
		return fmt.Sprintf("%.5f (%.5f to %.5f)", 1+x.Value/100, 1+x.Lo/100, 1+x.Hi/100)
	}
	b.Logf("on/off %s, n = %d pairs, %.0f records a second; by whole halves %s; by CPU time %s",
		ratio(d.Pct), d.Pairs, d.RecordsPerS, ratio(d.WholePct), ratio(d.CPUPct))
	report(b, d.Pct, "%slower")
	b.ReportMetric(float64(d.Pairs), "pairs")
	b.ReportMetric(0, "ns/op")
	for _, s := range list {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}
	return d
}

func report(b *testing.B, x Interval, unit string) {
	b.ReportMetric(x.Value, unit)
	b.ReportMetric(x.Lo, unit+"-lo")
	b.ReportMetric(x.Hi, unit+"-hi")
}
