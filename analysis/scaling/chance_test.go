package scaling

import (
	"encoding/binary"
	"math"
	"testing"
)

// listOf counts n drawn series.
func listOf(n int, series func() drawnSeries) resultCounts {
	d, l := NewDetector(), resultCounts{}
	for range n {
		s := series()
		d.Count(&l, s.P, s.Values, s.Groups)
	}
	return l
}

// The expected number of false changes of a list is the number in other lists of its kind: 1.3 % of sums are
// cut, 1.5 % where days are shared, almost none of quiet series.
func TestExpectedByChance(t *testing.T) {
	src := newDraw(5)
	for _, c := range []struct {
		name   string
		series func() drawnSeries
	}{
		{"sums", func() drawnSeries { return src.Measured("sum", 0.1) }},
		{"shared days", func() drawnSeries { return src.Disturbed("shared days 5%", 8) }},
		{"quiet", func() drawnSeries { return src.Paper(drawCell{In: true, Noise: 0.02}, 10) }},
	} {
		seen, e := listOf(1500, c.series).cut, listOf(200, c.series).expectedByChance()
		// Four deviations of the count, and what is expected may be off.
		happens, slack := 200./1500*float64(seen), 4*200./1500*math.Sqrt(float64(seen)+1)
		if e > chanceSpread*happens+slack || e < happens/chanceSpread-slack {
			t.Errorf("%s: %.2f expected, %.2f happen", c.name, e, happens)
		}
	}
}

func TestExpectedOfResults(t *testing.T) {
	if e := ExpectedByChance([]Result{{N: 10}, {}}); e != 0 {
		t.Errorf("%g expected of nothing", e)
	}
	src := newDraw(6)
	var list []Series
	for range 16 {
		s := src.Measured("sum", 0.15)
		one := Series{}
		for k, p := range s.P {
			for _, y := range s.Values[k] {
				one.Observations = append(one.Observations, Observation{P: p, Value: y})
			}
		}
		list = append(list, one)
	}
	e := ExpectedByChance(Analyse(list, Likelihood))
	for i := range list {
		list[i].Uncut = true
	}
	if none := ExpectedByChance(Analyse(list, Likelihood)); e <= 0 || e > 2 || none != 0 {
		t.Errorf("%g expected of 16, %g where no change is looked for", e, none)
	}
}

// If there are other series, a change does not count as noise.
func TestChangesAreNotChance(t *testing.T) {
	src := newDraw(7)
	list := listOf(60, func() drawnSeries { return src.Paper(drawCell{In: true, Noise: 0.02}, 10) })
	d := NewDetector()
	for range 20 {
		s := src.Paper(drawCell{In: true, Noise: 0.02}, 10).Stepped(5, 4)
		d.Count(&list, s.P, s.Values, nil)
	}
	if e := list.expectedByChance(); e > 0.3 {
		t.Errorf("%g expected of 60 quiet series and 20 that change", e)
	}
}

// A range holds 95 of 100 counts where the expected number is right, and where
// it is off by chanceSpread on the one side the other end holds 97.
func TestChanceRange(t *testing.T) {
	below := func(mean float64, k int) float64 { // at most k
		sum, p := 0.0, math.Exp(-mean)
		for i := 0; i <= k; i++ {
			sum += p
			p *= mean / float64(i+1)
		}
		return sum
	}
	for _, e := range []float64{0.01, 0.3, 1, 2.5, 7, 40, 300} {
		lo, hi := ChanceRange(e)
		if held := below(e, hi) - below(e, lo-1); held < 0.95 {
			t.Errorf("%g expected: %d to %d hold %.3f", e, lo, hi, held)
		}
		if held := below(e*chanceSpread, hi); held < 0.975-1e-9 {
			t.Errorf("%g expected: %.3f of counts are at most %d", e*chanceSpread, held, hi)
		}
		if low := below(e/chanceSpread, lo-1); low > 0.025+1e-9 {
			t.Errorf("%g expected: %.3f of counts are below %d", e/chanceSpread, low, lo)
		}
	}
	for _, e := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if lo, hi := ChanceRange(e); lo != 0 || hi != 0 {
			t.Errorf("%g expected: %d to %d", e, lo, hi)
		}
	}
}

func FuzzExpectedByChance(f *testing.F) {
	add := func(x ...float64) {
		var b []byte
		for _, v := range x {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		f.Add(b)
	}
	add(1, 1, 2, 4, 3, 9, 4, 16, 5, 25, 6, 36, 7, 37, 8, 38, 9, 39, 10, 40)
	add(1e-30, 1, 1e30, 2, 1, 3, 2, 4, 5, 5, 6, 6, 7, 1e-60, 8, 1e59)
	add(1, 5, 2, 5, 3, 5, 4, 5, 5, 5, 6, 5)
	add(0.1, 1e-9, 0.2, 1e9, 0.3, 1e-9, 0.4, 1e9, 0.5, 1e-9, 0.6, 1e9)
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := Series{}
		for ; len(raw) >= 16 && len(s.Observations) < 12; raw = raw[16:] {
			s.Observations = append(s.Observations, Observation{
				P:     math.Float64frombits(binary.LittleEndian.Uint64(raw)),
				Value: math.Float64frombits(binary.LittleEndian.Uint64(raw[8:])),
				Group: string(raw[:1]),
			})
		}
		if e := ExpectedByChance(Analyse([]Series{s}, Likelihood)); !(e >= 0 && e <= 1) {
			t.Errorf("%g of one series", e)
		}
	})
}
