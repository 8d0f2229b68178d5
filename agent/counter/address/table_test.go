package address

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// asked is a membership that counts its queries.
type asked struct {
	counter.Members
	members map[int]bool
	n       int
}

func (a *asked) Has(pid int) bool { a.n++; return a.members[pid] }

// fixture is a proc with a file mapped by two processes at different addresses.
func fixture(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	lib := filepath.Join(root, "lib.so")
	if err := os.WriteFile(lib, []byte("no ELF file"), 0o644); err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Stat(lib, &st); err != nil {
		t.Fatal(err)
	}
	for pid, base := range map[int]uint64{10: 0x10000, 11: 0x90000} {
		dir := filepath.Join(root, fmt.Sprint(pid))
		os.MkdirAll(dir, 0o755)
		os.Symlink("/opt/app/lmp (deleted)", filepath.Join(dir, "exe"))
		os.Symlink("/", filepath.Join(dir, "root"))
		text := fmt.Sprintf("%x-%x r-xp 00002000 %02x:%02x %d %s\n%x-%x r-xp 00000000 00:00 0\n",
			base, base+0x4000, unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino, lib, base+0x8000, base+0x9000)
		if err := os.WriteFile(filepath.Join(dir, "maps"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func user(pid int32, ip uint64, at int64) sample { return sample{time: at, ip: ip, pid: pid} }

// mute is a reader that returns nothing the first times.
type mute struct {
	peek.Reader
	left, asked int
}

func (m *mute) Ask(q peek.ProcRequest) ([]byte, error) {
	if q.File == peek.Program {
		m.asked++
		if m.left--; m.left >= 0 {
			return nil, unix.ETIMEDOUT
		}
	}
	return m.Reader.Ask(q)
}

// A program without a name at first gets its name later, and with it the earlier samples.
func TestProgramIsLookedUpAgain(t *testing.T) {
	r := &mute{Reader: peek.Direct{Proc: fixture(t)}, left: 2}
	tb := newTable(r, &asked{members: map[int]bool{10: true, 11: true}})
	for i := range int64(40) { // 4 s: queried at 0, 1 and 3
		tb.hit(user(10, 0x10000, i*1e8))
	}
	if got := tb.programs(); got["lmp"] != 40 || got[peek.NoProgram] != 0 || r.asked != 3 {
		t.Errorf("programs %v, queried %d times", got, r.asked)
	}
	tb.hit(user(11, 0x90000, 5e9))
	if got := tb.programs(); got["lmp"] != 41 {
		t.Errorf("programs %v", got)
	}
}

// slowReader fails with the given errors, one for each request for maps, and then answers.
type slowReader struct {
	peek.Reader
	fails       []error
	requestedAt []int64 // for maps only
	now         int64
}

func (r *slowReader) Ask(q peek.ProcRequest) ([]byte, error) {
	if q.File != peek.Maps {
		return r.Reader.Ask(q)
	}
	r.requestedAt = append(r.requestedAt, r.now)
	if len(r.fails) > 0 {
		err := r.fails[0]
		r.fails = r.fails[1:]
		return nil, err
	}
	return r.Reader.Ask(q)
}

// A guarded reader that answers late delays the code of a process by some tenths of a second. The interval grows only
// if the reader waits for this process; where the address is in no area, maps are read after 1, 2, 4.. s.
func TestMapsAreReadAgainSoonAfterATimeout(t *testing.T) {
	late, busy := peek.ErrTimeout, peek.ErrBusy
	for _, c := range []struct {
		name  string
		fails []error
		ip    uint64
		want  []int64 // in tenths of a second
	}{
		{"late", []error{late, late, late}, 0x10000, []int64{0, 2, 6, 14}},
		{"busy", []error{busy, busy, busy, late}, 0x10000, []int64{0, 2, 4, 6, 8}},
		{"refused", []error{os.ErrNotExist, os.ErrNotExist}, 0x10000, []int64{0, 10, 30}},
		{"code in no area", nil, 0x5, []int64{0, 10, 30, 70}},
	} {
		r := &slowReader{Reader: peek.Direct{Proc: fixture(t)}, fails: c.fails}
		tb := newTable(r, nil)
		anonymous := 0
		for r.now = range int64(100) {
			if page, _ := tb.hit(user(10, c.ip, r.now*1e8)); page == profile.AnonymousPage {
				anonymous++
			}
		}
		if !slices.Equal(r.requestedAt, c.want) {
			t.Errorf("%s: maps were requested at %v, want %v", c.name, r.requestedAt, c.want)
		}
		if found := c.want[len(c.want)-1]; c.ip == 0x10000 && int64(anonymous) != found {
			t.Errorf("%s: %d samples without a file, want %d", c.name, anonymous, found)
		}
	}
}

func TestPagesDoNotDependOnTheAddress(t *testing.T) {
	tb := newTable(peek.Direct{Proc: fixture(t)}, &asked{members: map[int]bool{10: true, 11: true}})
	a, ok := tb.hit(user(10, 0x10000+0x1234, 1))
	b, ok2 := tb.hit(user(11, 0x90000+0x1ffc, 1))
	if !ok || !ok2 || a != b || a <= profile.AnonymousPage {
		t.Errorf("one page has the keys %x and %x", a, b)
	}
	c, _ := tb.hit(user(10, 0x10000+0x2000, 2))
	if c == a {
		t.Error("two pages have one key")
	}
	for name, s := range map[string]sample{
		"in no file": user(10, 0x18000, 3), "in no area": user(10, 0x5, 3),
		"of a guest": {time: 3, ip: 0x10000, pid: 10, mode: otherCode},
	} {
		if got, ok := tb.hit(s); !ok || got != profile.AnonymousPage {
			t.Errorf("code %s: %x, %v", name, got, ok)
		}
	}
	if got, ok := tb.hit(sample{time: 3, ip: 0x10000, pid: 10, mode: kernelCode}); !ok || got != profile.KernelPage {
		t.Errorf("kernel code: %x, %v", got, ok)
	}
	if tb.programs()["lmp"] != 7 {
		t.Errorf("programs %v", tb.programs())
	}
}

func TestMembershipIsLookedUpOnce(t *testing.T) {
	m := &asked{members: map[int]bool{10: true, 0: true, -1: true}}
	tb := newTable(peek.Direct{Proc: fixture(t)}, m)
	var joined []int
	tb.onJoin = func(pid int) { joined = append(joined, pid) }
	count := func(pid int32, at int64) (n int) {
		for range 5 {
			if _, ok := tb.hit(user(pid, 0x11000, at)); ok {
				n++
			}
		}
		return n
	}
	if n := count(10, 1); n != 5 || m.n != 1 {
		t.Errorf("member: %d hits, queried %d times", n, m.n)
	}
	if n := count(12, 1); n != 0 || m.n != 2 {
		t.Errorf("foreign process: %d hits, queried %d times", n, m.n)
	}
	if n := count(0, 1) + count(-1, 1); n != 0 || m.n != 2 {
		t.Errorf("idle task and no process: %d hits", n)
	}
	m.members[12] = true
	if n := count(12, 9e9); n != 0 {
		t.Error("a no was asked again within 10 s")
	}
	if n := count(12, 21e9); n != 5 {
		t.Error("a no was not asked again in 20 s")
	}
	if fmt.Sprint(joined) != "[10 12]" {
		t.Errorf("joined %v", joined)
	}
}

func TestChildrenInheritAndExecStarts(t *testing.T) {
	m := &asked{members: map[int]bool{10: true}}
	tb := newTable(peek.Direct{Proc: fixture(t)}, m)
	before, _ := tb.hit(user(10, 0x11000, 1))
	tb.apply(event{time: 2, kind: forked, pid: 20, parent: 10})
	if got, ok := tb.hit(user(20, 0x11000, 3)); !ok || got != before || m.n != 1 {
		t.Errorf("child: %x, %v, queried %d times", got, ok, m.n)
	}
	tb.apply(event{time: 4, kind: execed, pid: 20})
	if got, _ := tb.hit(user(20, 0x11000, 5)); got != profile.AnonymousPage {
		t.Error("after an exec the old code is still there")
	}
	tb.apply(event{time: 6, kind: mapped, pid: 20, area: area{start: 0x700000, end: 0x702000, file: 77}})
	if got, ok := tb.hit(user(20, 0x701000, 7)); !ok || got != profile.PageKey(77, 0x1000) {
		t.Errorf("new code: %x, %v", got, ok)
	}
	if got, _ := tb.hit(user(10, 0x11000, 8)); got != before {
		t.Error("the parent lost its code")
	}
	tb.apply(event{time: 9, kind: exited, pid: 20})
	if _, ok := tb.hit(user(20, 0x11000, 10)); ok {
		t.Error("a process that ended is still a member")
	}
	// The child of a foreign process may join the job and is not remembered; its parent is queried once.
	for pid := range int32(5) {
		tb.apply(event{time: 11, kind: forked, pid: 40 + pid, parent: 30})
	}
	if len(tb.procs) != 3 || m.n != 3 { // the member, the one that ended, the parent
		t.Errorf("%d processes are remembered, asked %d times", len(tb.procs), m.n)
	}
}

// A shell that was never sampled starts a program that ends before it can be inspected: it belongs to the job,
// and has a name, a build id and code.
func TestShortProgramOfAQuietParent(t *testing.T) {
	m := &asked{members: map[int]bool{10: true}}
	tb := newTable(peek.Direct{Proc: fixture(t)}, m)
	code := area{start: 0x700000, end: 0x702000, file: 77}
	linker := area{start: 0x800000, end: 0x802000, file: 78}
	for _, e := range []event{
		{time: 1, kind: forked, pid: 50, parent: 10},
		{time: 2, kind: execed, pid: 50, name: "a_rather_long_n"},
		{time: 3, kind: mapped, pid: 50, area: code, name: "a_rather_long_name", build: "abcd"},
		{time: 4, kind: mapped, pid: 50, area: linker, name: "ld.so", build: "ef"},
	} {
		tb.apply(e)
	}
	if page, ok := tb.hit(user(50, 0x701000, 5)); !ok || page != profile.PageKey(77, 0x1000) {
		t.Errorf("page %x, %v", page, ok)
	}
	if tb.programs()["a_rather_long_name"] != 1 || tb.builds["a_rather_long_name"] != "abcd" || len(tb.builds) != 1 {
		t.Errorf("programs %v, builds %v", tb.programs(), tb.builds)
	}
	// A child without exec runs its parent's program and has its code.
	tb.apply(event{time: 6, kind: forked, pid: 51, parent: 10})
	if page, ok := tb.hit(user(51, 0x11000, 7)); !ok || page <= profile.AnonymousPage || tb.programs()["lmp"] != 1 {
		t.Errorf("page %x, %v, programs %v", page, ok, tb.programs())
	}
	// Without a mapping it has at least the name that the kernel gives it.
	tb.apply(event{time: 8, kind: forked, pid: 52, parent: 10})
	tb.apply(event{time: 9, kind: execed, pid: 52, name: "short"})
	if _, ok := tb.hit(user(52, 0x1, 10)); !ok || tb.programs()["short"] != 1 {
		t.Errorf("programs %v", tb.programs())
	}
}

// An identity that only the job can have set needs no known parent.
func TestFirstExecOfACommand(t *testing.T) {
	tb := newTable(peek.Direct{Proc: fixture(t)}, nil)
	tb.apply(event{time: 1, kind: execed, pid: 99, name: "a.out"})
	tb.apply(event{time: 2, kind: mapped, pid: 99, area: area{start: 0x1000, end: 0x2000, file: 5}, name: "a.out"})
	if _, ok := tb.hit(user(99, 0x1000, 3)); !ok || tb.programs()["a.out"] != 1 {
		t.Errorf("programs %v", tb.programs())
	}
}

func TestForeignProcessIsLookedUpAgainAfterExec(t *testing.T) {
	m := &asked{members: map[int]bool{}}
	tb := newTable(peek.Direct{Proc: fixture(t)}, m)
	tb.hit(user(10, 0x11000, 1))
	m.members[10] = true
	tb.apply(event{time: 2, kind: execed, pid: 10})
	if _, ok := tb.hit(user(10, 0x11000, 3)); !ok {
		t.Error("it joined before its exec, and is no member")
	}
}

// A file that cannot be read has a name, and always the same.
func TestFileThatCannotBeRead(t *testing.T) {
	x := newIdentifier(peek.Direct{Proc: fixture(t)})
	a := area{start: 1, end: 2, inode: inode{5, 1}}
	first, ok := x.file(10, a, 1)
	if again, known := x.file(10, a, 2); !ok || !known || first.hash != hashInode(a.inode) || again != first {
		t.Errorf("file %x", first.hash)
	}
	if got := x.build(1 << 30); got != "" {
		t.Errorf("build %q", got)
	}
}

// lateReader returns an error for the first requests, and then a build id.
type lateReader struct {
	err   error
	late  int
	asked int
}

func (r *lateReader) Ask(peek.ProcRequest) ([]byte, error) {
	if r.asked++; r.asked <= r.late {
		return nil, r.err
	}
	return []byte("build"), nil
}

// TestFileReadTooLate checks that the build id of a file that was not read in time is requested again, that the file
// has no key until then, however late its next hit is, and that it gets the key of its inode only after
// maxIdentityTries requests without an answer.
func TestFileReadTooLate(t *testing.T) {
	a := area{start: 1, end: 2, inode: inode{5, 1}}
	for _, err := range []error{peek.ErrTimeout, peek.ErrBusy} {
		r := &lateReader{err: err, late: 2}
		x := newIdentifier(r)
		for at, want := range []bool{false, false, false, true, true} {
			h, ok := x.file(10, a, []int64{0, 1, identityRetryNS, 2 * identityRetryNS, 9 * identityRetryNS}[at])
			if ok != want || ok && h.hash != hashBuildID([]byte("build")) || !ok && h.hash != 0 {
				t.Errorf("%v: call %d: %v, key %x", err, at, ok, h.hash)
			}
		}
		if r.asked != 3 || len(x.pending) != 0 {
			t.Errorf("%v: %d requests, want 3; %d files wait", err, r.asked, len(x.pending))
		}
		r = &lateReader{err: err, late: 1 << 30}
		x = newIdentifier(r)
		const rareNS = 300e9 // the time between two hits
		for n := range maxIdentityTries - 1 {
			if h, ok := x.file(10, a, int64(n)*rareNS); ok {
				t.Fatalf("%v: key %x after %d requests", err, h.hash, n+1)
			}
		}
		if h, ok := x.file(10, a, maxIdentityTries*rareNS); !ok || h.hash != hashInode(a.inode) {
			t.Errorf("%v: no answer at all: %v, key %x", err, ok, h.hash)
		}
	}
}

// TestHitsOfAFileReadTooLate checks that hits count as code without a file until the file's build id is read.
func TestHitsOfAFileReadTooLate(t *testing.T) {
	tb := newTable(&lateReader{err: peek.ErrTimeout, late: 1}, nil)
	tb.hitTable = newHitTable()
	p := tb.add(10, processEntry{member: true, read: true})
	tb.addArea(p, area{start: 0x1000, end: 0x2000, inode: inode{5, 1}})
	if page := tb.pageInArea(p, user(10, 0x1000, 1)); page != profile.AnonymousPage {
		t.Errorf("page %x before the build id was read", page)
	}
	want := profile.PageKey(hashBuildID([]byte("build")), 0)
	if page := tb.pageInArea(p, user(10, 0x1000, identityRetryNS+1)); page != want {
		t.Errorf("page %x, want %x", page, want)
	}
}

func TestBuildIDOfThisProgram(t *testing.T) {
	s, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	areas, err := parseMaps(s, unknown)
	if err != nil {
		t.Fatal(err)
	}
	build, err := peek.Direct{Proc: "/proc"}.Ask(peek.ProcRequest{File: peek.ProgramBuild, PID: os.Getpid()})
	id, herr := hex.DecodeString(string(build))
	if err != nil || herr != nil {
		t.Skip("this test program has no build id")
	}
	for _, a := range areas {
		if !a.anonymous() {
			x := newIdentifier(peek.Direct{Proc: "/proc"})
			if got, ok := x.file(int32(os.Getpid()), a, 1); !ok || got.hash != hashBuildID(id) {
				t.Errorf("the first code of this process is of file %x", got.hash)
			}
			return
		}
	}
	t.Error("this program has no code")
}

func TestPageKeysKeepClearOfTheBuckets(t *testing.T) {
	seen := map[uint64]bool{}
	for file := range uint64(300) {
		for page := range uint64(300) {
			k := profile.PageKey(hashInode(inode{1, file}), page*4096+7)
			if k <= profile.AnonymousPage || seen[k] {
				t.Fatalf("key %x of file %d page %d", k, file, page)
			}
			seen[k] = true
		}
	}
}

// Samples and events are taken in the order of time over all CPUs, up to the
// moment before the first ring was emptied; the rest waits.
func TestDrainKeepsTheOrderOfTime(t *testing.T) {
	const later = 1 << 62
	s := &Sampler{table: newTable(peek.Direct{Proc: t.TempDir()}, nil), nextOnlineNS: later}
	s.cpus = []*cpu{
		{fd: -1, tracker: -1, samples: []sample{user(7, 0x1000, 10), user(7, 0x1000, 30), user(7, 0x1000, later)}},
		{fd: -1, tracker: -1, samples: []sample{user(7, 0x1000, 20), user(7, 0x1000, 40)}},
	}
	code := func(file uint64) event {
		return event{kind: mapped, pid: 7, area: area{start: 0x1000, end: 0x2000, file: file}}
	}
	s.events = []event{code(3), code(2), code(1), {kind: execed, pid: 7}}
	for i, at := range []int64{later - 1, 25, 6, 5} {
		s.events[i].time = at
	}
	var sink countertest.Sink
	if err := s.Drain(&sink); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, h := range sink.Hits {
		want := profile.PageKey(1, 0)
		if h.TimeNS > 25 {
			want = profile.PageKey(2, 0)
		}
		if h.Page != want {
			t.Errorf("hit at %d is on page %x", h.TimeNS, h.Page)
		}
		got = append(got, h.TimeNS)
	}
	if slices.Sort(got); fmt.Sprint(got) != "[10 20 30 40]" {
		t.Errorf("hits at %v", got)
	}
	if len(s.events) != 1 || len(s.cpus[0].samples) != 1 || len(s.cpus[1].samples) != 0 {
		t.Errorf("left: %v, %v, %v", s.events, s.cpus[0].samples, s.cpus[1].samples)
	}
}
