package address

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile"
)

// asked is a membership that counts questions.
type asked struct {
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

func TestPagesDoNotDependOnTheAddress(t *testing.T) {
	tb := newTable(fixture(t), &asked{members: map[int]bool{10: true, 11: true}})
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
		"in no file": user(10, 0x18000, 3), "in no area": user(10, 0x5, 3), "of a guest": {3, 0x10000, 10, otherCode},
	} {
		if got, ok := tb.hit(s); !ok || got != profile.AnonymousPage {
			t.Errorf("code %s: %x, %v", name, got, ok)
		}
	}
	if got, ok := tb.hit(sample{3, 0x10000, 10, kernelCode}); !ok || got != profile.KernelPage {
		t.Errorf("kernel code: %x, %v", got, ok)
	}
	if tb.exes["lmp"] != 7 {
		t.Errorf("programs %v", tb.exes)
	}
}

func TestMembershipIsAskedOnce(t *testing.T) {
	m := &asked{members: map[int]bool{10: true, 0: true, -1: true}}
	tb := newTable(fixture(t), m)
	var joined []int
	tb.joined = func(pid int) { joined = append(joined, pid) }
	count := func(pid int32, at int64) (n int) {
		for range 5 {
			if _, ok := tb.hit(user(pid, 0x11000, at)); ok {
				n++
			}
		}
		return n
	}
	if n := count(10, 1); n != 5 || m.n != 1 {
		t.Errorf("member: %d hits, asked %d times", n, m.n)
	}
	if n := count(12, 1); n != 0 || m.n != 2 {
		t.Errorf("stranger: %d hits, asked %d times", n, m.n)
	}
	if n := count(0, 1) + count(-1, 1); n != 0 || m.n != 2 {
		t.Errorf("idle task and nobody: %d hits", n)
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
	tb := newTable(fixture(t), m)
	before, _ := tb.hit(user(10, 0x11000, 1))
	tb.apply(event{time: 2, kind: forked, pid: 20, parent: 10})
	if got, ok := tb.hit(user(20, 0x11000, 3)); !ok || got != before || m.n != 1 {
		t.Errorf("child: %x, %v, asked %d times", got, ok, m.n)
	}
	tb.apply(event{time: 4, kind: execed, pid: 20})
	if got, _ := tb.hit(user(20, 0x11000, 5)); got != profile.AnonymousPage {
		t.Error("after an exec the old code is still there")
	}
	tb.apply(event{time: 6, kind: mapped, pid: 20, area: area{start: 0x700000, end: 0x702000, file: 77}})
	if got, ok := tb.hit(user(20, 0x701000, 7)); !ok || got != pageKey(77, 0x1000) {
		t.Errorf("new code: %x, %v", got, ok)
	}
	if got, _ := tb.hit(user(10, 0x11000, 8)); got != before {
		t.Error("the parent lost its code")
	}
	tb.apply(event{time: 9, kind: exited, pid: 20})
	if _, ok := tb.hit(user(20, 0x11000, 10)); ok {
		t.Error("a process that ended is still a member")
	}
	// The child of a stranger may join the job, but is not asked for.
	tb.apply(event{time: 11, kind: forked, pid: 31, parent: 30})
	if len(tb.procs) > 2 {
		t.Errorf("%d processes are remembered", len(tb.procs))
	}
}

func TestStrangerThatExecsIsAskedAgain(t *testing.T) {
	m := &asked{members: map[int]bool{}}
	tb := newTable(fixture(t), m)
	tb.hit(user(10, 0x11000, 1))
	m.members[10] = true
	tb.apply(event{time: 2, kind: execed, pid: 10})
	if _, ok := tb.hit(user(10, 0x11000, 3)); !ok {
		t.Error("it joined before its exec, and is no member")
	}
}

// A file that cannot be read in time has a name, and always the same.
func TestFileThatHangs(t *testing.T) {
	root := fixture(t)
	fifo := filepath.Join(root, "10", "maps")
	os.Remove(fifo)
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	x := newIdentifier(root)
	x.limit = time.Millisecond
	for i := range uint64(openers + 2) {
		a := area{start: 1, end: 2, inode: inode{5, i + 1}}
		first := x.file(10, a)
		if first != hashInode(a.inode) || x.file(10, a) != first {
			t.Errorf("file %d: %x", i, first)
		}
	}
	if n := len(x.busy); n != openers {
		t.Errorf("%d stuck, want %d", n, openers)
	}
	if w, err := os.OpenFile(fifo, os.O_RDWR, 0); err == nil {
		w.Close() // lets them go
	}
}

func TestBuildIDOfThisProgram(t *testing.T) {
	s, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	areas, err := parseMaps(s)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	id, err := readBuildID(self)
	if err != nil {
		t.Skip("this test program has no build id")
	}
	for _, a := range areas {
		if !a.anonymous() {
			x := newIdentifier("/proc")
			x.limit = 10 * time.Second
			if got := x.file(int32(os.Getpid()), a); got != hashBuildID(id) {
				t.Errorf("the first code of this process is of file %x", got)
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
			k := pageKey(hashInode(inode{1, file}), page*4096+7)
			if k <= profile.AnonymousPage || seen[k] {
				t.Fatalf("key %x of file %d page %d", k, file, page)
			}
			seen[k] = true
		}
	}
}
