package periodicity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// device returns the activity of a GPU in every millisecond of a run: 1 for seven tenths of each iteration; and
// its power, which follows with a lag of 10 ms.
func device(rng *rand.Rand, periodS float64, ms int) (busy, power []float64) {
	busy, power = make([]float64, ms), make([]float64, ms)
	for t := 0.3; t < float64(ms)/1000; {
		length := periodS * (1 + 0.03*rng.NormFloat64())
		for i := int(1000 * t); i < min(ms, int(1000*(t+0.7*length))); i++ {
			busy[i] = 1
		}
		t += length
	}
	level := 100.0
	for i, b := range busy {
		level += (100 + 300*b - level) / 10
		power[i] = level
	}
	return busy, power
}

// sensor returns what a sensor shows of x in slots of 5 ms: new values at some milliseconds, each the mean of
// the last window values, or of all since the last one (0).
func sensor(rng *rand.Rand, name string, x []float64, from series.Origin, window int) series.Column {
	c := series.Column{Name: name, Unit: "1", Scope: series.JobScope, Source: from, Values: make(series.Values, len(x)/5)}
	last, done := 1+rng.IntN(int(1000*from.EveryS)), 0
	for last < len(x) {
		next := last + int(1000*from.EveryS)
		if from.Kind == series.Drawn {
			next = last + int(1000*from.EveryS*(2./3+2./3*rng.Float64()))
		}
		next = min(next, len(x))
		begin := last
		if window > 0 {
			begin = max(0, next-window)
		}
		mean := 0.0
		for _, v := range x[begin:next] {
			mean += v / float64(next-begin)
		}
		mean *= 1 + 0.01*rng.NormFloat64()
		// A sensor holds its value until its next measurement; a counter is known for the time between two readings.
		hold := next
		if from.Kind == series.Drawn {
			hold = last
		}
		for ; done < min(len(c.Values), (hold+int(1000*from.EveryS))/5); done++ {
			c.Values[done] = float32(mean)
		}
		last = next
	}
	return c
}

// sensors lists sensors with the refresh times that are known of drivers, for busy share and power.
func sensors(rng *rand.Rand, busy, power []float64) map[string]series.Column {
	ticked := func(s float64) series.Origin { return series.Origin{Kind: series.Ticked, EveryS: s} }
	return map[string]series.Column{
		"power 20/10 ms":    sensor(rng, "gpu_power", power, ticked(0.020), 10),
		"power 100/25 ms":   sensor(rng, "gpu_power", power, ticked(0.100), 25),
		"power 100 ms/1 s":  sensor(rng, "gpu_power", power, ticked(0.100), 1000),
		"energy 100 ms":     sensor(rng, "gpu_energy", power, ticked(0.100), 100),
		"energy 200 ms":     sensor(rng, "gpu_energy", power, ticked(0.200), 200),
		"utilization 1/6 s": sensor(rng, "gpu_kernel", busy, ticked(0.166), 166),
		"utilization 1 s":   sensor(rng, "gpu_kernel", busy, ticked(1), 1000),
		"counter, drawn":    sensor(rng, "gpu_active", busy, series.Origin{Kind: series.Drawn, EveryS: 0.150}, 0),
	}
}

// Aliases of loops that are shorter than the refresh of the sensors are not reported, for any pair of sensors;
// what two clocks agree on is reported.
func TestAliases(t *testing.T) {
	pairs := [][]string{
		{"power 20/10 ms"}, {"power 100/25 ms"}, {"energy 100 ms"}, {"utilization 1/6 s"}, {"counter, drawn"},
		{"power 100/25 ms", "energy 100 ms"}, {"energy 100 ms", "energy 200 ms"}, {"power 100 ms/1 s", "power 100/25 ms"},
		{"energy 100 ms", "utilization 1/6 s"}, {"energy 100 ms", "counter, drawn"}, {"power 20/10 ms", "utilization 1 s"},
	}
	right := map[string]int{}
	for i, periodS := range []float64{0.030, 0.047, 0.070, 0.130, 0.210, 0.300, 0.470, 0.900, 2.300} {
		rng := rand.New(rand.NewPCG(uint64(i), 11))
		busy, power := device(rng, periodS, 80_000)
		all := sensors(rng, busy, power)
		for _, names := range pairs {
			set := series.Set{StepS: 0.005}
			for _, name := range names {
				set.Columns = append(set.Columns, all[name])
			}
			r := detect(t, set)
			check(t, set, r)
			for k, p := range r.Periods {
				switch off := math.Abs(p.PeriodS/periodS - 1); {
				case off <= 0.05 && k == 0:
					right[fmt.Sprint(names)]++
				case off > 0.05 && p.Confidence >= 0.6:
					t.Errorf("%v: %.3f s told as %.3f with %.2f", names, periodS, p.PeriodS, p.Confidence)
				}
			}
		}
	}
	for names, n := range map[string]int{"[energy 100 ms utilization 1/6 s]": 2, "[energy 100 ms counter, drawn]": 3,
		"[counter, drawn]":              3,
		"[energy 100 ms energy 200 ms]": 0, "[energy 100 ms]": 0, "[power 100/25 ms energy 100 ms]": 0} {
		if right[names] < n || n == 0 && right[names] > 0 {
			t.Errorf("%s: right in %d, want %d", names, right[names], n)
		}
	}
}

// A period in the CPU's code confirms a period of a sensor; without it the reason is given.
func TestAliasBesideCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	busy, power := device(rng, 0.130, 80_000)
	all := sensors(rng, busy, power)
	cpu := series.Column{Name: "ipc", Unit: "1", Scope: series.JobScope, Values: make(series.Values, len(busy)/5)}
	for i := range cpu.Values {
		cpu.Values[i] = float32(busy[5*i] + 0.2*rng.NormFloat64())
	}
	set := series.Set{StepS: 0.005, Columns: []series.Column{all["energy 100 ms"], cpu, all["power 100/25 ms"]}}
	if r := detect(t, set); len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodS/0.130-1) > 0.02 ||
		r.Periods[0].Column != "ipc" || r.Periods[0].Confidence < 0.6 {
		t.Errorf("%+v %v", r.Periods, r.Notes)
	}
	set.Columns = set.Columns[:1]
	if r := detect(t, set); len(r.Periods) > 0 || len(r.Notes) != 1 || r.Notes[0].Code != note.OnlyClocks {
		t.Errorf("%+v %v", r.Periods, r.Notes)
	}
	set.Columns[0].Source = series.Origin{}
	if r := detect(t, set); len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodS/0.130-1) < 0.05 {
		t.Error("without the guard nothing would be wrong: this test shows nothing")
	}
}

func TestSameClock(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want bool
	}{{0.1, 0.1, true}, {0.1, 0.2, true}, {0.2, 0.1, true}, {0.1, 1. / 6, false}, {0.1, 0.105, true}, {1, 1. / 6, true},
		{0.02, 0.166, false}, {0.1, 0, true}} {
		if got := haveSameClock(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}

// A program that is always busy and sampled 25 times a second shows the comb of its samples, which must not be
// reported as a loop of a few sampling intervals.
func TestSamplesAreNoLoop(t *testing.T) {
	claims := 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 5))
		busy := make(series.Values, 6000)
		for i := range 2000 { // a thousand a second before the rate was lowered
			busy[i] = float32(5+rng.NormFloat64()) / 5
		}
		for i, phase := 2000, 0; i+8 <= len(busy); i += 8 { // each of two CPUs is sampled at different times
			if rng.IntN(30) == 0 {
				phase = 3 - phase
			}
			busy[i+phase] = 8
		}
		set := series.Set{StepS: 0.005,
			Columns: []series.Column{{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope, Values: busy}}}
		claims += len(detect(t, set).Periods)
		set.Columns[0].Source = series.Sampled(25, set.StepS)
		if r := detect(t, set); len(r.Periods) > 0 {
			t.Errorf("seed %d: %.4f s reported with %.2f", seed, r.Periods[0].PeriodS, r.Periods[0].Confidence)
		}
	}
	if claims == 0 {
		t.Error("no period is reported without knowledge of the sampling: the test compares nothing")
	}
	if s := series.Sampled(1000, 0.005); s != (series.Origin{}) {
		t.Errorf("a thousand a second is %+v", s)
	}
}
