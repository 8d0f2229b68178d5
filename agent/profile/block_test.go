package profile

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
)

// randomBlock makes a block of any shape that the agent may write, and of some
// that it would not.
func randomBlock(rng *rand.Rand, columns int) Block {
	b := Block{First: rng.Int64N(1 << 36), N: 1 + rng.IntN(60),
		RealNS: rng.Int64(), MonoNS: rng.Int64() - rng.Int64(),
		Missing: rng.Int64N(100), LostRecords: rng.Int64N(3), Records: rng.Int64N(1e6), AgentCPUNS: rng.Int64()}
	b.Columns = make([][]int64, columns)
	for i := range b.Columns {
		b.Columns[i] = randomColumn(rng, b.N)
	}
	if rng.IntN(3) > 0 {
		b.Samples = make([]uint32, b.N)
		for i := range b.Samples {
			b.Samples[i] = rng.Uint32() >> rng.IntN(32)
		}
	}
	for range rng.IntN(5) {
		p := PageCount{Key: rng.Uint64(), Counts: make([]uint16, b.N)}
		for i := range p.Counts {
			if rng.IntN(2) == 0 {
				p.Counts[i] = uint16(rng.Uint32()) >> rng.IntN(17)
			}
		}
		b.Pages = append(b.Pages, p)
	}
	return b
}

// randomColumn makes a counter, a level, noise over all int64, or nothing, with
// or without holes.
func randomColumn(rng *rand.Rand, n int) []int64 {
	out := make([]int64, n)
	kind, holes := rng.IntN(4), rng.IntN(2) == 0
	sum := rng.Int64N(1 << 50)
	for i := range out {
		sum += rng.Int64N(1000)
		switch kind {
		case 0:
			out[i] = sum
		case 1:
			out[i] = int64(rng.Uint64()) // NoValue and the extremes too
		case 2:
			out[i] = []int64{math.MaxInt64, math.MinInt64 + 1, 0, -1}[rng.IntN(4)]
		default:
			out[i] = NoValue
		}
		if holes && rng.IntN(3) == 0 {
			out[i] = NoValue
		}
	}
	return out
}

func TestBlockRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var shared arena
	for i := range 2000 {
		columns := rng.IntN(6)
		want := randomBlock(rng, columns)
		if err := want.check(columns); err != nil {
			t.Fatal(err)
		}
		payload := appendBlock(nil, &want)
		got, err := decodeBlock(payload, columns, &shared)
		if err != nil {
			t.Fatalf("block %d: %v", i, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("block %d came back as\n%+v, was\n%+v", i, got, want)
		}
		if _, err := decodeBlock(payload, columns+1, &shared); err == nil {
			t.Fatal("a block of the wrong number of columns was read")
		}
		if _, err := decodeBlock(append(payload, 0), columns, &shared); err == nil {
			t.Fatal("a byte too many was not noticed")
		}
		if _, err := decodeBlock(payload[:rng.IntN(len(payload))], columns, &shared); err == nil {
			t.Fatal("a payload cut short was read")
		}
	}
}

func TestVarintLen(t *testing.T) {
	for shift := range 64 {
		for _, v := range []int64{1<<shift - 1, 1 << shift, -(1 << shift)} {
			b := appendDifferences(nil, []int64{v}, 1)
			if v != NoValue && varintLen(v) != len(b) {
				t.Errorf("varintLen(%d) = %d, it takes %d", v, varintLen(v), len(b))
			}
		}
	}
}

func TestBlockCheck(t *testing.T) {
	good := func() Block {
		return Block{N: 2, Columns: [][]int64{{1, 2}}, Samples: []uint32{1, 2},
			Pages: []PageCount{{Key: 1, Counts: []uint16{0, 1}}}}
	}
	b := good()
	if err := b.check(1); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Block){
		"no slots":       func(b *Block) { b.N = 0 },
		"too many slots": func(b *Block) { b.N = maxSlots + 1 },
		"negative slot":  func(b *Block) { b.First = -1 },
		"far slot":       func(b *Block) { b.First = maxSlot },
		"column missing": func(b *Block) { b.Columns = nil },
		"short column":   func(b *Block) { b.Columns[0] = b.Columns[0][:1] },
		"short samples":  func(b *Block) { b.Samples = b.Samples[:1] },
		"short page":     func(b *Block) { b.Pages[0].Counts = nil },
		"too many pages": func(b *Block) { b.Pages = make([]PageCount, maxPages+1) },
	} {
		b := good()
		if spoil(&b); b.check(1) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A few bytes must not make the decoder allocate what they claim.
func TestHostileLengths(t *testing.T) {
	// head is a payload up to its columns, claiming n slots.
	head := func(n uint64, columns byte) []byte {
		p := binary.AppendUvarint([]byte{0, 0}, n)
		return append(p, 0, 0, 0, 0, 0, 0, columns)
	}
	inputs := map[string][]byte{
		"many slots":     append(head(maxSlots, 4), 1, 2, 3),
		"too many slots": append(head(maxSlots+1, 1), 1, 2, 3),
		"bitmaps":        append(head(maxSlots, 4), make([]byte, maxSlots/8)...),
		"pages":          append(head(maxSlots, 0), 0xff, 0x1f),
		"pages and keys": append(append(head(maxSlots, 0), 5), make([]byte, 45)...),
		"no pages":       append(head(maxSlots, 0), 4),
		"noise":          bytes.Repeat([]byte{0xff}, 64),
	}
	for name, payload := range inputs {
		for columns := range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := decodeBlock(payload, columns, new(arena))
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("%s: read with %d columns", name, columns)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%s: %d bytes allocated for %d", name, n, len(payload))
			}
		}
	}
}

func FuzzDecodeBlock(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for columns := range 4 {
		b := randomBlock(rng, columns)
		f.Add(appendBlock(nil, &b), columns)
	}
	f.Fuzz(func(t *testing.T, payload []byte, columns int) {
		if columns < 0 || columns > maxColumns {
			return
		}
		b, err := decodeBlock(payload, columns, new(arena))
		if err != nil {
			return
		}
		if err := b.check(columns); err != nil {
			t.Fatalf("read a block that could not be written: %v", err)
		}
		again, err := decodeBlock(appendBlock(nil, &b), columns, new(arena))
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("%+v came back as %+v, %v", b, again, err)
		}
	})
}
