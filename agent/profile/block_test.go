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
		UncertainSlots: rng.Int64N(100), LostRecords: rng.Int64N(3), Records: rng.Int64N(1e6), AgentCPUNS: rng.Int64()}
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
		b.CountedShare = make([]uint16, columns)
		for i := range b.CountedShare {
			b.CountedShare[i] = uint16(rng.IntN(10_001))
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
func lossless(t testing.TB, columns int) *encoder {
	t.Helper()
	h := testHeader(make([]Column, columns)...)
	e, err := newEncoder(&h, exact)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestBlockRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shared := decoderOf(t)
	var encoders [6]*encoder
	for columns := range encoders {
		encoders[columns] = lossless(t, columns)
	}
	packed, plain := 0, 0
	for i := range 3000 {
		columns := rng.IntN(6)
		e := encoders[columns]
		want := randomBlock(rng, columns)
		if err := want.check(columns); err != nil {
			t.Fatal(err)
		}
		payload := e.appendBlock(nil, &want)
		if payload[0]&flagZstd != 0 {
			packed++
		} else {
			plain++
		}
		got, err := shared.decode(payload, e.header, false)
		if err != nil {
			t.Fatalf("block %d: %v", i, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("block %d came back as\n%+v, was\n%+v", i, got, want)
		}
		other := testHeader(make([]Column, columns+1)...)
		if _, err := shared.decode(payload, &other, false); err == nil {
			t.Fatal("a block of the wrong number of columns was read")
		}
		if _, err := shared.decode(append(payload, 0), e.header, false); err == nil {
			t.Fatal("a byte too many was not noticed")
		}
		if _, err := shared.decode(payload[:rng.IntN(len(payload))], e.header, false); err == nil {
			t.Fatal("a payload cut short was read")
		}
	}
	if packed < 100 || plain < 100 {
		t.Errorf("%d bodies of zstd, %d without", packed, plain)
	}
}

// Steps of all kinds are decoded unchanged, and the level coding is used where a level holds.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, c := range map[string]struct {
		step     func(i int) int64
		levelled bool
	}{
		"phases":   {func(i int) int64 { return 200 + int64(i/70%2)*300 + rng.Int64N(9) }, true},
		"falling":  {func(i int) int64 { return -5000 - rng.Int64N(90) }, true},
		"rare":     {func(i int) int64 { return rng.Int64N(50) / 49 }, false},
		"anything": {func(i int) int64 { return int64(rng.Uint64()) }, false},
		"extremes": {func(i int) int64 { return []int64{math.MaxInt64, math.MinInt64, 0, -1}[rng.IntN(4)] }, false},
	} {
		want, got := make([]int64, 500), make([]int64, 500)
		for i := range want {
			want[i] = c.step(i)
		}
		body, levelled := appendSteps(nil, want)
		d := decoder{p: body}
		if d.readSteps(got, levelled); !reflect.DeepEqual(got, want) || d.bad || len(d.p) > 0 ||
			levelled != c.levelled && name != "extremes" && name != "anything" {
			t.Errorf("%s: levelled %v, %v", name, levelled, got[:9])
		}
	}
}

func TestBlockCheck(t *testing.T) {
	good := func() Block {
		return Block{N: 2, Columns: [][]int64{{1, 2}}, Samples: []uint32{1, 2}, CountedShare: []uint16{5000},
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
		"shares":         func(b *Block) { b.CountedShare = []uint16{1, 2} },
		"merged":         func(b *Block) { b.MergedSlots = -1 },
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
	bomb := lossless(t, 0).zstd.EncodeAll(make([]byte, 8<<20), nil)
	inputs := map[string][]byte{
		"many slots":     append(head(0, maxSlots, 4), 1, 2, 3),
		"too many slots": append(head(0, maxSlots+1, 1), 1, 2, 3),
		"all missing":    append(head(0, maxSlots, 4), 0, 0, 0, 0, 0, 1),
		"all equal":      append(head(0, maxSlots, 4), 5, 2, 5, 2, 5, 2, 5, 2, 0, 1),
		"bitmaps":        append(head(0, maxSlots, 4), make([]byte, maxSlots/8)...),
		"pages":          append(head(0, maxSlots, 0), 0xff, 0x1f),
		"pages and keys": append(append(head(0, maxSlots, 0), 5), make([]byte, 45)...),
		"zstd":           append(append(head(flagZstd, 10, 0), 0), bomb...),
		"zstd cut short": append(append(head(flagZstd, 10, 0), 0), bomb[:len(bomb)/2]...),
		"zstd of none":   append(head(flagZstd, 10, 0), 0),
		"noise":          bytes.Repeat([]byte{0xff}, 64),
	}
	for name, payload := range inputs {
		for columns := range 5 {
			h, d := testHeader(make([]Column, columns)...), decoderOf(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := d.decode(payload, &h, false)
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

func decoderOf(t testing.TB) *blockDecoder {
	t.Helper()
	d, err := newBlockDecoder()
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// unpacked is a payload without zstd, so that what is changed in it reaches the
// decoder of bodies.
func unpacked(t testing.TB, payload []byte, h *Header) []byte {
	t.Helper()
	a := decoderOf(t)
	if err := a.head.readHead(payload, h, false); err != nil {
		t.Fatal(err)
	}
	body, err := a.inflate(a.head.body, a.head.flags)
	if err != nil {
		t.Fatal(err)
	}
	out := append(bytes.Clone(payload[:len(payload)-len(a.head.body)]), body...)
	out[0] &^= flagZstd
	return out
}

func FuzzDecodeBlock(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 24 {
		b, e := randomBlock(rng, i/6), lossless(f, i/6)
		payload := e.appendBlock(nil, &b)
		f.Add(payload, i/6)
		f.Add(unpacked(f, payload, e.header), i/6)
	}
	f.Fuzz(func(t *testing.T, payload []byte, columns int) {
		if columns < 0 || columns > maxColumns {
			return
		}
		e := lossless(t, columns)
		b, err := decoderOf(t).decode(payload, e.header, false)
		if err != nil {
			return
		}
		if err := b.check(columns); err != nil {
			t.Fatalf("read a block that could not be written: %v", err)
		}
		if b.MergedSlots > 1 {
			return // it was spread over its slots
		}
		again, err := decoderOf(t).decode(e.appendBlock(nil, &b), e.header, false)
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("%+v came back as %+v, %v", b, again, err)
		}
	})
}
