package address

import (
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
)

// body puts the fields of a record together.
func body(fields ...any) []byte {
	var b []byte
	for _, f := range fields {
		var err error
		if b, err = binary.Append(b, binary.NativeEndian, f); err != nil {
			panic(err)
		}
	}
	return b
}

// end is what SampleIDAll adds.
func end(pid uint32, time uint64) []any { return []any{pid, pid, time} }

func mmap2(pid uint32, addr, length, offset, ino uint64, prot uint32, time uint64) []byte {
	return body(append([]any{pid, pid, addr, length, offset, uint32(8), uint32(1), ino, uint64(99), prot, uint32(2),
		[]byte("/usr/bin/lmp\x00\x00\x00\x00")}, end(pid, time)...)...)
}

func TestParseSampleModes(t *testing.T) {
	b := body(uint64(0x1234), uint32(7), uint32(8), uint64(99))
	for misc, want := range map[uint16]mode{
		unix.PERF_RECORD_MISC_USER: userCode, unix.PERF_RECORD_MISC_KERNEL: kernelCode,
		unix.PERF_RECORD_MISC_HYPERVISOR: kernelCode,
		unix.PERF_RECORD_MISC_GUEST_USER: otherCode, 0: otherCode,
		unix.PERF_RECORD_MISC_USER | unix.PERF_RECORD_MISC_EXACT_IP: userCode,
	} {
		s, err := parseSample(perf.Header{Misc: misc}, b)
		if err != nil || s != (sample{time: 99, ip: 0x1234, pid: 7, tid: 8, mode: want}) {
			t.Errorf("misc %#x: %+v, %v", misc, s, err)
		}
	}
	if _, err := parseSample(perf.Header{}, b[:20]); err == nil {
		t.Error("short sample without an error")
	}
}

func TestParseEvents(t *testing.T) {
	id := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	exec := uint32(unix.PROT_READ | unix.PROT_EXEC)
	for name, c := range map[string]struct {
		kind uint32
		misc uint16
		body []byte
		want event
		ok   bool
	}{
		"code mapped": {unix.PERF_RECORD_MMAP2, unix.PERF_RECORD_MISC_USER, mmap2(7, 0x1000, 0x2000, 0x3000, 55, exec, 11),
			event{time: 11, kind: mapped, pid: 7, area: area{0x1000, 0x3000, 0x3000, inode{unix.Mkdev(8, 1), 55}, 0, 0, serves},
				name: "/usr/bin/lmp"}, true},
		"data mapped": {unix.PERF_RECORD_MMAP2, 0, mmap2(7, 0x1000, 0x2000, 0, 55, unix.PROT_READ, 11), event{},
			false},
		"beyond the end of memory": {unix.PERF_RECORD_MMAP2, 0, mmap2(7, 1<<63, 1<<63+1, 0, 55, exec, 11), event{}, false},
		"with build id": {unix.PERF_RECORD_MMAP2, unix.PERF_RECORD_MISC_MMAP_BUILD_ID,
			body(uint32(7), uint32(7), uint64(0x1000), uint64(0x2000), uint64(0), uint8(20), uint8(0), uint16(0), id, exec,
				uint32(2),
				[]byte("/a\x00\x00\x00\x00\x00\x00"), uint32(7), uint32(7), uint64(12)),
			event{time: 12, kind: mapped, pid: 7, area: area{0x1000, 0x3000, 0, inode{}, hashBuildID(id), 0, serves}, name: "/a",
				build: "0102030405060708090a0b0c0d0e0f1011121314"}, true},
		"process": {unix.PERF_RECORD_FORK, 0,
			body(uint32(8), uint32(7), uint32(8), uint32(7), uint64(13), uint32(7), uint32(7), uint64(13)),
			event{time: 13, kind: forked, pid: 8, parent: 7}, true},
		"thread": {unix.PERF_RECORD_FORK, 0,
			body(uint32(7), uint32(7), uint32(9), uint32(7), uint64(13), uint32(7), uint32(7), uint64(13)),
			event{time: 13, kind: forked, pid: 7, parent: 7}, false},
		"exit": {unix.PERF_RECORD_EXIT, 0, body(uint32(8), uint32(7), uint32(8), uint32(7), uint64(14)),
			event{time: 14, kind: exited, pid: 8, parent: 7}, true},
		"exit of a thread": {unix.PERF_RECORD_EXIT, 0, body(uint32(8), uint32(7), uint32(9), uint32(7), uint64(14)),
			event{time: 14, kind: exited, pid: 8, parent: 7}, false},
		"exec": {unix.PERF_RECORD_COMM, unix.PERF_RECORD_MISC_COMM_EXEC,
			body(uint32(8), uint32(8), []byte("lmp\x00\x00\x00\x00\x00"), uint32(8), uint32(8), uint64(15)),
			event{time: 15, kind: execed, pid: 8, name: "lmp"}, true},
		"renamed": {unix.PERF_RECORD_COMM, 0,
			body(uint32(8), uint32(8), []byte("lmp\x00\x00\x00\x00\x00"), uint32(8), uint32(8), uint64(15)),
			event{time: 15, kind: execed, pid: 8, name: "lmp"}, false},
		"throttled": {unix.PERF_RECORD_THROTTLE, 0, body(uint64(1), uint64(2), uint64(3)), event{}, false},
	} {
		got, ok, err := parseEvent(perf.Header{Type: c.kind, Misc: c.misc}, c.body)
		if err != nil || ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %v, %v; want %+v", name, got, ok, err, c.want)
		}
	}
}

func TestBaseName(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/bin/lmp\x00\x00": "lmp", "lmp": "lmp", "/opt/app (deleted)\x00": "app", "": "", "\x00x": "", "/": "",
		"//anon\x00": "anon", "/a b/c d": "c d",
	} {
		if got := baseName(textOf([]byte(path))); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add(uint32(unix.PERF_RECORD_MMAP2), uint16(2), mmap2(7, 0x1000, 0x2000, 0, 55, 5, 11))
	f.Add(uint32(unix.PERF_RECORD_MMAP2), uint16(unix.PERF_RECORD_MISC_MMAP_BUILD_ID), mmap2(7, 0, 1, 0, 255, 5, 11))
	f.Add(uint32(unix.PERF_RECORD_FORK), uint16(0), body(uint32(8), uint32(7), uint32(8), uint32(7), uint64(13)))
	f.Add(uint32(unix.PERF_RECORD_COMM), uint16(unix.PERF_RECORD_MISC_COMM_EXEC), []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, kind uint32, misc uint16, b []byte) {
		h := perf.Header{Type: kind, Misc: misc, Size: 8 + len(b)}
		e, ok, err := parseEvent(h, b)
		if ok && (err != nil || e.area.end < e.area.start || strings.Contains(e.name, "\x00")) {
			t.Errorf("%+v, %v", e, err)
		}
		parseSample(h, b)
	})
}
