package marks

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A visit is a stay of a simulated program in one of its mixtures of pages.
type visit struct {
	mixture int
	bins    int
}

var mixtures = [][]float64{
	{.80, .10, .05, .05, 0, 0},
	{.10, .70, .10, .05, .05, 0},
	{.05, .10, .15, .10, .40, .20},
	{.25, .25, .25, .25, 0, 0},
}

// drawn returns the code of a program that makes visits: five samples a bin.
func drawn(rng *rand.Rand, visits []visit) CodeBins {
	c := CodeBins{BinS: 0.005, Pages: make([][]float32, len(mixtures[0]))}
	for _, v := range visits {
		for range v.bins {
			for p := range c.Pages {
				c.Pages[p] = append(c.Pages[p], 0)
			}
			for range 5 {
				x, p := rng.Float64(), 0
				for x -= mixtures[v.mixture][p]; x > 0 && p+1 < len(c.Pages); x -= mixtures[v.mixture][p] {
					p++
				}
				c.Pages[p][c.Len()-1]++
			}
		}
	}
	return c
}

// solver is a program whose steps take an unequal number of iterations: setting up,
// iterating, now and then writing a file.
func solver(rng *rand.Rand, steps int) (visits []visit, begin []float64) {
	at := 0
	for i := range steps {
		begin = append(begin, float64(at)*0.005)
		n := int(12 * math.Exp(.3*rng.NormFloat64()))
		visits = append(visits, visit{0, 6}, visit{1, max(3, n)}, visit{2, 3})
		at += 9 + max(3, n)
		if i%7 == 3 {
			visits = append(visits, visit{3, 8})
			at += 8
		}
	}
	return visits, begin
}

// hits is the share of true beginnings that have a mark of their own within a fifth
// of the median length, at the best constant offset, against the number of both.
func hits(marks, begin []float64, median float64) float64 {
	best := 0.0
	for offset := -.5; offset < .5; offset += .05 {
		n, j := 0, 0
		for _, b := range begin {
			for j < len(marks) && marks[j]+offset*median < b-.2*median {
				j++
			}
			if j < len(marks) && marks[j]+offset*median <= b+.2*median {
				n++
				j++
			}
		}
		best = max(best, 2*float64(n)/float64(len(marks)+len(begin)))
	}
	return best
}

func TestFindUnequalSteps(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		visits, begin := solver(rng, 80)
		found := Find(drawn(rng, visits))
		if len(found) == 0 {
			t.Errorf("seed %d: nothing", seed)
			continue
		}
		y := found[0]
		if h := hits(y.Marks, begin, y.MedianS); h < .8 || !y.CrossChecked || y.Confidence < .6 ||
			y.Confidence > crossCheckedConfidence {
			t.Errorf("seed %d: %.2f of the steps, median %.3f s, witness %v, confidence %.2f", seed, h, y.MedianS,
				y.CrossChecked,
				y.Confidence)
		}
	}
}

// TestLongRun: what is learnt from the middle is followed over all of a run.
func TestLongRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	visits, begin := solver(rng, 1500)
	code := drawn(rng, visits)
	if code.Len() < 4*maxBins {
		t.Fatalf("%d bins are no long run", code.Len())
	}
	found := Find(code)
	if len(found) == 0 || hits(found[0].Marks, begin, found[0].MedianS) < .8 {
		t.Errorf("%d cycles", len(found))
	}
}

// TestNull: programs without a cycle that stay in states for random times, in random order or with first-order
// transitions, get no claim that is reported as likely.
func TestNull(t *testing.T) {
	told, likely := 0, 0
	const sets = 24
	for seed := range uint64(sets) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var visits []visit
		for n, state := 0, 0; n < 2500; {
			v := visit{state, 1 + int(20*rng.ExpFloat64())}
			visits = append(visits, v)
			n += v.bins
			state = (state + 1 + rng.IntN(len(mixtures)-1)) % len(mixtures)
		}
		if seed%3 == 0 { // a task farm: one mixture all the time
			visits = []visit{{3, 2500}}
		}
		if found := Find(drawn(rng, visits)); len(found) > 0 {
			told++
			if found[0].Confidence >= .6 {
				likely++
			}
		}
	}
	if told > 1 || likely > 0 {
		t.Errorf("%d of %d sets without a cycle got one, %d as likely", told, sets, likely)
	}
}

func TestFindRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	visits, _ := solver(rng, minMarks-2)
	for name, c := range map[string]CodeBins{
		"nothing":   {BinS: 0.005},
		"no bins":   {BinS: 0.005, Pages: make([][]float32, 3)},
		"no hits":   {BinS: 0.005, Pages: [][]float32{make([]float32, 500), make([]float32, 500)}},
		"one page":  {BinS: 0.005, Pages: drawn(rng, []visit{{0, 500}}).Pages[:1]},
		"few steps": drawn(rng, visits),
	} {
		if y := Find(c); len(y) > 0 {
			t.Errorf("%s: %v", name, y)
		}
	}
}

// FuzzFind: whatever the counts are, no panic, and marks that rise within the run.
func FuzzFind(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 255}, uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, pages uint8) {
		n := 1 + int(pages%8)
		c := CodeBins{BinS: 0.005, Pages: make([][]float32, n)}
		for i := range 200 {
			for p := range c.Pages {
				x := float32(0)
				if len(b) > 0 {
					x = float32(b[(i*n+p)%len(b)])
				}
				c.Pages[p] = append(c.Pages[p], x)
			}
		}
		for _, y := range Find(c) {
			last := -1.0
			for _, m := range y.Marks {
				if m <= last || m > float64(c.Len())*c.BinS {
					t.Fatalf("marks %v", y.Marks)
				}
				last = m
			}
			if !(y.Confidence >= 0 && y.Confidence <= crossCheckedConfidence) {
				t.Fatalf("confidence %v", y.Confidence)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	visits, _ := solver(rng, 12000) // some 25 minutes of CPU time
	c := drawn(rng, visits)
	b.ReportMetric(float64(c.Len())*c.BinS, "CPU-s")
	for b.Loop() {
		Find(c)
	}
}
