package stack

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"jobgait/agent/names"
)

// In an entry of the procedure linkage table the return address is 8 or 16 bytes above the stack pointer,
// depending on the instruction that the thread has reached.
func TestExpressionOfAJump(t *testing.T) {
	jump := []byte{0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22} // rsp+8 + ((rip & 15) >= 11) << 3
	for pc, want := range map[uint64]uint64{0x1000: 0x7008, 0x100a: 0x7008, 0x100b: 0x7010, 0x100f: 0x7010} {
		r := registers{value: make([]uint64, 17)}
		r.set(7, 0x7000)
		r.set(16, pc)
		if got, err := evaluate(jump, nil, r, memory{}); err != nil || got != want {
			t.Errorf("at %#x: %#x, %v, want %#x", pc, got, err, want)
		}
	}
}

func TestOperationsOfExpressions(t *testing.T) {
	m := memory{0x100, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for _, c := range []struct {
		name string
		in   []byte
		want uint64
	}{
		{"deref", []byte{0x0a, 0, 1, 0x06}, 0x0807060504030201},
		{"deref_size", []byte{0x0a, 0, 1, 0x94, 2}, 0x0201},
		{"swap minus", []byte{0x33, 0x35, 0x16, 0x1c}, 2},
		{"rot", []byte{0x31, 0x32, 0x33, 0x17, 0x1c, 0x1e}, 1<<64 - 3}, // 3 1 2: 1 - 2, times 3
		{"negative", []byte{0x09, 0xff, 0x19}, 1},
		{"mod", []byte{0x3f, 0x34, 0x1d}, 3},
		{"shra", []byte{0x0d, 0xf0, 0xff, 0xff, 0xff, 0x32, 0x26}, 1<<64 - 4},
	} {
		if got, err := evaluate(c.in, nil, registers{}, m); err != nil || got != c.want {
			t.Errorf("%s: %#x, %v, want %#x", c.name, got, err, c.want)
		}
	}
	for _, bad := range [][]byte{{}, {0x06}, {0x30, 0x30, 0x1b}, {0x70, 0}, {0x2f, 0, 0}, {0x0e, 1}, {0x30, 0x06},
		bytes.Repeat([]byte{0x30}, 40)} {
		if v, err := evaluate(bad, nil, registers{}, m); err == nil {
			t.Errorf("% x: %#x", bad, v)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add([]byte{0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22})
	f.Add([]byte{0x77, 0xa0, 1, 0x06})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := registers{value: make([]uint64, 33), known: 1<<33 - 1}
		_, _ = evaluate(b, []uint64{1}, r, memory{0, b})
	})
}

func FuzzParseMappings(f *testing.F) {
	f.Add([]byte("55d0c7a00000-55d0c7a01000 r-xp 00001000 fe:00 1234                       /usr/bin/a b\n"))
	f.Add([]byte("7ffd5a5f2000-7ffd5a5f4000 r-xp 00000000 00:00 0                          [vdso]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list := parseMappings(b)
		for i, m := range list {
			if m.start >= m.end || i > 0 && list[i-1].start > m.start {
				t.Errorf("%+v", list)
			}
			if at := mappingAt(list, m.start); at == nil && i == 0 {
				t.Errorf("nothing at %#x of %+v", m.start, list)
			}
		}
	})
}

// sortedImage is an ELF file of one page that is loaded at 0x1000, whose table of frames has a row for 0x1000.
func sortedImage(body []byte) []byte {
	b := image(body)
	addSegment(b, 120, 0x6474e550, 0x200, 0x1200, 12+8)
	le := binary.LittleEndian
	copy(b[0x200:], "\x01\x1b\x03\x3b")
	le.PutUint32(b[0x208:], 1)
	le.PutUint32(b[0x20c:], 1<<32-0x200) // 0x1000, relative to the table
	le.PutUint32(b[0x210:], 0x118)       // after a common entry of 24 bytes
	return b
}

// sectionImage is an ELF file of one page that is loaded at 0x1000, whose section .eh_frame is body.
func sectionImage(body []byte) []byte {
	b := image(body)
	le := binary.LittleEndian
	le.PutUint64(b[40:], 0x180)
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], 2)
	le.PutUint16(b[62:], 1) // both sections: the second one has the names too
	copy(b[0x2f0:], "\x00.eh_frame\x00")
	le.PutUint32(b[0x180:], 1)
	le.PutUint32(b[0x184:], 1)
	le.PutUint64(b[0x190:], 0x1300)
	le.PutUint64(b[0x198:], 0x300)
	le.PutUint64(b[0x1a0:], uint64(len(body)))
	le.PutUint64(b[0x1d8:], 0x2f0)
	return b
}

// addSegment writes a program header at an offset.
func addSegment(b []byte, at int, kind uint32, off, addr, size uint64) {
	le := binary.LittleEndian
	le.PutUint32(b[at:], kind)
	le.PutUint64(b[at+8:], off)
	le.PutUint64(b[at+16:], addr)
	le.PutUint64(b[at+32:], size)
}

// image is an ELF file of one page that is loaded at 0x1000 and has body at 0x1300.
func image(body []byte) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0x1000)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint64(b[32:], 64)
	le.PutUint16(b[54:], 56)
	le.PutUint16(b[56:], 2)
	addSegment(b, 64, 1, 0, 0x1000, 0x1000)
	copy(b[0x300:], body)
	return b
}

// Whatever tables, registers and stacks hold: no panic, an end, and frames that lie in the file.
func FuzzWalk(f *testing.F) {
	common := "\x14\x00\x00\x00\x00\x00\x00\x00\x01zR\x00\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\x00\x00"
	covering := "\x14\x00\x00\x00\x1c\x00\x00\x00\xe0\xfc\xff\xff\x00\x0c\x00\x00\x00\x0e\x10\x0a\x0b\x00\x00\x00"
	f.Add([]byte(common+covering), bytes.Repeat([]byte("\x10\x10\x00\x00\x00\x00\x00\x00"), 40))
	f.Add([]byte(common+"\x14\x00\x00\x00\x1c\x00\x00\x00\xe0\xfc\xff\xff\x00\x0c\x00\x00\x00"+
		"\x0f\x03\x77\x00\x06\x00\x00"),
		bytes.Repeat([]byte("\x00\x20\x00\x00\x00\x00\x00\x00"), 40))
	f.Fuzz(func(t *testing.T, table, stack []byte) {
		if len(table) > 0xc00 {
			return
		}
		walkImage(t, sortedImage(table), stack)
		walkImage(t, sectionImage(table), stack)
	})
}

// walkImage walks a stack from an address in the page of an ELF file, checks the frames and returns their number.
func walkImage(t *testing.T, image, stack []byte) int {
	t.Helper()
	elf, err := names.Open(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	lib := &library{name: "x", elf: elf, entries: map[uint64]entry{}}
	libs := &libraries{proc: t.Name(), open: map[string]*library{"1 /x": lib}}
	m := thisMachine()
	r := registers{value: make([]uint64, m.registers), known: 1<<m.registers - 1}
	r.set(uint64(m.sp), 0x2000)
	r.set(uint64(m.pc), 0x1010)
	w := walk{machine: m, libraries: libs, mappings: []mapping{{start: 0x1000, end: 0x2000, inode: 1, path: "/x"}},
		memory: memory{0x2000, stack}, registers: r}
	frames, why := w.allFrames()
	if len(frames) == 0 || len(frames) > maxFrames || why == "" {
		t.Errorf("%d frames, %q", len(frames), why)
	}
	for _, p := range frames {
		if p.location.offset > 0x1000 {
			t.Errorf("a frame at %#x", p.location.offset)
		}
	}
	return len(frames)
}

// The section alone leads as far as the sorted table; units of hostile lengths end the index.
func TestIndexOfFrames(t *testing.T) {
	table := []byte("\x14\x00\x00\x00\x00\x00\x00\x00\x01zR\x00\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\x00\x00" +
		"\x14\x00\x00\x00\x1c\x00\x00\x00\xe0\xfc\xff\xff\x00\x0c\x00\x00\x00\x0e\x10\x0a\x0b\x00\x00\x00")
	stack := bytes.Repeat([]byte("\x10\x10\x00\x00\x00\x00\x00\x00"), 40)
	sorted, section := walkImage(t, sortedImage(table), stack), walkImage(t, sectionImage(table), stack)
	if sorted != section || section < 10 && runtime.GOARCH == "amd64" {
		t.Errorf("%d frames by the section, %d by the sorted table", section, sorted)
	}
	for _, hostile := range []string{"\xff\xff\xff\xff", "\x00\x00\x00\x00", "\x03\x00\x00\x00", "\x00\x00\x01\x00",
		"\x10\x00"} {
		if n := walkImage(t, sectionImage(append([]byte(hostile), table...)), stack); n != 1 {
			t.Errorf("% x before the table: %d frames", hostile, n)
		}
		if n := walkImage(t, sectionImage(append(bytes.Clone(table), hostile...)), stack); n != section {
			t.Errorf("% x after the table: %d frames, want %d", hostile, n, section)
		}
	}
}

// Debug information that was changed at random: no panic, and an end.
func FuzzLines(f *testing.F) {
	path := build(f, "gcc", "pointers.c", "-O1", "-g")
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), byte(0), uint32(0), byte(0))
	f.Add(uint32(len(whole)/2), byte(0xff), uint32(len(whole)-2000), byte(0xff))
	f.Fuzz(func(t *testing.T, at uint32, with byte, also uint32, b byte) {
		changed := bytes.Clone(whole)
		changed[int(at)%len(whole)] ^= with
		changed[int(also)%len(whole)] ^= b
		name := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(name, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		steps := 1 << 16
		tables, err := openLines(file, &steps)
		if err != nil {
			return
		}
		for addr := uint64(0x1000); addr < 0x1200; addr += 8 {
			if _, line := tables.at(addr); line < 0 {
				t.Errorf("line %d", line)
			}
		}
		if steps < 0 {
			t.Error("steps were overrun")
		}
	})
}
