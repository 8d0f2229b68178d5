package periodicity

import (
	"slices"
	"syscall"
	"testing"

	"jobgait/analysis/series"
)

const (
	minutes45 = 45 * 60 * 200
	hours24   = 24 * 3600 * 200
)

// nemoLike has one loop of 1.1 s in runs of about 21.
func nemoLike(n int) series.Set {
	l := newLoop(1)
	l.other(n / 25)
	l.app(l.shape(220, 6, 4), n-len(l.x), 21, 0.8, 0.004)
	return l.set(0.03)
}

// hpcgLike draws two loops in the set-up and one in the computation.
func hpcgLike(n int) series.Set {
	l := newLoop(2)
	l.other(n / 50)
	l.app(l.shape(310, 4, 2), n*17/100, 14, 0.94, 0.004)
	l.app(l.shape(470, 7, 3), n*17/100, 14, 0.94, 0.004)
	l.app(l.shape(395, 9, 5), n-len(l.x), 30, 0.955, 0.006)
	return l.set(0.03)
}

// openfoamLike draws short runs and five checkpoints of 5 % each.
func openfoamLike(n int) series.Set {
	l := newLoop(3)
	s := l.shape(526, 10, 6)
	for range 5 {
		l.app(s, n*15/100, 8, 0.95, 0.01)
		l.other(n * 5 / 100)
	}
	return l.set(0.03)
}

func nothing(n int) series.Set {
	l := newLoop(4)
	l.other(n)
	return l.set(0.03)
}

// agentLike draws what the agent of a job on one node records: code pages, the CPUs in use and a counter.
func agentLike(n int) series.Set {
	j := newJob(5)
	j.iterations(n/45+1, 44.6, 0.03, 5)
	for p := range j.set.Columns {
		j.set.Columns[p].Values = j.set.Columns[p].Values[:n]
	}
	for len(j.set.Columns) < 18 {
		c := j.set.Columns[len(j.set.Columns)%pages]
		c.Name += "x"
		j.set.Columns = append(j.set.Columns, c)
	}
	busy := series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope, Values: make(series.Values, n)}
	for _, c := range j.set.Columns {
		for i, v := range c.Values {
			busy.Values[i] += v / 5
		}
	}
	j.set.Columns[16] = busy
	return j.set
}

func bench(b *testing.B, set series.Set, found bool) {
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime(b)
	for b.Loop() {
		r, err := Detect(set, Default())
		if err != nil || found != (len(r.Periods) > 0) {
			b.Fatal(err, r.Notes)
		}
	}
	b.ReportMetric((cpuTime(b)-before)/float64(b.N), "cpu-s/op")
}

// cpuTime is the CPU time of the process in seconds: on a machine with other work
// the elapsed time says little.
func cpuTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkNEMO45min(b *testing.B)     { bench(b, nemoLike(minutes45), true) }
func BenchmarkHPCG45min(b *testing.B)     { bench(b, hpcgLike(minutes45), true) }
func BenchmarkOpenFOAM45min(b *testing.B) { bench(b, openfoamLike(minutes45), true) }
func BenchmarkNEMO24h(b *testing.B)       { bench(b, nemoLike(hours24), true) }
func BenchmarkNothing24h(b *testing.B)    { bench(b, nothing(hours24), false) }

func BenchmarkColumns18x45min(b *testing.B) { bench(b, agentLike(minutes45), true) }

// The speed-up of the lanes in the inner loop of the tracker: products of 12 points at 4096 places, all at once
// against 28 places at a time, which use the loop in Go. Rounds in turn; the quartiles of their ratio are
// printed.
func BenchmarkLanes(b *testing.B) {
	const places, points, rounds, repeats = 4096, 12, 31, 50
	g, x, t := make([]float32, places), make([]float32, places+points), make([]float32, points)
	timed := func(step int) float64 {
		before := cpuTime(b)
		for range repeats {
			for a := 0; a < places; a += step {
				end := min(a+step, places)
				convolve(g[a:end], x[a:end+points], t, false)
			}
		}
		return cpuTime(b) - before
	}
	for b.Loop() {
		var ratios []float64
		for range rounds {
			loops := timed(28)
			if lanes := timed(places); lanes > 0 {
				ratios = append(ratios, loops/lanes)
			}
		}
		slices.Sort(ratios)
		if n := len(ratios); n > 0 {
			b.ReportMetric(ratios[n/2], "loops/lanes")
			b.ReportMetric(ratios[n/4], "q25")
			b.ReportMetric(ratios[3*n/4], "q75")
		}
	}
	b.ReportMetric(rounds, "n")
}

// 18 columns of a day are 1.2 GB.
func BenchmarkColumns18x24h(b *testing.B) {
	if testing.Short() {
		b.Skip("takes 2 GB of memory")
	}
	bench(b, agentLike(hours24), true)
}
