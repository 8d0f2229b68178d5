package profile

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// image is a small profile in memory, with the offset at which each block ends;
// the first offset is the end of the header.
func image(t testing.TB, n int) (data []byte, ends []int, want []Block) {
	t.Helper()
	d := &disk{room: 1 << 30}
	w, err := newWriter(d, "p", testHeader(Column{Name: "a"}, Column{Name: "b", Gauge: true}), exact)
	if err != nil {
		t.Fatal(err)
	}
	want, ends = blocks(n, 2), []int{len(d.data)}
	for _, b := range want {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, len(d.data))
	}
	if err := w.Seal(Footer{Reason: "stopped"}); err != nil {
		t.Fatal(err)
	}
	return d.data, ends, want
}

func TestTruncatedAnywhere(t *testing.T) {
	data, ends, want := image(t, 6)
	for cut := range data {
		r, err := NewReader(bytes.NewReader(data[:cut]))
		if cut < ends[0] {
			if !errors.Is(err, ErrNoHeader) {
				t.Fatalf("cut in the header at %d: %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole := 0
		for whole+1 < len(ends) && ends[whole+1] <= cut {
			whole++
		}
		p := r.ReadAll()
		if len(p.Blocks) != whole || whole > 0 && !reflect.DeepEqual(p.Blocks, want[:whole]) {
			t.Fatalf("cut at %d: %d blocks, %d are whole", cut, len(p.Blocks), whole)
		}
		if lost := int64(cut - ends[whole]); p.Damage.BytesLost != lost || (lost > 0) != (p.Damage.Text != "") ||
			p.Footer != nil {
			t.Fatalf("cut at %d: %+v, %d bytes are lost", cut, p.Damage, lost)
		}
	}
}

// Every single byte of a block in the middle is flipped in turn: the others
// come back, and the damage says how many bytes went.
func TestFlippedBytes(t *testing.T) {
	data, ends, want := image(t, 6)
	others := append(append([]Block{}, want[:2]...), want[3:]...)
	for at := ends[2]; at < ends[3]; at++ {
		bad := bytes.Clone(data)
		bad[at] ^= 0x55
		p := readBytes(t, bad)
		if !reflect.DeepEqual(p.Blocks, others) || p.Footer == nil {
			t.Fatalf("byte %d: %d blocks", at, len(p.Blocks))
		}
		lost := int64(ends[3] - ends[2])
		if p.Damage.BytesLost != lost || p.Damage.BlocksBad != 1 || !strings.Contains(p.Damage.Text, "are damaged") {
			t.Fatalf("byte %d: %+v, a block of %d bytes is lost", at, p.Damage, lost)
		}
	}
}

func TestDamage(t *testing.T) {
	data, ends, want := image(t, 4)
	later := want[1]
	later.First = 1e6
	cases := map[string]struct {
		data   []byte
		blocks int
		damage Damage
	}{
		"whole": {data, 4, Damage{}},
		"two places": {join(data[:ends[1]], "junk", data[ends[1]:ends[3]], magic, data[ends[3]:]), 4,
			Damage{8, 2, "8 bytes of the profile are damaged, from byte " + itoa(ends[1]) + " on: their samples are missing"}},
		"lost start of a block": {join(data[:ends[1]], data[ends[1]+20:]), 3,
			Damage{int64(ends[2]-ends[1]) - 20, 1, itoa(ends[2]-ends[1]-20) + " bytes of the profile are damaged, from byte " +
				itoa(ends[1]) + " on: their samples are missing"}},
		"a block twice": {join(data[:ends[2]], data[ends[1]:]), 4,
			Damage{int64(ends[2] - ends[1]), 1, itoa(ends[2]-ends[1]) + " bytes of the profile are damaged, from byte " +
				itoa(ends[2]) +
				" on: their samples are missing"}},
		"cut and damaged": {join(data[:ends[1]], "x", data[ends[1]:ends[4]-1]), 3,
			Damage{int64(ends[4] - ends[3]), 2, "1 bytes of the profile are damaged, from byte " + itoa(ends[1]) +
				" on: their samples are missing; the last " +
				itoa(ends[4]-ends[3]-1) + " bytes of the profile are an incomplete block: its samples are missing"}},
		"behind the footer": {join(data, frameOf(blockFrame, string(lossless(t, 2).appendBlock(nil, &later)))), 4,
			Damage{int64(frameSize + len(lossless(t, 2).appendBlock(nil, &later))), 1, "the last " +
				itoa(frameSize+len(lossless(t, 2).appendBlock(nil, &later))) +
				" bytes of the profile are an incomplete block: its samples are missing"}},
		"unknown kind": {join(data[:ends[1]], frameOf('?', "later"), data[ends[1]:]), 4, Damage{}},
		"malformed": {join(data[:ends[1]], frameOf(blockFrame, "x"), data[ends[1]:]), 4,
			Damage{frameSize + 1, 1, "14 bytes of the profile are damaged, from byte " + itoa(ends[1]) +
				" on: their samples are missing"}},
	}
	for name, c := range cases {
		p := readBytes(t, c.data)
		if len(p.Blocks) != c.blocks || p.Damage != c.damage {
			t.Errorf("%s: %d blocks, %+v; want %d, %+v", name, len(p.Blocks), p.Damage, c.blocks, c.damage)
		}
	}
	r, err := NewReader(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(data))))
	if err == nil {
		t.Error("a read error in the header went unnoticed", r.ReadAll().Damage)
	}
	r, err = NewReader(&failing{data: data[:ends[2]]})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.ReadAll(); len(p.Blocks) != 2 || !strings.Contains(p.Damage.Text, "timeout") ||
		!reflect.DeepEqual(p.Blocks, want[:2]) {
		t.Errorf("a read error: %d blocks, %+v", len(p.Blocks), p.Damage)
	}
}

// A magic number is found even if it spans two reads.
func TestResyncAcrossReads(t *testing.T) {
	data, ends, _ := image(t, 1)
	for k := -2; k < 6; k++ {
		junk := bytes.Repeat([]byte{magic[0]}, windowSize/2-k)
		in := join(data[:ends[0]], junk, data[ends[0]:])
		r, err := NewReader(iotest.OneByteReader(bytes.NewReader(in)))
		if err != nil {
			t.Fatal(err)
		}
		if p := r.ReadAll(); len(p.Blocks) != 1 || p.Damage.BytesLost != int64(len(junk)) {
			t.Errorf("%d bytes of junk: %d blocks, %+v", len(junk), len(p.Blocks), p.Damage)
		}
	}
}

// failing gives data and then an error.
type failing struct{ data []byte }

func (f *failing) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		return 0, iotest.ErrTimeout
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

func join(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p...)
		case []byte:
			out = append(out, p...)
		}
	}
	return out
}

func frameOf(kind byte, payload string) []byte {
	f := append(openFrame(nil), payload...)
	sealFrame(f, kind)
	return f
}

func TestNoHeader(t *testing.T) {
	header := func(text string) []byte { return frameOf(headerFrame, text) }
	for name, data := range map[string][]byte{
		"empty":          nil,
		"text":           []byte("t_s,busy\n0,1\n"),
		"block first":    frameOf(blockFrame, ""),
		"no JSON":        header("{"),
		"no step":        header(`{"version":1}`),
		"junk before":    append([]byte("junk"), header(`{"version":1,"step_ns":5000000}`)...),
		"wild addresses": header(`{"version":1,"step_ns":5000000,"address_hz":1e300}`),
	} {
		if _, err := NewReader(bytes.NewReader(data)); !errors.Is(err, ErrNoHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewReader(bytes.NewReader(header(`{"version":1,"step_ns":5000000}`))); err != nil {
		t.Error(err)
	}
	if _, err := Read("does-not-exist"); err == nil {
		t.Error("read a file that is not there")
	}
}

// A file made of magics that all claim long blocks must not take the square of
// its size, nor memory beyond it.
func TestManyMagics(t *testing.T) {
	head, _, _ := image(t, 0)
	one := frameOf(blockFrame, "")
	one[7] = 64 // 4 MB
	data := append(head, bytes.Repeat(one, 1<<19)...)
	p := readBytes(t, data)
	if p.Damage.BytesLost == 0 || len(p.Blocks) > 0 || !strings.Contains(p.Damage.Text, "was given up") {
		t.Errorf("%+v", p.Damage)
	}
}

func FuzzRead(f *testing.F) {
	data, ends, _ := image(f, 3)
	f.Add(data)
	f.Add(data[:ends[2]-5])
	f.Add(join(data[:ends[1]], "junk", data[ends[1]:]))
	f.Add(frameOf(headerFrame, `{"version":1,"step_ns":1,"address_hz":1,"columns":[{"name":"instructions"},`+
		`{"name":"cycles"}]}`))
	f.Fuzz(readAnything)
}

// FuzzFrames puts checksums on what it is given, so that it comes further into
// the reader than FuzzRead.
func FuzzFrames(f *testing.F) {
	header := `{"version":1,"step_ns":5000000,"address_hz":1000,"cpus":2,"columns":[{"name":"cycles"},` +
		`{"name":"instructions"}]}`
	_, _, want := image(f, 2)
	e := lossless(f, 2)
	f.Add(header, e.appendBlock(nil, &want[0]), e.appendBlock(nil, &want[1]), `{"reason":"stopped"}`, byte(blockFrame))
	f.Add(header, unpacked(f, e.appendBlock(nil, &want[0]), e.header), []byte("of a later version"), `{}`, byte('Z'))
	f.Add(header, e.appendBlock(nil, &want[0]), []byte(`{"slot":5,"kind":"rate","address_hz":0}`), `{}`, byte(epochFrame))
	want[1].First = maxSlot - maxSlots
	f.Add(header, e.appendBlock(nil, &want[0]), e.appendBlock(nil, &want[1]), `{}`, byte(blockFrame))
	f.Add(header, e.appendBlock(nil, &want[1]), []byte(header), `{}`, byte(headerFrame))
	f.Add(header, e.appendBlock(nil, &want[0]), somePlaces().appendPayload(nil), `{}`, byte(placesFrame))
	windows := GPUWindows{GPU: 1, EndNS: []int64{1e9, 12e8}, Percent: []uint8{0, 100}}
	f.Add(header, e.appendBlock(nil, &want[0]), windows.appendPayload(nil, 0), `{}`, byte(windowsFrame))
	f.Fuzz(func(t *testing.T, header string, one, two []byte, footer string, kind byte) {
		readAnything(t, join(frameOf(headerFrame, header), frameOf(blockFrame, string(one)),
			frameOf(kind, string(two)), frameOf(footerFrame, footer)))
	})
}

// readAnything demands of every file what may be demanded of any.
func readAnything(t *testing.T, data []byte) {
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return
	}
	p := r.ReadAll()
	next := int64(0)
	for i, b := range p.Blocks {
		if b.First < next || b.check(len(p.Header.Columns)) != nil {
			t.Fatalf("block %d at slot %d, expected from %d on", i, b.First, next)
		}
		next = b.First + int64(b.N)
	}
	if lost := p.Damage.BytesLost; lost < 0 || lost > int64(len(data)) || (lost > 0) != (p.Damage.BlocksBad > 0) {
		t.Fatalf("%+v of %d bytes", p.Damage, len(data))
	}
	l, err := loadStream(bytes.NewReader(data), columnLimits{defaultLimits().pages, 10_000})
	if err != nil {
		t.Fatal(err)
	}
	if n := l.Set.Len() * len(l.Set.Columns); n > 10_000 && l.Set.Len() > 1 {
		t.Fatalf("a set of %d values", n)
	}
	for _, c := range l.Set.Columns {
		for _, v := range c.Values {
			if math.IsInf(float64(v), 0) {
				t.Fatalf("%s is infinite", c.Name)
			}
		}
	}
	if math.IsNaN(l.Quality.OverheadPct) || l.Quality.Samples < 0 {
		t.Fatalf("%+v", l.Quality)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
