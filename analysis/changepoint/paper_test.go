package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// steps returns a series of levels with small noise of a fixed seed.
func steps(seed uint64, sd float64, levels ...int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, len(levels))
	for i, l := range levels {
		x[i] = float64(l)/10 + sd*r.NormFloat64()
	}
	return x
}

// at repeats level l n times.
func at(l, n int) []int { return slices.Repeat([]int{l}, n) }

func TestPaperChanges(t *testing.T) {
	spike := steps(7, .01, at(10, 40)...)
	spike[20] += 1
	for _, c := range []struct {
		name string
		x    []float64
		want []int
	}{
		{"flat", steps(3, .01, at(10, 60)...), nil},
		{"up", steps(2, .01, slices.Concat(at(10, 20), at(12, 20))...), []int{20}},
		// The signed maximum, as in the text of the report, would miss this change.
		{"down", steps(2, .01, slices.Concat(at(12, 20), at(10, 20))...), []int{20}},
		{"three runs a level", steps(4, .01, slices.Concat(at(10, 12), at(14, 3), at(8, 3), at(16, 12))...),
			[]int{12, 15, 18}},
		{"one outlier", spike, nil},
		{"two runs", []float64{1, 2}, nil},
		{"empty", nil, nil},
	} {
		var got []int
		for _, f := range paperChanges(c.x) {
			got = append(got, f.index)
			if f.detected < f.index+2 {
				t.Errorf("%s: %d was seen at %d: three windows must agree", c.name, f.index, f.detected)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Events of a prefix are a prefix of the events of the whole.
func TestPaperPrefix(t *testing.T) {
	x := steps(9, .03, slices.Concat(at(10, 30), at(11, 15), at(10, 20), at(13, 25))...)
	whole := paperChanges(x)
	for n := range len(x) {
		part := paperChanges(x[:n])
		if len(part) > len(whole) || !slices.Equal(part, whole[:len(part)]) {
			t.Fatalf("of %d runs: %v, of all: %v", n, part, whole)
		}
	}
}

// With three against three the authors' variances make t sqrt(3/2) times the
// textbook's.
func TestTrimmedT(t *testing.T) {
	a, b := []float64{1, 2, 3}, []float64{5, 6, 7}
	want := 4 / math.Sqrt(2.0/3) * math.Sqrt(1.5)
	if got := compareLevels(reportMoments(a), reportMoments(b)).T(); math.Abs(got-want) > 1e-6 {
		t.Errorf("t = %v, want %v", got, want)
	}
	d := CompareTrimmed(a, b)
	lo, hi := d.Interval()
	if math.Abs(d.T()-4/math.Sqrt(2.0/3)) > 1e-6 || math.Abs(d.PValue()-.008049893) > 1e-6 ||
		math.Abs(hi-d.Value-2.776445*math.Sqrt(2.0/3)) > 1e-5 || math.Abs(hi+lo-8) > 1e-9 {
		t.Errorf("t = %v, p = %v, interval %v .. %v", d.T(), d.PValue(), lo, hi)
	}
}

func TestTrim(t *testing.T) {
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100}
	if got := Trimmed(ten); len(got) != 9 || slices.Max(got) != 9 {
		t.Errorf("one of ten far off: kept %v", got)
	}
	if got := Trimmed(ten[:9]); len(got) != 9 {
		t.Errorf("nine values are left alone: kept %v", got)
	}
	two := append(slices.Clone(ten), 90)
	if got := Trimmed(two); len(got) != 10 {
		t.Errorf("a tenth of eleven is one: kept %v", got)
	}
	same := append(slices.Repeat([]float64{5}, 9), 7)
	if got := Trimmed(same); len(got) != 9 || got[8] != 5 {
		t.Errorf("nine alike and one: kept %v", got)
	}
	if got := Trimmed(slices.Repeat([]float64{5}, 20)); len(got) != 20 {
		t.Errorf("twenty alike: kept %d", len(got))
	}
	near := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := Trimmed(near); len(got) != 10 {
		t.Errorf("the farthest is within three MAD: kept %v", got)
	}
}

func TestPaperResult(t *testing.T) {
	x := steps(2, .01, slices.Concat(at(10, 20), at(12, 20))...)
	s := Series{ID: "a"}
	for i, v := range x {
		s.T, s.Y = append(s.T, float64(i)), append(s.Y, math.Exp(v))
	}
	r := Analyse([]Series{s}, Paper, Default()).Series[0]
	if len(r.Changes) != 1 || len(r.Regimes) != 2 {
		t.Fatalf("%d changes, %d regimes", len(r.Changes), len(r.Regimes))
	}
	c := r.Changes[0]
	want := 100 * math.Expm1(.2)
	if c.LoPct == nil || *c.LoPct > want || *c.HiPct < want || *c.HiPct-*c.LoPct > 3 {
		t.Errorf("effect %.2f [%v, %v], want %.2f", c.EffectPct, c.LoPct, c.HiPct, want)
	}
	if r.Regimes[0].First != 0 || r.Regimes[0].Last != 19 || r.Regimes[1].N != 20 {
		t.Errorf("regimes %+v", r.Regimes)
	}
}
