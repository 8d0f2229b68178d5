package address

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const mapsText = `55d0c0a00000-55d0c0a10000 r--p 00000000 fe:01 42                         /usr/bin/lmp
55d0c0a10000-55d0c0c00000 r-xp 00010000 fe:01 42                         /usr/bin/lmp
7f0000000000-7f0000021000 rw-p 00000000 00:00 0 
7f1000000000-7f1000001000 r-xp 00000000 00:00 0 
7f2c0d028000-7f2c0d1bd000 r-xp 00028000 fe:01 43                         /usr/lib/a name with spaces.so
7ffd5b5f2000-7ffd5b5f4000 r-xp 00000000 00:00 0                          [vdso]
`

func TestParseMaps(t *testing.T) {
	s, err := parseMaps(strings.NewReader(mapsText), unknown)
	if err != nil || len(s) != 4 {
		t.Fatalf("%d areas, %v", len(s), err)
	}
	if want := (area{0x55d0c0a10000, 0x55d0c0c00000, 0x10000, inode{unix.Mkdev(0xfe, 1), 42}, 0, 0, works}); s[0] != want {
		t.Errorf("%+v, want %+v", s[0], want)
	}
	if s[0].anonymous() || !s[1].anonymous() || s[2].anonymous() || s[3].anonymous() {
		t.Errorf("anonymous code is wrong: %+v", s)
	}
	if s[3].file != vdsoFile || s[1].file != 0 {
		t.Errorf("the vdso has the identity %x, code made at run time %x", s[3].file, s[1].file)
	}
	for _, c := range []struct {
		ip uint64
		i  int
	}{{0x55d0c0a10000, 0}, {0x55d0c0bfffff, 0}, {0x55d0c0c00000, -1}, {0x55d0c0a0ffff, -1}, {0x7f2c0d028000, 2}, {0, -1},
		{1 << 63, -1}} {
		if got := s.find(c.ip); got != c.i {
			t.Errorf("%#x is in area %d, want %d", c.ip, got, c.i)
		}
	}
}

// Maps without end are read up to a bound, of areas and of bytes.
func TestMapsWithoutEnd(t *testing.T) {
	const code, data = "1000-2000 r-xp 00000000 fe:01 42\n", "1000-2000 rw-p 00000000 00:00 0\n"
	if s, err := parseMaps(strings.NewReader(strings.Repeat(code, maxAreas+10)), unknown); err != nil ||
		len(s) != maxAreas {
		t.Errorf("%d areas, %v", len(s), err)
	}
	if s, err := parseMaps(strings.NewReader(code+strings.Repeat(data, maxMaps/len(data)+10)+code), unknown); err != nil ||
		len(s) != 1 {
		t.Errorf("%d areas, %v", len(s), err)
	}
}

func unknown(area, string) int32 { return 0 }

func TestBadMapsAreErrors(t *testing.T) {
	for _, bad := range []string{"x", "1-2 r-xp 0 0:0", "2-1 r-xp 0 0:0 0", "1 r-xp 0 0:0 0", "1-2 r 0 0:0 0",
		"1-2 r-xp 0 00 0", "1-2 r-xp g 0:0 0"} {
		if _, err := parseMaps(strings.NewReader(bad+"\n"), unknown); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// A new mapping is found at all its addresses, and the areas around it are unchanged.
func TestMappingOverOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var s space
		owner := map[uint64]area{} // by page
		for i := range 20 {
			start := r.Uint64N(100)
			a := area{start: start, end: start + 1 + r.Uint64N(20), offset: 1000 * uint64(i), inode: inode{1, uint64(i + 1)}}
			s = s.insert(a)
			for p := a.start; p < a.end; p++ {
				owner[p] = area{offset: a.offset + (p - a.start), inode: a.inode}
			}
		}
		for p := range uint64(130) {
			want, mapped := owner[p]
			i := s.find(p)
			if mapped != (i >= 0) {
				t.Fatalf("page %d: area %d, mapped %v", p, i, mapped)
			}
			if mapped && (s[i].inode != want.inode || s[i].offset+(p-s[i].start) != want.offset) {
				t.Fatalf("page %d: %+v, want %+v", p, s[i], want)
			}
		}
	}
}

func FuzzParseMaps(f *testing.F) {
	f.Add(mapsText)
	f.Add("0-ffffffffffffffff r-xp ffffffffffffffff ffffffff:ffffffff 18446744073709551615")
	f.Add("1-2 00x 0 00:00 0\n0-1 00x 0 0:0 0\n00")
	f.Fuzz(func(t *testing.T, text string) {
		s, _ := parseMaps(strings.NewReader(text), unknown)
		for i, a := range s {
			if a.end <= a.start || i > 0 && a.start < s[i-1].start {
				t.Fatalf("area %d: %+v", i, a)
			}
		}
		s.find(1 << 40)
	})
}
