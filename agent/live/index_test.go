package live

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ordinary is the number of an account that is not root, other that of one more.
const ordinary, other = 65534, 65533

// asUser does something with the file system's rights of an account: its thread ends
// with it.
func asUser(uid int, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		_, _ = unix.SetfsgidRetGid(uid)
		_, _ = unix.SetfsuidRetUid(uid)
		do()
	}()
	<-done
}

// A user finds his runs in a directory that he cannot list, made by agents of all of
// them at the same moment; nobody else does.
func TestAUserFindsHisRunsInADirectoryOfRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	home, err := os.MkdirTemp("", "jobgait-live-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chmod(home, 0o711); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "live")
	var want []string
	for i := range 8 {
		want = append(want, "run"+strconv.Itoa(i))
		p, err := Make(dir, ordinary, ordinary, want[i])
		if err == nil {
			err = p.Write(State{Schema: Schema, At: time.Now()})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	asUser(ordinary, func() {
		if _, err := os.ReadDir(filepath.Join(dir, strconv.Itoa(ordinary))); err == nil {
			t.Error("the directory can be listed")
		}
		if got, err := Runs(dir, ordinary); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		if s, err := Read(filepath.Join(dir, strconv.Itoa(ordinary), "run3", Name)); err != nil || s.Schema != Schema {
			t.Errorf("%+v, %v", s, err)
		}
	})
	asUser(other, func() {
		if got, err := Runs(dir, ordinary); err == nil {
			t.Errorf("somebody else is told of %v", got)
		}
		if _, err := Read(filepath.Join(dir, strconv.Itoa(ordinary), "run3", Name)); err == nil {
			t.Error("somebody else reads it")
		}
	})
}

// Whatever order agents begin in, the last index has all of them.
func TestIndexOfAgentsThatBeginTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	var lock sync.Mutex // of the temporary file, which is a process's own
	for i := range 16 {
		all.Go(func() {
			p := &Place{dir: filepath.Join(dir, "run"+strconv.Itoa(i)), uid: os.Getuid(), gid: os.Getgid()}
			err := os.Mkdir(p.dir, 0o711)
			lock.Lock()
			defer lock.Unlock()
			if err == nil {
				err = p.index()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := indexed(filepath.Join(dir, indexName)); err != nil || len(got) != 16 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestIndexNamesNothingElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), indexName)
	if err := os.WriteFile(path, []byte("../up\n/etc\n.\n..\n\na/b\nrun1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := indexed(path); err != nil || !slices.Equal(got, []string{"run1"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("run1\nrun2"))
	path := filepath.Join(f.TempDir(), indexName)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := indexed(path)
		for _, n := range got {
			if n != filepath.Base(n) || n == ".." || n == "." {
				t.Errorf("%q", n)
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
}
