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

// ordinary and other are the uids of two accounts that are not root.
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

// A user finds his runs in a directory that he cannot list, although the agents of all his runs created it at
// the same moment. No other user finds them.
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
		p, err := MakeLocation(dir, ordinary, want[i])
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
			t.Errorf("another process is notified of %v", got)
		}
		if _, err := Read(filepath.Join(dir, strconv.Itoa(ordinary), "run3", Name)); err == nil {
			t.Error("somebody else reads it")
		}
	})
}

// Every file below the directory of a cluster stays root's, and its user can neither write it nor give it another time
// or mode: what he can change he can fill the file system of /run with.
func TestFilesOfUsersStayRoots(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes files for others")
	}
	_, p := channelOf(t, ordinary)
	if err := p.Write(State{Schema: Schema, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Dir(filepath.Dir(filepath.Dir(p.Path()))),
		func(path string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			var st unix.Stat_t
			if err := unix.Lstat(path, &st); err != nil || st.Uid != 0 {
				t.Errorf("%s belongs to uid %d, %v", path, st.Uid, err)
			}
			asUser(ordinary, func() {
				if os.Chmod(path, 0o777) == nil || os.Chtimes(path, time.Now(), time.Now()) == nil {
					t.Errorf("its user changes %s", path)
				}
				if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
					_ = f.Close()
					t.Errorf("its user writes %s", path)
				}
			})
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// Runs that ended long ago are removed for all users, then their users' indexes.
func TestOldLiveFilesOfAllUsersAreRemoved(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes files for others")
	}
	dir := filepath.Join(t.TempDir(), "live")
	for _, uid := range []int{ordinary, other} {
		for _, run := range []string{"over", "fresh"} {
			p, err := MakeLocation(dir, uid, run)
			if err == nil {
				err = p.Write(State{Schema: Schema, At: time.Now()})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		old := time.Now().Add(-2 * keepEnded)
		if err := os.Chtimes(filepath.Join(dir, strconv.Itoa(uid), "over"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveOld(dir); err != nil {
		t.Fatal(err)
	}
	for _, uid := range []int{ordinary, other} {
		of := filepath.Join(dir, strconv.Itoa(uid))
		runs, err := subdirectories(of)
		listed, ierr := readIndex(filepath.Join(of, indexName))
		if err != nil || ierr != nil || !slices.Equal(runs, []string{"fresh"}) || !slices.Equal(listed, runs) {
			t.Errorf("uid %d: runs %v, index %v, %v, %v", uid, runs, listed, err, ierr)
		}
	}
	if err := RemoveOld(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}

// Whatever order agents begin in, the last index has all of them.
func TestIndexOfAgentsThatBeginTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	var lock sync.Mutex // of the temporary file, which is a process's own
	for i := range 16 {
		all.Go(func() {
			err := os.Mkdir(filepath.Join(dir, "run"+strconv.Itoa(i)), 0o711)
			lock.Lock()
			defer lock.Unlock()
			if err == nil {
				err = writeIndex(dir, os.Getuid())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := readIndex(filepath.Join(dir, indexName)); err != nil || len(got) != 16 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestIndexNamesNothingElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), indexName)
	if err := os.WriteFile(path, []byte("../up\n/etc\n.\n..\n\na/b\nrun1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readIndex(path); err != nil || !slices.Equal(got, []string{"run1"}) {
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
		got, err := readIndex(path)
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
