package profile

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"jobgait/analysis/series"
)

// blockRun returns blocks of all lengths with counters, levels and pages, with occasional gaps, missing values
// and counters that restart.
func blockRun(rng *rand.Rand, first int64, n int) []Block {
	var out []Block
	sum := [4]int64{3: 1 << 20}
	for range n {
		b := Block{First: first, N: 1 + rng.IntN(300), Columns: make([][]int64, 5)}
		b.Samples = make([]uint32, b.N)
		for k := range 5 {
			b.Pages = append(b.Pages, PageCount{Key: uint64(k + 1), Counts: make([]uint16, b.N)})
		}
		for i := range b.N {
			busy := (first + int64(i)) / 70 % 2
			sum[0] += 1_000_000 + busy*3_000_000 + rng.Int64N(50_000)
			sum[1] += busy * rng.Int64N(3)
			sum[2] += rng.Int64N(1 << 40)
			sum[3] += rng.Int64N(2_001) - 1_000
			for c, v := range sum {
				b.Columns[c] = append(b.Columns[c], v)
			}
			b.Columns[4] = append(b.Columns[4], NoValue)
			for _, p := range b.Pages {
				p.Counts[i] = uint16(rng.IntN(4) * int(busy))
				b.Samples[i] += uint32(p.Counts[i])
			}
			b.Samples[i] += uint32(rng.IntN(2))
		}
		switch rng.IntN(12) {
		case 0:
			b.Columns[2][rng.IntN(b.N)] = NoValue
		case 1:
			sum[1] = 0
		case 2:
			first += rng.Int64N(100)
		}
		first += int64(b.N)
		out = append(out, b)
	}
	return out
}

func runHeader() Header {
	return testHeader(Column{Name: "steady"}, Column{Name: "rare"}, Column{Name: "huge"},
		Column{Name: "level", Gauge: true}, Column{Name: "none"})
}

// store writes a profile and returns its path.
func store(t testing.TB, o WriterOptions, blocks []Block, epochs ...Epoch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	w, err := Create(path, runHeader(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, e := range epochs {
		if err := w.WriteEpoch(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range blocks {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Seal(Footer{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// bothWays returns what Load makes of a profile and what is made of its blocks
// alone, on the same grid, and how many slots came from overviews.
func bothWays(t testing.TB, path string, p columnLimits) (got LoadedProfile, want *filler, summed int64) {
	t.Helper()
	got, err := loadFile(path, p)
	if err != nil {
		t.Fatal(err)
	}
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	l := newLayout(newSurvey(first), p)
	for _, o := range l.plan {
		summed += o.end - o.first
	}
	want = newFiller(l)
	for b := range again.decodePlanned(nil) {
		want.add(b)
	}
	return got, want, summed
}

// farthest is the largest difference of two columns; infinite where one has a
// value that the other lacks.
func farthest(a, b series.Values) float64 {
	worst := 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if math.IsNaN(x) != math.IsNaN(y) {
			return math.Inf(1)
		}
		if !math.IsNaN(x) {
			worst = max(worst, math.Abs(x-y))
		}
	}
	return worst
}

// What overviews say is what their blocks say: nothing is lost or invented at
// their edges, at gaps, and where the rate of code addresses changes.
func TestOverview(t *testing.T) {
	hz := 250.0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 21))
		blocks := blockRun(rng, rng.Int64N(20), 60)
		var epochs []Epoch
		if seed%2 == 1 {
			epochs = []Epoch{{Slot: blocks[30].First + 11, Kind: "rate", AddressHz: &hz}}
		}
		path := store(t, exact, blocks, epochs...)
		for _, maxValues := range []int64{20_000, 6_000, 500} {
			got, want, summed := bothWays(t, path, columnLimits{defaultLimits().pages, maxValues})
			if last := blocks[59]; summed < last.First/2 {
				t.Fatalf("seed %d: %d slots of %d from overviews", seed, summed, last.First)
			}
			set := want.buildSet()
			if got.Set.StartS != set.StartS || got.Set.StepS != set.StepS || len(got.Set.Columns) != len(set.Columns) {
				t.Fatalf("%+v, not %+v", got.Set, set)
			}
			for i, c := range set.Columns {
				scale := 1e-6
				for _, v := range c.Values {
					if !math.IsNaN(float64(v)) {
						scale = max(scale, 1e-6*math.Abs(float64(v)))
					}
				}
				if c.Name == "level" {
					scale++ // means are whole numbers
				}
				if d := farthest(got.Set.Columns[i].Values, c.Values); d > scale {
					t.Errorf("seed %d, %d values: %s differs by %g", seed, maxValues, c.Name, d)
				}
			}
			all, err := Load(path)
			if err != nil || !reflect.DeepEqual(got.Totals, all.Totals) || !reflect.DeepEqual(got.Quality, all.Quality) {
				t.Errorf("seed %d: totals %+v, not %+v, %v", seed, got.Totals, all.Totals, err)
			}
		}
	}
}

// Rounded, a rate is off by no more than 1/64 of the median step of eight slots,
// and what its blocks are off.
func TestOverviewQuantum(t *testing.T) {
	blocks := counters(rand.New(rand.NewPCG(4, 22)), 60)
	var long []Block
	for _, b := range blocks {
		b.Columns = b.Columns[:3]
		b.Columns = append(b.Columns, blocks[0].Columns[5][:b.N:b.N], make([]int64, b.N))
		long = append(long, b)
	}
	path := store(t, WriterOptions{}, long)
	got, want, summed := bothWays(t, path, columnLimits{defaultLimits().pages, 10_000})
	if summed < 11_000 {
		t.Fatalf("%d slots", summed)
	}
	steady := want.buildSet().Columns[0] // 200 steps a second of 1 million at least
	if d := farthest(got.Set.Columns[0].Values, steady.Values); d == 0 || d > 200*4_050_000/64*1.1 {
		t.Errorf("off by %g of %g a second", d, steady.Values[50])
	}
}

// An overview of blocks that are not there is not believed, and without it the
// blocks are.
func TestOverviewAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 23))
	data, err := os.ReadFile(store(t, exact, blockRun(rng, 0, 60)))
	if err != nil {
		t.Fatal(err)
	}
	starts := map[byte][]int{}
	for at := 0; at < len(data); {
		n, ok := frameLength(data[at:])
		if !ok {
			t.Fatal("no frame")
		}
		starts[data[at+4]] = append(starts[data[at+4]], at)
		at += n
	}
	without := func(kind byte, every int) string {
		bad := bytes.Clone(data)
		for i, at := range starts[kind] {
			if i%every == every-1 {
				bad[at+frameSize] ^= 0xff
			}
		}
		path := filepath.Join(t.TempDir(), "profile.jgp")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		kind  byte
		every int
	}{{blockFrame, 7}, {overviewFrame, 2}, {overviewFrame, 1}} {
		got, want, _ := bothWays(t, without(c.kind, c.every), columnLimits{defaultLimits().pages, 6_000})
		set := want.buildSet()
		for i, w := range set.Columns {
			if d := farthest(got.Set.Columns[i].Values, w.Values); d > 1+1e-6*200*float64(int64(1)<<40) {
				t.Errorf("without %c: %s differs by %g", c.kind, w.Name, d)
			}
		}
		if got.Damage.BlocksBad == 0 {
			t.Error("no damage")
		}
	}
}

// FuzzLoad loads profiles whose frames say anything, with checksums that hold.
func FuzzLoad(f *testing.F) {
	rng := rand.New(rand.NewPCG(6, 24))
	for n, o := range []WriterOptions{{}, exact} {
		data, err := os.ReadFile(store(f, o, blockRun(rng, int64(5*n), 12)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, int64(100))
	}
	f.Fuzz(loadAnything)
}

func loadAnything(t *testing.T, data []byte, maxValues int64) {
	mend(data)
	first, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return
	}
	again, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	l := newSurvey(first).load(again, columnLimits{defaultLimits().pages, min(maxValues, 1<<14)})
	for _, c := range l.Set.Columns {
		if len(c.Values) != l.Set.Len() {
			t.Fatalf("%s has %d values of %d", c.Name, len(c.Values), l.Set.Len())
		}
	}
}

// Damaged overviews neither crash nor take memory.
func TestLoadDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 25))
	image, err := os.ReadFile(store(t, WriterOptions{}, blockRun(rng, 3, 20)))
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		data := bytes.Clone(image)
		for range 1 + rng.IntN(8) {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		if n := allocated(func() { loadAnything(t, data, 3000) }); n > 16<<20 {
			t.Errorf("%d bytes for a file of %d", n, len(data))
		}
	}
}
