package rawcall

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is read is what os.ReadFile reads, up to the bound, with and without a
// buffer.
func TestReadEqualsOSReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		text := bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size]
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, buf := range [][]byte{nil, make([]byte, 10), make([]byte, 0, 1<<17)} {
			for name, read := range map[string]func(string, []byte, int) ([]byte, error){"record": ReadRecord,
				"list": ReadList} {
				for _, limit := range []int{1 << 20, 5000, 3} {
					got, err := read(path, buf, limit)
					if want := text[:min(size, limit)]; err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s of %d bytes, at most %d, room %d: %d bytes, %v", name, size, limit, cap(buf), len(got), err)
					}
				}
			}
		}
	}
}

// Files of proc are read as os.ReadFile reads them.
func TestReadsProc(t *testing.T) {
	for _, path := range []string{"/proc/version", "/proc/self/cgroup", "/proc/self/cmdline", "/proc/self/environ",
		"/proc/cpuinfo"} {
		want, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		got, err := ReadList(path, nil, 1<<20)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %d bytes, want %d, %v", path, len(got), len(want), err)
		}
	}
	want, err := os.Readlink("/proc/self/exe")
	if got, lerr := Readlink("/proc/self/exe"); got != want || (err == nil) != (lerr == nil) {
		t.Errorf("link %q, %v; want %q", got, lerr, want)
	}
}

// A directory of more entries than one call returns has the names that os.ReadDir finds.
func TestReadNamesEqualsOSReadDir(t *testing.T) {
	dir := t.TempDir()
	for i := range 700 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("an entry with a long name %d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{dir, t.TempDir(), "/proc/self/task"} {
		got, err := ReadNames(path)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, e := range entries {
			want = append(want, e.Name())
		}
		if slices.Sort(got); path == dir && len(got) != 700 || path != "/proc/self/task" && !slices.Equal(got, want) ||
			path == "/proc/self/task" && !slices.Contains(got, fmt.Sprint(os.Getpid())) {
			t.Errorf("%s: %d names, want %d", path, len(got), len(want))
		}
	}
	if names, err := ReadNames(filepath.Join(dir, "missing")); names != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v, %v", names, err)
	}
	if _, err := ReadNames(filepath.Join(dir, "an entry with a long name 1")); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("a file: %v", err)
	}
}

// A wait for data ends when data arrives, and without data after its time.
func TestReadableWithin(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	before := Now()
	if ReadableWithin(p[0], 1e6) || Now()-before < 1e6 {
		t.Errorf("an empty pipe is readable, or was waited for during %d ns only", Now()-before)
	}
	if n, err := Write(p[1], []byte("abc")); n != 3 || err != nil || !ReadableWithin(p[0], 60e9) {
		t.Errorf("wrote %d, %v; not readable", n, err)
	}
	if n, err := Write(p[1], nil); n != 0 || err != nil {
		t.Errorf("an empty write: %d, %v", n, err)
	}
	if _, err := Write(-1, []byte("abc")); !errors.Is(err, unix.EBADF) {
		t.Errorf("no descriptor: %v", err)
	}
}

// A descriptor that does not block is read to its end; the caller first learns whether there is anything to
// read.
func TestReadsWhatDoesNotBlock(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	b := make([]byte, 8)
	if n, err := Read(p[0], b); n != 0 || !errors.Is(err, unix.EAGAIN) || Readable(p[0]) {
		t.Errorf("%d bytes of an empty pipe, %v; readable %v", n, err, Readable(p[0]))
	}
	if _, err := unix.Write(p[1], []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if n, err := Read(p[0], nil); n != 0 || err != nil || !Readable(p[0]) {
		t.Errorf("%d bytes without room, %v; readable %v", n, err, Readable(p[0]))
	}
	if n, err := Read(p[0], b); err != nil || string(b[:n]) != "abc" {
		t.Errorf("%q, %v", b[:n], err)
	}
	_ = unix.Close(p[1])
	if n, err := Read(p[0], b); n != 0 || err != nil {
		t.Errorf("%d bytes at the end, %v", n, err)
	}
	if n, err := Read(-1, b); n != 0 || !errors.Is(err, unix.EBADF) || Readable(-1) {
		t.Errorf("%d bytes of nothing, %v", n, err)
	}
}

func TestErrorsNameTheCause(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if _, err := ReadRecord(none, nil, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := ReadRecord("a\x00b", nil, 100); err == nil {
		t.Error("a name with a zero in it")
	}
	if _, err := ReadRecord(t.TempDir(), nil, 100); !errors.Is(err, unix.EISDIR) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Readlink(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if err := Close(1 << 20); !errors.Is(err, unix.EBADF) {
		t.Errorf("error %v", err)
	}
	if Owner(none) != -1 || Owner("/proc/self/stat") != os.Geteuid() && Owner("/proc/self/stat") > 0 || Owner("/") > 0 {
		t.Error("owners of files")
	}
}

// No descriptor stays open.
func TestLeavesNothingOpen(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	before := count()
	for range 50 {
		_, _ = ReadRecord("/proc/self/stat", nil, 10)
		_, _ = ReadRecord(t.TempDir(), nil, 10)
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors, were %d", after, before)
	}
}

func TestClocks(t *testing.T) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	if now := Now(); now < ts.Nano() {
		t.Errorf("%d after %d", now, ts.Nano())
	}
	begun := CPU()
	for end := Now() + 60e9; CPU() == begun; {
		if Now() > end {
			t.Fatal("no CPU time in a minute")
		}
	}
}

// The timer fires at its time and not before, and whenever it is triggered.
func TestTimer(t *testing.T) {
	timer, err := NewTimer()
	if err != nil {
		t.Fatal(err)
	}
	defer timer.file.Close()
	for _, in := range []int64{-1e9, 0, 1e6, 20e6} {
		at := Now() + in
		timer.Set(at)
		if err := timer.Wait(); err != nil || Now() < at {
			t.Errorf("in %d ns: %v, at %d, was to be %d", in, err, Now(), at)
		}
	}
	var rung atomic.Bool
	timer.Set(Now() + int64(time.Hour))
	go func() {
		rung.Store(true)
		timer.Fire()
	}()
	if err := timer.Wait(); err != nil || !rung.Load() {
		t.Errorf("%v, rung %v", err, rung.Load())
	}
}

func TestWaitingAllocatesNothing(t *testing.T) {
	timer, err := NewTimer()
	if err != nil {
		t.Fatal(err)
	}
	defer timer.file.Close()
	if n := testing.AllocsPerRun(20, func() {
		timer.Set(1)
		_ = timer.Wait()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkNoConnection measures how long it takes to see that no connection waits at a socket.
func BenchmarkNoConnection(b *testing.B) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(fd)
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(b.TempDir(), "s")}),
		unix.Listen(fd, 1)); err != nil {
		b.Fatal(err)
	}
	b.Run("readable", func(b *testing.B) {
		for b.Loop() {
			if Readable(fd) {
				b.Fatal("somebody")
			}
		}
	})
	b.Run("accept", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := unix.Accept4(fd, unix.SOCK_NONBLOCK); err == nil {
				b.Fatal("somebody")
			}
		}
	})
}

// What it costs to wake and read a file, with a timer of Go's and ordinary calls
// against those here, in turns.
func BenchmarkWake(b *testing.B) {
	const wakes, every = 40, 20 * time.Millisecond
	fd, err := Open("/proc/self/stat")
	if err != nil {
		b.Skip(err)
	}
	defer Close(fd)
	buf := make([]byte, 4096)
	timer, err := NewTimer()
	if err != nil {
		b.Fatal(err)
	}
	defer timer.file.Close()
	var raw, ordinary int64
	for b.Loop() {
		begun := CPU()
		tick := time.NewTimer(every)
		for range wakes {
			<-tick.C
			if _, err := unix.Pread(fd, buf, 0); err != nil {
				b.Fatal(err)
			}
			tick.Reset(every)
		}
		tick.Stop()
		middle := CPU()
		for range wakes {
			timer.Set(Now() + int64(every))
			if err := timer.Wait(); err != nil {
				b.Fatal(err)
			}
			if _, err := Pread(fd, buf, 0); err != nil {
				b.Fatal(err)
			}
		}
		ordinary += middle - begun
		raw += CPU() - middle
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(raw)/1e3/float64(b.N*wakes), "us/wake")
	b.ReportMetric(float64(ordinary)/1e3/float64(b.N*wakes), "us/wake-ordinary")
	b.ReportMetric(float64(raw)/float64(ordinary), "ratio")
}

func ExampleReadRecord() {
	text, err := ReadRecord("/proc/sys/kernel/ostype", nil, 100)
	fmt.Printf("%s%v", text, err)
	// Output:
	// Linux
	// <nil>
}
