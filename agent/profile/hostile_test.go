package profile

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"
)

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// stream goes through a file block by block.
func stream(data []byte) {
	r, err := NewReader(bytes.NewReader(data))
	for err == nil {
		_, err = r.Next()
	}
}

// Blocks that claim as much as a reader believes cost the memory of one of them
// where they are gone through, and where they are kept no more than 256 bytes
// for each of the file and 64 MB.
func TestForgedMemory(t *testing.T) {
	columns := make([]Column, maxColumns)
	d := &disk{room: 1 << 30}
	w, err := newWriter(d, "p", testHeader(columns...), exact)
	if err != nil {
		t.Fatal(err)
	}
	b := Block{N: 256, Columns: make([][]int64, maxColumns)}
	for i := range b.Columns {
		b.Columns[i] = make([]int64, b.N)
		fill(b.Columns[i], NoValue)
	}
	for ; len(d.data) < 1<<20; b.First += 256 {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if n := allocated(func() { stream(d.data) }); n > 2<<20 {
		t.Errorf("going through %d bytes took %d", len(d.data), n)
	}
	if n := allocated(func() { readBytes(t, d.data) }); n > 80<<20+256*int64(len(d.data)) {
		t.Errorf("keeping %d bytes took %d", len(d.data), n)
	}
	b.N, b.First = 1024, b.First+1024
	for i := range b.Columns {
		b.Columns[i] = make([]int64, b.N)
		fill(b.Columns[i], NoValue)
	}
	if w.Append(b) == nil {
		t.Error("a block was written that no reader believes")
	}
}

// Two blocks as far apart as the format allows do not make a set of 240 MB.
func TestForgedGap(t *testing.T) {
	for _, hz := range []float64{0, 1} {
		p := &Profile{Header: testHeader(Column{Name: "a", Hz: hz}), Blocks: []Block{
			{N: 1, Columns: [][]int64{{1}}}, {First: maxSlot - maxSlots, N: 1, Columns: [][]int64{{2}}}}}
		data := imageOf(t, p)
		if n := allocated(func() { LoadStream(bytes.NewReader(data)) }); n > 10<<20 {
			t.Errorf("%g Hz: %d bytes", hz, n)
		}
	}
}

// damage makes n bytes of profiles that are damaged in all ways: flips, cuts,
// pieces put elsewhere, and payloads whose checksum was mended, so that the
// decoder sees them. It returns the largest memory per file of some size.
func damage(t testing.TB, rng *rand.Rand, n int) (files int, worst int64) {
	d := &disk{room: 1 << 30}
	w, err := newWriter(d, "p", counterHeader(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range counters(rng, 4) {
		b.Samples, b.Pages = make([]uint32, b.N), []PageCount{{Key: 1, Counts: make([]uint16, b.N)}}
		for k := range b.Samples {
			b.Samples[k] = rng.Uint32N(9)
			b.Pages[0].Counts[k] = uint16(rng.Uint32N(b.Samples[k] + 1))
		}
		if i == 1 {
			b = w.merger.merge(b, 10)
		}
		payload := w.encoder.appendBlock(nil, &b)
		if i > 1 {
			payload = unpacked(t, payload, &w.header)
		}
		w.buf = append(openFrame(w.buf[:0]), payload...)
		if err := w.writeFrame(blockFrame); err != nil {
			t.Fatal(err)
		}
	}
	for n > 0 {
		data := bytes.Clone(d.data)
		for range 1 + rng.IntN(8) {
			at := rng.IntN(len(data))
			switch rng.IntN(4) {
			case 0:
				data = data[:at+1]
			case 1:
				copy(data[at:], data[rng.IntN(len(data)):])
			default:
				data[at] ^= 1 << rng.IntN(8)
			}
		}
		if rng.IntN(4) > 0 {
			mend(data)
		}
		n -= len(data)
		files++
		worst = max(worst, allocated(func() { stream(data) }))
	}
	return files, worst
}

// mend gives every frame that is found its checksum.
func mend(data []byte) {
	for at := 0; at+frameSize <= len(data); at++ {
		if length, ok := frameLength(data[at:]); ok && at+length <= len(data) {
			frame := data[at : at+length]
			sealFrame(frame, frame[4])
		}
	}
}

func TestDamagedBytes(t *testing.T) {
	stream(nil)
	if files, worst := damage(t, rand.New(rand.NewPCG(11, 11)), 1_000_000); worst > 4<<20 {
		t.Errorf("a file took %d bytes, of %d", worst, files)
	}
}

// BenchmarkDamagedBytes reads ten million damaged bytes.
func BenchmarkDamagedBytes(b *testing.B) {
	seed := uint64(0)
	for b.Loop() {
		seed++
		files, worst := damage(b, rand.New(rand.NewPCG(12, seed)), 10_000_000)
		b.ReportMetric(float64(files), "files")
		b.ReportMetric(float64(worst)/1e6, "worst-MB-allocated")
		b.ReportMetric(10, "MB-damaged")
	}
}

// The memory of the reader does not grow with the profile.
func TestConstantMemory(t *testing.T) {
	image := func(n int) []byte {
		d := &disk{room: 1 << 30}
		w, err := newWriter(d, "p", counterHeader(), WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all := counters(rand.New(rand.NewPCG(13, 13)), 10)
		for k := range n {
			b := all[k%10]
			b.First = int64(k) * 200
			if err := w.Append(b); err != nil {
				t.Fatal(err)
			}
		}
		return d.data
	}
	short, long := image(20), image(400)
	stream(short)
	small, large := allocated(func() { stream(short) }), allocated(func() { stream(long) })
	if large > small+100_000 {
		t.Errorf("20 blocks take %d bytes, 400 take %d", small, large)
	}
	var w *Writer
	all := counters(rand.New(rand.NewPCG(14, 14)), 10)
	w, err := newWriter(nothing{}, "p", counterHeader(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	write := func(n int) {
		for range n {
			b := all[w.nextSlot/200%10]
			b.First = w.nextSlot
			if err := w.Append(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(20)
	if n := allocated(func() { write(200) }); n > 10_000 {
		t.Errorf("writing 200 blocks takes %d bytes", n)
	}
}

// nothing is a disk that forgets.
type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }
func (nothing) Truncate(int64) error        { return nil }
func (nothing) Datasync() error             { return nil }
func (nothing) Close() error                { return nil }
