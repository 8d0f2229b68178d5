package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"jobgait/analysis/run"
)

func newRunDir(t *testing.T, spool string, r Run) RunDir {
	t.Helper()
	if err := MakeNodeDir(spool, r.Node); err != nil {
		t.Fatal(err)
	}
	d := Dir(spool, r.Node, r.Key)
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteRun(r); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRunRoundTrip(t *testing.T) {
	tasks := 8
	want := Run{
		Key:  run.Key{Cluster: "c1", JobID: 17, Restart: 2},
		Job:  run.Job{User: "alice", UID: 1000, NTasks: &tasks, NodeList: "n[1-2]"},
		Node: "n1", Exclusive: true, StartReal: 1.7e9 + 0.25, StartMono: 12.5, BootID: "b",
		StdOutPattern: "/d/%j.out",
	}
	d := newRunDir(t, filepath.Join(t.TempDir(), "a", "spool"), want)
	got, err := d.ReadRun()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadRun = %+v, %v; want %+v", got, err, want)
	}
	for path, mode := range map[string]os.FileMode{d.EnvPath(): 0o600, string(d): 0o700, filepath.Dir(string(d)): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want mode %o", path, info.Mode(), err, mode)
		}
	}
	if det, err := d.ReadDetails(); err != nil || !reflect.DeepEqual(det, Details{}) {
		t.Errorf("details without a file: %+v, %v", det, err)
	}
	if err := d.WriteDetails(Details{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	if det, err := d.ReadDetails(); err != nil || det.Name != "x" {
		t.Errorf("ReadDetails = %+v, %v", det, err)
	}
	if left, _ := filepath.Glob(d.Path(".new-*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestLock(t *testing.T) {
	d := newRunDir(t, t.TempDir(), Run{Key: run.Key{JobID: 1}, Node: "n"})
	f, err := d.TryLock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.TryLock(); !errors.Is(err, ErrLocked) {
		t.Errorf("second lock: %v, want ErrLocked", err)
	}
	f.Close()
	f, err = d.TryLock()
	if err != nil {
		t.Fatalf("lock after it was let go: %v", err)
	}
	f.Close()
}

func TestSetAside(t *testing.T) {
	spool := t.TempDir()
	r := Run{Key: run.Key{Cluster: "c", JobID: 1}, Node: "n"}
	for n := 1; n <= 2; n++ {
		d := newRunDir(t, spool, r)
		aside, err := d.RenameAside()
		if err != nil || !strings.HasSuffix(string(aside), "c-1.r0~"+string(rune('0'+n))) {
			t.Fatalf("SetAside = %q, %v", aside, err)
		}
	}
	if dirs, err := Dirs(NodeDir(spool, "n")); err != nil || len(dirs) != 2 {
		t.Errorf("Dirs = %v, %v", dirs, err)
	}
}

func TestNamedDirectories(t *testing.T) {
	spool := t.TempDir()
	for _, id := range []run.JobID{7, 70, 71, 700} {
		newRunDir(t, spool, Run{Key: run.Key{Cluster: "c", JobID: id}, Node: "n1"})
	}
	for prefix, want := range map[string]string{"c-7.": "c-7.r0", "c-7": "c-7.r0 c-70.r0 c-700.r0 c-71.r0", "c-8": ""} {
		dirs, err := DirsNamed(NodeDir(spool, "n1"), prefix)
		var got []string
		for _, d := range dirs {
			got = append(got, filepath.Base(string(d)))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", prefix, got, err)
		}
	}
}

// Root does not work in a directory that another account can change; a user's
// own business is the user's.
func TestSpoolOfOthers(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(spool, node string) error
		says  string // "" = good
	}{
		{"as made", func(string, string) error { return nil }, ""},
		{"spool of another", func(spool, _ string) error { return os.Chown(spool, 65534, -1) }, "belongs to uid 65534"},
		{"node's part of another", func(_, node string) error { return os.Chown(node, 65534, -1) }, "belongs to uid 65534"},
		{"spool for all", func(spool, _ string) error { return os.Chmod(spool, 0o777|os.ModeSticky) }, "mode 0777"},
		{"spool of a group", func(spool, _ string) error { return os.Chmod(spool, 0o770) }, "mode 0770"},
		{"link to a directory of another", func(spool, _ string) error {
			return errors.Join(os.Chown(spool, 65534, -1), os.Rename(spool, spool+"2"), os.Symlink(spool+"2", spool))
		}, "belongs to uid 65534"},
		{"link to one of root's", func(spool, _ string) error {
			return errors.Join(os.Rename(spool, spool+"2"), os.Symlink(spool+"2", spool))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if os.Geteuid() != 0 {
				t.Skip("only root is refused")
			}
			spool := filepath.Join(t.TempDir(), "spool")
			if err := MakeNodeDir(spool, "n1"); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(spool, NodeDir(spool, "n1")); err != nil {
				t.Fatal(err)
			}
			err := MakeNodeDir(spool, "n1")
			if c.says == "" && err == nil {
				return
			}
			if c.says == "" || !errors.Is(err, ErrForeignDir) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
}

func TestDirStaysInSpool(t *testing.T) {
	for _, node := range []string{"..", "a/../../b", "", ".hidden", "-rf", strings.Repeat("n", 1000)} {
		d := string(Dir("/spool", node, run.Key{Cluster: "../x", JobID: 1}))
		if rel, err := filepath.Rel("/spool", d); err != nil || strings.HasPrefix(rel, "..") || strings.Count(rel, "/") != 1 {
			t.Errorf("node %q: directory %q", node, d)
		}
	}
}

// The context of the run is forced to the disk; without one an error is returned. That a node without power
// keeps it is shown by the virtual cluster (packaging/modern).
func TestKeepRun(t *testing.T) {
	dir := RunDir(t.TempDir())
	if err := dir.SyncRun(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no run: %v", err)
	}
	if err := errors.Join(dir.WriteRun(Run{Node: "n1"}), dir.SyncRun()); err != nil {
		t.Error(err)
	}
}
