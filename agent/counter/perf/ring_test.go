package perf

import (
	"encoding/binary"
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// record returns a record with a body of 8-byte words.
func record(kind uint32, words ...uint64) []byte {
	b := make([]byte, headerSize+8*len(words))
	binary.NativeEndian.PutUint32(b, kind)
	binary.NativeEndian.PutUint16(b[6:], uint16(len(b)))
	for i, w := range words {
		binary.NativeEndian.PutUint64(b[headerSize+8*i:], w)
	}
	return b
}

// fakeRing is a ring whose kernel is the test.
type fakeRing struct {
	*Ring
	at, done uint64
}

func newFakeRing(size int, at uint64) *fakeRing {
	f := &fakeRing{at: at, done: at}
	f.Ring = newRing(make([]byte, size), &f.at, &f.done)
	return f
}

func (f *fakeRing) write(b []byte) {
	for _, c := range b {
		f.data[f.at&uint64(len(f.data)-1)] = c
		f.at++
	}
}

// A record of 40 bytes in a ring of 64 is read at every possible start.
func TestDrainWrapsAround(t *testing.T) {
	f := newFakeRing(64, 1<<40)
	for i := range uint64(100) {
		f.write(record(unix.PERF_RECORD_SAMPLE, i, i+1, i+2, i+3))
		n := 0
		err := f.Drain(func(h Header, body []byte) {
			n++
			if h.Type != unix.PERF_RECORD_SAMPLE || len(body) != 32 {
				t.Fatalf("header %+v, body of %d", h, len(body))
			}
			for k := range uint64(4) {
				if got := binary.NativeEndian.Uint64(body[8*k:]); got != i+k {
					t.Fatalf("record %d word %d: %d", i, k, got)
				}
			}
		})
		if err != nil || n != 1 || f.done != f.at {
			t.Fatalf("record %d: %v, %d records, tail %d of %d", i, err, n, f.done, f.at)
		}
	}
}

func TestDrainRejectsMalformedRecords(t *testing.T) {
	for name, bad := range map[string][]byte{
		"size 0":         make([]byte, 16),
		"beyond head":    record(9, 1, 2, 3)[:16],
		"odd size":       {9, 0, 0, 0, 0, 0, 9, 0},
		"too small size": {9, 0, 0, 0, 0, 0, 4, 0},
	} {
		f := newFakeRing(64, 1<<20)
		f.write(bad)
		if err := f.Drain(func(Header, []byte) { t.Errorf("%s: taken", name) }); !errors.Is(err, errRecord) {
			t.Errorf("%s: %v", name, err)
		}
		if f.done != f.at {
			t.Errorf("%s: the ring stays full", name)
		}
	}
}

func TestLost(t *testing.T) {
	for _, c := range []struct {
		b    []byte
		want int64
	}{
		{record(unix.PERF_RECORD_LOST, 77, 5, 1, 2), 5},
		{record(unix.PERF_RECORD_LOST_SAMPLES, 6, 1, 2), 6},
		{record(unix.PERF_RECORD_THROTTLE, 1, 2, 3), 1},
		{record(unix.PERF_RECORD_UNTHROTTLE, 1, 2, 3), 0},
		{record(unix.PERF_RECORD_LOST, 77), 0},
	} {
		h, err := parseHeader(c.b)
		if got := LostRecords(h, c.b[headerSize:]); err != nil || got != c.want {
			t.Errorf("%v: lost %d, %v; want %d", c.b, got, err, c.want)
		}
	}
}

func TestParseSample(t *testing.T) {
	counts := make([]uint64, 2)
	s, err := parseSample(record(9, 123, 2, 50, 40, 7, 8)[headerSize:], counts)
	if err != nil || s.TimeNS != 123 || s.Enabled != 50 || s.Running != 40 || counts[0] != 7 || counts[1] != 8 {
		t.Errorf("%+v, %v", s, err)
	}
	for name, b := range map[string][]byte{
		"empty": nil, "short": record(9, 1, 2)[headerSize:],
		"more events than there are": record(9, 123, 3, 50, 40, 7, 8, 9)[headerSize:],
		"no events":                  record(9, 123, 0, 50, 40)[headerSize:],
		"fewer than it says":         record(9, 123, 2, 50, 40, 7)[headerSize:],
	} {
		if _, err := parseSample(b, counts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDrain(f *testing.F) {
	f.Add(record(unix.PERF_RECORD_SAMPLE, 1, 2, 3, 4, 5, 6), uint64(0))
	f.Add(append(record(unix.PERF_RECORD_LOST, 1, 2), record(unix.PERF_RECORD_SAMPLE, 1)...), uint64(248))
	f.Add([]byte{9, 0, 0, 0, 0, 0, 255, 255}, uint64(1<<63))
	f.Fuzz(func(t *testing.T, b []byte, at uint64) {
		ring := newFakeRing(256, at&^7)
		ring.write(b[:min(len(b), 256)&^7])
		counts := make([]uint64, 2)
		total := 0
		ring.Drain(func(h Header, body []byte) {
			total += headerSize + len(body)
			if h.Type == unix.PERF_RECORD_SAMPLE {
				parseSample(body, counts)
			}
			if LostRecords(h, body) < 0 {
				t.Error("lost less than none")
			}
		})
		if total > 256 || ring.done != ring.at {
			t.Errorf("%d bytes taken, tail %d, head %d", total, ring.done, ring.at)
		}
	})
}
