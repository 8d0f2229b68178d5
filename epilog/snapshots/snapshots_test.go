package snapshots

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/acl"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
)

func storedRun(id int, user string, uid int, end float64) summary.Summary {
	return summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: run.JobID(id)},
		Job: run.Job{User: user, UID: uid, NNodes: 1, Executable: "lmp"}, Start: end - 60, End: end, ElapsedS: 60,
		Nodes: []summary.Node{{Name: "n1", Reported: true}}}
}

// passable is a directory through which any account may pass, for the children of the test.
func passable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "snapshots")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// reads is whether an account can read a file.
func reads(t *testing.T, uid int, path string) bool {
	t.Helper()
	cmd := exec.Command("/bin/cat", path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	return cmd.Run() == nil
}

// TestPublish publishes to two users and tries them against each other.
func TestPublish(t *testing.T) {
	dir := passable(t)
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Unix(1.8e9, 0)
	put := func(id int, user string, uid int, at time.Time) {
		t.Helper()
		if err := db.Put(t.Context(), storedRun(id, user, uid, float64(at.Unix())),
			history.Ingest{NowS: float64(at.Unix())}); err != nil {
			t.Fatal(err)
		}
	}
	put(1, "alice", 64001, now)
	put(2, "bob", 64002, now)
	put(3, "root", 0, now)
	h := configs.HistorySettings{Snapshots: dir}
	publish := func(at time.Time) string {
		t.Helper()
		made, err := Publish(t.Context(), db, h, at)
		if errors.Is(err, acl.ErrNoACL) {
			t.Skip("the file system of the test has no ACL: ", err)
		}
		return fmt.Sprint(made, " ", err)
	}
	if got := publish(now); got != "2 <nil>" {
		t.Fatal(got)
	}
	for _, uid := range []int{64001, 64002} {
		if err := os.Chtimes(h.SnapshotOf(uid), now, now); err != nil {
			t.Fatal(err)
		}
	}
	put(4, "alice", 64001, now.Add(time.Minute))
	if got := publish(now.Add(2 * time.Minute)); got != "0 <nil>" {
		t.Errorf("after two minutes %s", got)
	}
	if got := publish(now.Add(11 * time.Minute)); got != "1 <nil>" {
		t.Errorf("after eleven minutes %s", got)
	}
	for uid, want := range map[int]string{64001: "4 1", 64002: "2"} {
		s, err := history.OpenUnlocked(t.Context(), h.SnapshotOf(uid))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		runs, err := s.DB.Runs(t.Context(), history.Query{})
		for _, r := range runs {
			ids = append(ids, r.DisplayID)
		}
		if got := strings.Join(ids, " "); got != want || s.Close(err) != nil {
			t.Errorf("user %d has the runs %s, want %s", uid, got, want)
		}
	}
	if os.Geteuid() != 0 {
		return // other accounts are root's to try
	}
	for _, c := range []struct {
		who, whose int
		want       bool
	}{{64001, 64001, true}, {64002, 64002, true}, {64001, 64002, false}, {64002, 64001, false}, {64003, 64001, false}} {
		if got := reads(t, c.who, h.SnapshotOf(c.whose)); got != c.want {
			t.Errorf("user %d reads the snapshot of %d: %v", c.who, c.whose, got)
		}
	}
}

// TestOwnDirectoryOnly refuses what others can write.
func TestOwnDirectoryOnly(t *testing.T) {
	dir := passable(t)
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Publish(t.Context(), db, configs.HistorySettings{Snapshots: dir}, time.Now()); err == nil ||
		!strings.Contains(err.Error(), "no other can write") {
		t.Errorf("into a directory that anybody can write: %v", err)
	}
	if _, err := Publish(t.Context(), db, configs.HistorySettings{Snapshots: filepath.Join(dir, "none")},
		time.Now()); err == nil {
		t.Error("into none")
	}
}
