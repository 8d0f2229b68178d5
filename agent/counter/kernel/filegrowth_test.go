package kernel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// files are descriptors of a process of a tree.
type files struct {
	t   *testing.T
	dir string
}

// put writes where a process is in a file.
func (f files) put(fd, inode, at int) {
	f.t.Helper()
	put(f.t, f.dir, fmt.Sprint(fd), fmt.Sprintf("pos:\t%d\nflags:\t0100001\nmnt_id:\t29\nino:\t%d\n", at, inode))
}

// close removes a descriptor.
func (f files) close(fd int) {
	f.t.Helper()
	if err := os.Remove(filepath.Join(f.dir, fmt.Sprint(fd))); err != nil {
		f.t.Fatal(err)
	}
}

// A file that stays open between two bursts of writing is appended to. A file that is opened for a burst, is rewritten
// from its beginning or has the descriptor of an earlier one is not.
func TestFileGrowth(t *testing.T) {
	root := t.TempDir()
	f := files{t, filepath.Join(root, "7", "fdinfo")}
	var g fileGrowth
	const mb = 1 << 20
	step := func(what string, wrote uint64, want uint64) {
		t.Helper()
		g.update(root, 7, wrote, make([]byte, maxStat))
		if g.appended != want {
			t.Errorf("%s: %d bytes were appended, want %d", what, g.appended, want)
		}
	}
	f.put(3, 30, mb)
	f.put(4, 40, mb)
	step("the first burst", 2*mb, 0)
	step("a pause", 0, 0)
	f.put(3, 30, 2*mb)
	step("a trajectory grows, a restart file is rewritten", 2*mb, mb)
	f.put(3, 30, 3*mb)
	f.put(5, 50, 4*mb)
	step("and grows on while another file is opened", 5*mb, 2*mb)
	step("a pause", 0, 2*mb)
	f.close(5)
	f.put(5, 51, 6*mb)
	step("another file has its descriptor", 6*mb, 2*mb)
	step("a pause", leastGrowth-1, 2*mb)
	f.put(3, 30, 3*mb+leastGrowth-1)
	step("a log line", leastGrowth-1, 2*mb)
	f.put(3, 30, 4*mb+leastGrowth-1)
	step("a burst counts without the log line before it", 2*mb, 3*mb)
	step("a pause", 0, 3*mb)
	f.put(3, 30, 90*mb)
	step("a seek is no writing", mb, 4*mb)
}

// Without readable descriptors nothing counts as appended; descriptors that are read or at their beginning do not
// count.
func TestFilesThatAreNotWritten(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "7", "fdinfo")
	if got, _ := filePositions(dir, make([]byte, maxStat)); len(got) != 0 {
		t.Errorf("%v", got)
	}
	for fd, text := range map[int]string{0: "pos:\t9\nflags:\t0100000\n", 1: "pos:\t0\nflags:\t0100001\n", 2: "pos:\tx\n",
		3: "", 4: "pos:\t5\nflags:\t9\n", 5: "pos:\t5\nflags:\t02102002\nmnt_id:\t1\n"} {
		put(t, dir, fmt.Sprint(fd), text)
	}
	got, read := filePositions(dir, make([]byte, maxStat))
	if len(got) != 1 || got[5] != (filePosition{at: 5}) || read != 6 {
		t.Errorf("%v of %d descriptors", got, read)
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add([]byte("pos:\t4096\nflags:\t0100001\nmnt_id:\t29\nino:\t1835\n"))
	f.Add([]byte("flags:\t0100001"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := parsePosition(b); ok && (p.at == 0 || !bytes.Contains(b, []byte("flags:\t"))) {
			t.Errorf("%q: %+v", b, p)
		}
	})
}
