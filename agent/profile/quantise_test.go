package profile

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// counters makes blocks of counters of all kinds: steady with noise, in bursts,
// rare, huge, still, and a gauge that goes up and down.
func counters(rng *rand.Rand, n int) []Block {
	var sum [6]int64
	out := make([]Block, n)
	for k := range out {
		b := &out[k]
		*b = Block{First: int64(k * 200), N: 200, Columns: make([][]int64, len(sum))}
		for i := range b.N {
			busy := int64(k*200+i) / 70 % 2
			sum[0] += 1_000_000 + busy*3_000_000 + rng.Int64N(50_000)
			sum[1] += busy * (500 + rng.Int64N(5000))
			sum[2] += rng.Int64N(100) / 97
			sum[3] += 1<<40 + rng.Int64N(1<<36)
			sum[5] += rng.Int64N(2_000_001) - 1_000_000
			for c, v := range sum {
				b.Columns[c] = append(b.Columns[c], v)
			}
		}
	}
	return out
}

// written returns what a profile holds and what comes back from it.
func written(t *testing.T, h Header, o WriterOptions, blocks []Block) (*Profile, int) {
	t.Helper()
	d := &disk{room: 1 << 30}
	w, err := newWriter(d, "p", h, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	r, err := NewReader(bytes.NewReader(d.data))
	if err != nil {
		t.Fatal(err)
	}
	return r.ReadAll(), len(d.data)
}

func counterHeader() Header {
	return testHeader(Column{Name: "steady"}, Column{Name: "bursts"}, Column{Name: "rare"}, Column{Name: "huge"},
		Column{Name: "still"}, Column{Name: "level", Gauge: true})
}

// The promise of Column.Quantum: no value is further off than half of it, the
// first and last of every block are exact, counters never fall, and a quantum
// is 1/256 of the median step at most.
func TestQuantum(t *testing.T) {
	want := counters(rand.New(rand.NewPCG(7, 7)), 30)
	p, _ := written(t, counterHeader(), WriterOptions{}, want)
	off := make([]int64, len(p.Header.Columns))
	for k, b := range p.Blocks {
		for c, got := range b.Columns {
			in := want[k].Columns[c]
			if got[0] != in[0] || got[199] != in[199] {
				t.Fatalf("block %d, column %d: ends %d %d, not %d %d", k, c, got[0], got[199], in[0], in[199])
			}
			for i := range got {
				off[c] = max(off[c], got[i]-in[i], in[i]-got[i])
				if i > 0 && !p.Header.Columns[c].Gauge && got[i] < got[i-1] {
					t.Fatalf("block %d, column %d runs backwards at %d", k, c, i)
				}
			}
		}
	}
	for c, column := range p.Header.Columns {
		q := column.Quantum
		if 2*off[c] > q {
			t.Errorf("%s: off by %d, the quantum is %d", column.Name, off[c], q)
		}
		if rounded := column.Name == "steady" || column.Name == "huge" || column.Name == "bursts"; rounded != (off[c] > 0) {
			t.Errorf("%s: off by %d", column.Name, off[c])
		}
		if median := medianStep(want, c); q > 1 && q*stepsPerQuantum > median {
			t.Errorf("%s: quantum %d of steps of %d", column.Name, q, median)
		}
	}
}

// medianStep is the largest median, over the blocks, of a column's steps that
// are not 0.
func medianStep(blocks []Block, c int) (largest int64) {
	for _, b := range blocks {
		var steps []int64
		for i := 1; i < b.N; i++ {
			if d := b.Columns[c][i] - b.Columns[c][i-1]; d > 0 {
				steps = append(steps, d)
			}
		}
		if slices.Sort(steps); len(steps) > 0 {
			largest = max(largest, steps[len(steps)/2])
		}
	}
	return largest
}

func TestQuantumOf(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   int64
	}{
		{[]int64{5}, 1}, {[]int64{5, 5, 5}, 1}, {[]int64{0, 255, 510}, 1}, {[]int64{0, 512, 1024}, 2},
		{[]int64{0, 2560, 2560, 2560, 2560, 5120}, 10}, {[]int64{0, 256, 1000 * 256, 2000 * 256}, 999},
		{[]int64{0, 256, 512, 1000 * 256}, 1},
	} {
		if got := quantumOf(c.values, nil, stepsPerQuantum); got != c.want {
			t.Errorf("%v: quantum %d, not %d", c.values, got, c.want)
		}
	}
}

func TestLossless(t *testing.T) {
	want := counters(rand.New(rand.NewPCG(8, 8)), 5)
	exact, large := written(t, counterHeader(), WriterOptions{Lossless: true}, want)
	_, small := written(t, counterHeader(), WriterOptions{}, want)
	for k, b := range exact.Blocks {
		for c := range b.Columns {
			if !slices.Equal(b.Columns[c], want[k].Columns[c]) {
				t.Fatalf("block %d, column %d changed", k, c)
			}
		}
	}
	for _, c := range exact.Header.Columns {
		if c.Quantum > 1 {
			t.Errorf("%s has quantum %d", c.Name, c.Quantum)
		}
	}
	if small >= large {
		t.Errorf("%d bytes rounded, %d lossless", small, large)
	}
}

// Extremes of int64 come back, whatever is rounded.
func TestQuantumExtremes(t *testing.T) {
	const maximum = 1<<63 - 1
	for _, values := range [][]int64{
		{0, maximum / 2, maximum}, {-maximum, 0, maximum}, {NoValue + 1, NoValue, maximum}, {maximum, -maximum, maximum},
		{0, 1 << 62, 1<<62 + 1, maximum}, {-5, -4, NoValue, 1 << 60}, {maximum - 3, maximum - 2, maximum - 1, maximum},
	} {
		b := Block{N: len(values), Columns: [][]int64{values}}
		p, _ := written(t, testHeader(Column{Name: "a"}), WriterOptions{}, []Block{b})
		if len(p.Blocks) != 1 {
			t.Fatalf("%v: %+v", values, p.Damage)
		}
		got, q := p.Blocks[0].Columns[0], uint64(p.Header.Columns[0].Quantum)
		for i, v := range values {
			if d := uint64(max(v, got[i])) - uint64(min(v, got[i])); 2*d > max(q, 1) || (v == NoValue) != (got[i] == NoValue) {
				t.Errorf("%v came back as %v, quantum %d", values, got, q)
				break
			}
		}
	}
}
