package main

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// wakeUps simulates the loop for a number of seconds and returns the times at which it woke up and at which it
// flushed.
func wakeUps(s *schedule, seconds int64) (at, flushes []int64) {
	for now := int64(0); now < seconds*1e9; {
		now = max(now+1, s.nextNS())
		at = append(at, now)
		s.drawWakeUp(now)
		if s.due(flush, now) {
			flushes = append(flushes, now)
			for i := range s.tasks[1:] {
				s.drawNext(i+1, now) // a flush drains everything
			}
			continue
		}
		for i := range s.tasks[1:] {
			s.due(i+1, now)
		}
	}
	return at, flushes
}

// slots counts the moments in slots of 5 ms.
func slots(at []int64, seconds int64) []float64 {
	x := make([]float64, seconds*200)
	for _, t := range at {
		if i := t / 5e6; i < int64(len(x)) {
			x[i]++
		}
	}
	return x
}

// spectrum is the power of a series in segments of a minute, averaged and over
// that of moments without any order.
func spectrum(x []float64) []float64 {
	const segment = 60 * 200
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	fft := fourier.NewFFT(segment)
	power := make([]float64, segment/2+1)
	segments := len(x) / segment
	for s := range segments {
		part := slices.Clone(x[s*segment : (s+1)*segment])
		for i := range part {
			part[i] -= mean
		}
		for i, c := range fft.Coefficients(nil, part) {
			power[i] += real(c*cmplx.Conj(c)) / (mean * segment * float64(segments))
		}
	}
	return power
}

// agentSchedule is that of an exclusive node: the flush, and sources of 20, 10,
// 10, 5, 5 and 1 Hz.
func agentSchedule(r *rand.Rand, spread float64) *schedule {
	s := &schedule{random: r.Float64}
	s.add(0, flushNS, min(flushSpreadNS, int64(spread*flushNS)))
	s.setStrict(flush)
	for _, every := range []int64{50e6, 100e6, 100e6, 200e6, 200e6, 1e9} {
		s.add(0, every, int64(spread*float64(every)))
	}
	return s
}

// Where each beat comes late what is strict is done in time all the same, as long as
// that lateness is one that was seen.
func TestLateBeats(t *testing.T) {
	for _, late := range []int64{0, 100e6, maxLateNS} {
		s := agentSchedule(rand.New(rand.NewPCG(5, 6)), 0.5)
		now, done, longest := int64(0), int64(0), int64(0)
		for now < 600e9 {
			now = max(now, s.nextNS()+late)
			s.drawWakeUp(now)
			if s.due(flush, now) {
				if now > 10e9 {
					longest = max(longest, now-done)
				}
				done = now
			}
		}
		if longest > 750e6 {
			t.Errorf("beats %d ms late: %d ms without a flush", late/1e6, longest/1e6)
		}
	}
}

// What the agent does has no period: no line in the spectrum of its moments,
// no lag at which they resemble themselves. The same with fixed intervals has,
// so that the test would see one.
func TestHousekeepingHasNoPeriod(t *testing.T) {
	const seconds = 1200
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		name    string
		spread  float64
		hasLine bool
	}{{"as it is", 0.5, false}, {"+-20 %", 0.2, true}, {"fixed", 0, true}} {
		moments, flushes := wakeUps(agentSchedule(r, c.spread), seconds)
		highest := highestPower(flushes, seconds)
		t.Logf("flushes alone: %.2f", highest)
		if c.spread == 0.5 && highest > 3 {
			t.Errorf("flushes alone: power %.2f", highest)
		}
		x := slots(moments, seconds)
		power := spectrum(x)
		highest, at := 0.0, 0
		for i, p := range power[6:] { // from 0.1 Hz on
			if p > highest {
				highest, at = p, i+6
			}
		}
		// 20 segments: the mean of 20 exponentials exceeds 3 once in 10^9.
		t.Logf("%s: %d moments, highest power %.2f times that of chance, at %.2f Hz", c.name, len(moments), highest,
			float64(at)/60)
		if line := highest > 3; line != c.hasLine {
			t.Errorf("%s: power %.2f at %.2f Hz", c.name, highest, float64(at)/60)
		}
		lag, highest := resemblance(x)
		if c.spread == 0.5 && highest > 0.1 {
			t.Errorf("autocorrelation %.3f at %.3f s", highest, float64(lag)/200)
		}
	}
}

// highestPower is the highest line in the spectrum of moments, over chance.
func highestPower(at []int64, seconds int64) float64 {
	return slices.Max(spectrum(slots(at, seconds))[6:])
}

// resemblance is the largest autocorrelation at lags from 50 ms to 5 s.
func resemblance(x []float64) (lag int, highest float64) {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	for k := 10; k <= 1000; k++ {
		sum := 0.0
		for i := range len(x) - k {
			sum += (x[i] - mean) * (x[i+k] - mean)
		}
		if c := sum / variance; c > highest {
			lag, highest = k, c
		}
	}
	return lag, highest
}

// Each source is read at its requested rate. The flush is never late and at most a fifth early. All readings
// happen at multiples of the fastest interval.
func TestSourcesKeepTheirRate(t *testing.T) {
	s := agentSchedule(rand.New(rand.NewPCG(13, 14)), 0.5)
	done := make([]float64, len(s.tasks))
	const seconds = 3600
	woken := 0
	for now := int64(0); now < seconds*1e9; woken++ {
		now = max(now+1, s.nextNS())
		s.drawWakeUp(now)
		for i := range s.tasks {
			if s.due(i, now) {
				done[i]++
			}
		}
	}
	for i, n := range done {
		hz, maxRatio := 1e9/float64(s.tasks[i].everyNS), 1.1
		if i == flush {
			maxRatio = 1.2
		}
		if got := n / seconds; got < 0.95*hz || got > maxRatio*hz {
			t.Errorf("task %d: %.2f times a second, want %.2f", i, got, hz)
		}
	}
	if perS := float64(woken) / seconds; perS > 20.5 || math.IsNaN(perS) {
		t.Errorf("woke %.1f times a second", perS)
	}
}

// The longest that is not written is 0.75 s, whatever else there is.
func TestIntervalsStayBelowASecond(t *testing.T) {
	alone := newSchedule()
	alone.add(0, flushNS, flushSpreadNS)
	for name, s := range map[string]*schedule{"alone": alone,
		"with sources": agentSchedule(rand.New(rand.NewPCG(5, 6)), 0.5)} {
		_, at := wakeUps(s, 10_000)
		shortest, longest := int64(1e18), int64(0)
		for i := range at[1:] {
			shortest, longest = min(shortest, at[i+1]-at[i]), max(longest, at[i+1]-at[i])
		}
		if longest > 750e6 || shortest < 100e6 {
			t.Errorf("%s: %d to %d ns between two flushes", name, shortest, longest)
		}
	}
}

func TestSlowerSources(t *testing.T) {
	s := agentSchedule(rand.New(rand.NewPCG(1, 1)), 0.5)
	s.setStrict(2)
	s.slowDown(4)
	if s.tasks[flush].everyNS != flushNS || s.tasks[1].everyNS != 200e6 || s.tasks[1].spreadNS != 100e6 {
		t.Errorf("tasks %+v", s.tasks)
	}
	if s.tasks[2].everyNS != 100e6 || s.wakeUp.everyNS != 100e6 || s.wakeUp.spreadNS != 50e6 {
		t.Errorf("a ring is drained every %d ns, the beat is %d +- %d", s.tasks[2].everyNS, s.wakeUp.everyNS,
			s.wakeUp.spreadNS)
	}
	s.speedUp(4)
	if want := agentSchedule(rand.New(rand.NewPCG(1, 1)), 0.5); s.wakeUp.everyNS != want.wakeUp.everyNS ||
		s.tasks[1].everyNS != want.tasks[1].everyNS || s.tasks[flush] != want.tasks[flush] {
		t.Errorf("quickened: %+v, want %+v", s, want)
	}
}
