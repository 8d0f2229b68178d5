package gpu

import (
	"encoding/binary"
	"errors"
	"testing"
)

// blob is gpu_metrics of a version, all bits set but the fields that are given: offset,
// bytes and value.
func blob(format, content uint8, size int, fields ...[3]uint64) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = 0xff
	}
	binary.LittleEndian.PutUint16(b, uint16(size))
	b[2], b[3] = format, content
	for _, f := range fields {
		var v [8]byte
		binary.LittleEndian.PutUint64(v[:], f[2])
		copy(b[f[0]:f[0]+f[1]], v[:f[1]])
	}
	return b
}

// versions are tables as long as the kernel's, with 10 J, 1700 MHz, 300 W and 42 %,
// as far as a version has them in units that are known.
func versions() map[string][]byte {
	const joules = 10 << 16
	return map[string][]byte{
		"1.0": blob(1, 0, 80, [3]uint64{36, 4, joules}, [3]uint64{54, 2, 1700}, [3]uint64{34, 2, 300}, [3]uint64{28, 2, 42}),
		"1.1": blob(1, 1, 96, [3]uint64{24, 8, joules}, [3]uint64{54, 2, 1700}, [3]uint64{22, 2, 300}, [3]uint64{16, 2, 42}),
		"1.2": blob(1, 2, 104, [3]uint64{24, 8, joules}, [3]uint64{54, 2, 1700}, [3]uint64{22, 2, 300}, [3]uint64{16, 2, 42}),
		"1.3": blob(1, 3, 120, [3]uint64{24, 8, joules}, [3]uint64{54, 2, 1700}, [3]uint64{22, 2, 300}, [3]uint64{16, 2, 42}),
		"1.4": blob(1, 4, 288, [3]uint64{24, 8, joules}, [3]uint64{240, 2, 1700}, [3]uint64{10, 2, 300},
			[3]uint64{12, 2, 42}),
		"1.5": blob(1, 5, 360, [3]uint64{88, 8, joules}, [3]uint64{312, 2, 1700}, [3]uint64{10, 2, 300},
			[3]uint64{12, 2, 42}),
		"1.6": blob(1, 6, 1664, [3]uint64{16, 8, joules}, [3]uint64{264, 2, 1700}, [3]uint64{10, 2, 300},
			[3]uint64{12, 2, 42}),
		"1.7": blob(1, 7, 2208, [3]uint64{24, 8, joules}, [3]uint64{296, 2, 1700}, [3]uint64{10, 2, 300},
			[3]uint64{12, 2, 42}),
		"1.8": blob(1, 8, 3360, [3]uint64{24, 8, joules}, [3]uint64{296, 2, 1700}, [3]uint64{10, 2, 300},
			[3]uint64{12, 2, 42}),
		"2.0": blob(2, 0, 120, [3]uint64{80, 2, 1700}, [3]uint64{40, 2, 42}),
		"2.1": blob(2, 1, 120, [3]uint64{76, 2, 1700}, [3]uint64{28, 2, 42}),
		"2.2": blob(2, 2, 128, [3]uint64{76, 2, 1700}, [3]uint64{28, 2, 42}),
		"2.3": blob(2, 3, 152, [3]uint64{76, 2, 1700}, [3]uint64{28, 2, 42}),
		"2.4": blob(2, 4, 168, [3]uint64{76, 2, 1700}, [3]uint64{40, 2, 30000}, [3]uint64{28, 2, 4200}),
		"3.0": blob(3, 0, 264, [3]uint64{174, 2, 1700}, [3]uint64{112, 4, 300000}, [3]uint64{42, 2, 42}),
	}
}

func TestMetricsOfEachVersion(t *testing.T) {
	for name, b := range versions() {
		m, err := parseMetrics(b)
		if err != nil || !m.hasClock || m.clockMHz != 1700 || !m.hasBusy || m.busyPct != 42 {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		if discrete := name[0] == '1'; m.hasEnergy != discrete || discrete && m.microjoules() != 10e6 {
			t.Errorf("%s: energy %d, %v", name, m.microjoules(), m.hasEnergy)
		}
		switch name {
		case "2.0", "2.1", "2.2", "2.3":
			if m.hasPower {
				t.Errorf("%s: %d mW of a unit that is not known", name, m.socketMW)
			}
		case "2.4":
			if m.socketMW != 30000 {
				t.Errorf("%s: %d mW", name, m.socketMW)
			}
		default:
			if !m.hasPower || m.socketMW != 300000 {
				t.Errorf("%s: %d mW, %v", name, m.socketMW, m.hasPower)
			}
		}
		// All bits set: the field is not there.
		if m, err := parseMetrics(blob(b[2], b[3], len(b))); err != nil || m.hasEnergy || m.hasClock || m.hasPower ||
			m.hasBusy {
			t.Errorf("%s, empty: %+v, %v", name, m, err)
		}
		if _, err := parseMetrics(b[:len(b)-1]); !errors.Is(err, errShort) {
			t.Errorf("%s, cut: %v", name, err)
		}
	}
}

func TestMetricsNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"empty":                  {nil, errShort},
		"a head cut short":       {[]byte{4, 0, 1}, errShort},
		"a list of fields":       {blob(1, 9, 400), errVersion},
		"another format":         {blob(4, 0, 400), errVersion},
		"1.5 with other engines": {blob(1, 5, 328), errVersion},
		"3.1":                    {blob(3, 1, 400), errVersion},
		"2.5":                    {blob(2, 5, 400), errVersion},
		"longer than the data":   {append([]byte{0, 255, 1, 3}, make([]byte, 200)...), errShort},
	} {
		if _, err := parseMetrics(c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// For any table of the driver, percentages are in range and energy does not decrease.
func FuzzMetrics(f *testing.F) {
	for _, b := range versions() {
		f.Add(b)
	}
	f.Add([]byte{})
	f.Add([]byte{255, 255, 1, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMetrics(b)
		if err != nil && (m.hasEnergy || m.hasBusy || m.hasClock || m.hasPower) {
			t.Fatalf("%+v with %v", m, err)
		}
		if m.busyPct > 100 {
			t.Fatalf("busy %d %%", m.busyPct)
		}
		if next := (metrics{energy: m.energy + 1<<16}); m.energy < 1<<60 && next.microjoules() != m.microjoules()+1e6 {
			t.Fatalf("energy %d", m.energy)
		}
	})
}
