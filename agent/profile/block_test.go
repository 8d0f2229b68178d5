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
	if columns > 0 && rng.IntN(4) == 0 {
		b.Ran = make([]uint16, columns)
		for i := range b.Ran {
			b.Ran[i] = uint16(rng.IntN(10_001))
		}
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

// lossless makes an encoder that changes nothing.
func lossless(t testing.TB, columns int, p Packing) *encoder {
	t.Helper()
	h := testHeader(make([]Column, columns)...)
	e, err := newEncoder(&h, Options{Lossless: true, Packing: p})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestBlockRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, packing := range []Packing{Packed, Plain, Zstd} {
		var shared arena
		var encoders [6]*encoder
		for columns := range encoders {
			encoders[columns] = lossless(t, columns, packing)
		}
		for i := range 1000 {
			columns := rng.IntN(6)
			e := encoders[columns]
			want := randomBlock(rng, columns)
			if err := want.check(columns); err != nil {
				t.Fatal(err)
			}
			payload := e.appendBlock(nil, &want)
			got, err := decodeBlock(payload, e.header, &shared)
			if err != nil {
				t.Fatalf("packing %d, block %d: %v", packing, i, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("packing %d, block %d came back as\n%+v, was\n%+v", packing, i, got, want)
			}
			other := testHeader(make([]Column, columns+1)...)
			if _, err := decodeBlock(payload, &other, &shared); err == nil {
				t.Fatal("a block of the wrong number of columns was read")
			}
			if _, err := decodeBlock(append(payload, 0), e.header, &shared); err == nil {
				t.Fatalf("packing %d: a byte too many was not noticed", packing)
			}
			if _, err := decodeBlock(payload[:rng.IntN(len(payload))], e.header, &shared); err == nil {
				t.Fatalf("packing %d: a payload cut short was read", packing)
			}
		}
	}
}

func TestVarintLen(t *testing.T) {
	for shift := range 64 {
		for _, v := range []int64{1<<shift - 1, 1 << shift, -(1 << shift)} {
			if b := binary.AppendVarint(nil, v); varintLen(v) != len(b) {
				t.Errorf("varintLen(%d) = %d, it takes %d", v, varintLen(v), len(b))
			}
		}
	}
}

func TestBlockCheck(t *testing.T) {
	good := func() Block {
		return Block{N: 2, Columns: [][]int64{{1, 2}}, Samples: []uint32{1, 2}, Ran: []uint16{5000},
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
		"shares":         func(b *Block) { b.Ran = []uint16{1, 2} },
		"merged":         func(b *Block) { b.Every = -1 },
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
	head := func(flags byte, n uint64, columns byte) []byte {
		p := binary.AppendUvarint([]byte{flags, 0}, n)
		return append(p, 0, 0, 0, 0, 0, 0, columns)
	}
	bomb := lossless(t, 0, Zstd).zstd.EncodeAll(make([]byte, 8<<20), nil)
	inputs := map[string][]byte{
		"many slots":     append(head(0, maxSlots, 4), 1, 2, 3),
		"too many slots": append(head(0, maxSlots+1, 1), 1, 2, 3),
		"all missing":    append(head(0, maxSlots, 4), 0, 0, 0, 0, 0),
		"all equal":      append(head(0, maxSlots, 4), 20, 2, 20, 2, 20, 2, 20, 2, 0, 1),
		"bitmaps":        append(head(0, maxSlots, 4), make([]byte, maxSlots/8)...),
		"pages":          append(head(0, maxSlots, 0), 0xff, 0x1f),
		"pages and keys": append(append(head(0, maxSlots, 0), 5), make([]byte, 45)...),
		"zstd":           append(binary.AppendUvarint(append(head(16, 10, 0), 0), 8<<20), bomb...),
		"zstd too short": append(append(head(16, 10, 0), 0, 10), bomb...),
		"noise":          bytes.Repeat([]byte{0xff}, 64),
	}
	for name, payload := range inputs {
		for columns := range 5 {
			h, a := testHeader(make([]Column, columns)...), new(arena)
			if payload[0]>>packingShift == byte(Zstd) {
				a.inflate(nil) // its decoder is made once, and is not the block's
			}
			tables()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := decodeBlock(payload, &h, a)
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
	for i := range 24 {
		b := randomBlock(rng, i/6)
		f.Add(lossless(f, i/6, Packing(i%3)).appendBlock(nil, &b), i/6)
	}
	f.Fuzz(func(t *testing.T, payload []byte, columns int) {
		if columns < 0 || columns > maxColumns {
			return
		}
		e := lossless(t, columns, Packed)
		b, err := decodeBlock(payload, e.header, new(arena))
		if err != nil {
			return
		}
		if err := b.check(columns); err != nil {
			t.Fatalf("read a block that could not be written: %v", err)
		}
		if b.Every > 1 {
			return // it was spread over its slots
		}
		again, err := decodeBlock(e.appendBlock(nil, &b), e.header, new(arena))
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("%+v came back as %+v, %v", b, again, err)
		}
	})
}
