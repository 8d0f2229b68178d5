package finish

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/analysis/run"
)

// spoolingFinisher returns a finisher of a new site whose spool exists.
func spoolingFinisher(t *testing.T) Finisher {
	t.Helper()
	f := newSite(t).finisher("n1")
	must(t, os.MkdirAll(f.Spool, 0o700))
	return f
}

// hangingDelivery starts a process that stands for the child of a delivery that hangs.
func hangingDelivery(t *testing.T) *exec.Cmd {
	t.Helper()
	child := exec.Command("/bin/sleep", "600")
	must(t, child.Start())
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	return child
}

// A child that was abandoned in a file system of its user prevents further children of this user, but not of
// other users. When it ends, the next one may start.
func TestOneDeliveryAUser(t *testing.T) {
	t.Parallel()
	f := spoolingFinisher(t)
	stuck := hangingDelivery(t)
	child := func(uid uint32) *as.Child {
		return &as.Child{Account: as.Account{UID: uid, GID: uid}}
	}
	run := func(uid int) job.Run {
		var r job.Run
		r.Job.UID = uid
		return r
	}
	first := child(4711)
	end, err := f.lockForChild(t.Context(), run(4711), first)
	must(t, err)
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := f.lockForChild(short, run(4711), child(4711)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two children of a user at once: %v", err)
	}
	first.OnAbandoned(stuck.Process.Pid)
	end()
	for range 3 {
		if _, err := f.lockForChild(t.Context(), run(4711), child(4711)); !errors.Is(err, errStillHangs) {
			t.Errorf("another child beside the stuck one: %v", err)
		}
	}
	other, err := f.lockForChild(t.Context(), run(4712), child(4712))
	must(t, err)
	other()
	must(t, stuck.Process.Kill())
	_ = stuck.Wait()
	again, err := f.lockForChild(t.Context(), run(4711), child(4711))
	must(t, err)
	again()
	old := time.Now().Add(-48 * time.Hour)
	files, err := filepath.Glob(filepath.Join(f.Spool, deliveryLocksDir, "*"))
	must(t, err)
	for _, path := range files {
		must(t, os.Chtimes(path, old, old))
	}
	_, _, err = f.trim()
	must(t, err)
	if left, _ := filepath.Glob(filepath.Join(f.Spool, deliveryLocksDir, "*")); len(left) != 0 {
		t.Errorf("files of users who are gone: %v", left)
	}
}

// The lock of a user who gets reports stays, however old it is: a removed lock would let two deliveries begin at once.
func TestUsedTurnsStay(t *testing.T) {
	t.Parallel()
	f := spoolingFinisher(t)
	age := time.Now().Add(-48 * time.Hour)
	for _, uid := range []int{4711, 4712} {
		turn, err := f.lockDelivery(t.Context(), uid)
		must(t, err)
		turn.release()
		must(t, os.Chtimes(filepath.Join(f.Spool, deliveryLocksDir, strconv.Itoa(uid)), age, age))
	}
	turn, err := f.lockDelivery(t.Context(), 4711)
	must(t, err)
	defer turn.release()
	must(t, os.Chtimes(filepath.Join(f.Spool, deliveryLocksDir, "4711"), age, age)) // a clock that was set
	must(t, f.pruneDeliveryLocks())
	if _, err := os.Stat(filepath.Join(f.Spool, deliveryLocksDir, "4711")); err != nil {
		t.Errorf("the lock of a delivery was removed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(f.Spool, deliveryLocksDir, "4712")); err == nil {
		t.Error("a lock that was not used for two days is still there")
	}
}

// The lock of a user whose abandoned delivery still hangs stays with its record, however old both are.
func TestLocksOfStuckDeliveriesStay(t *testing.T) {
	t.Parallel()
	f := spoolingFinisher(t)
	stuck := hangingDelivery(t)
	lock, err := f.lockDelivery(t.Context(), 4711)
	must(t, err)
	f.recordLeft(lock.leftPath, stuck.Process.Pid)
	lock.release()
	path := filepath.Join(f.Spool, deliveryLocksDir, "4711")
	age := time.Now().Add(-48 * time.Hour)
	for _, file := range []string{path, path + ".left"} {
		must(t, os.Chtimes(file, age, age))
	}
	must(t, f.pruneDeliveryLocks())
	for _, file := range []string{path, path + ".left"} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("removed although the delivery hangs: %v", err)
		}
	}
	// Without a lock file the record stays as well. Once the delivery has ended, it is removed with the lock file.
	must(t, os.Remove(path))
	must(t, f.pruneDeliveryLocks())
	if _, err := os.Stat(path + ".left"); err != nil {
		t.Errorf("removed although the delivery hangs: %v", err)
	}
	must(t, stuck.Process.Kill())
	_ = stuck.Wait()
	must(t, f.pruneDeliveryLocks())
	left, err := filepath.Glob(path + "*")
	must(t, err)
	if len(left) != 0 {
		t.Errorf("files of a delivery that has ended: %v", left)
	}
}

// A lock on a file that was removed or replaced before it was locked is not held.
func TestLockOfARemovedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "4711")
	opened, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	must(t, err)
	defer opened.Close()
	must(t, os.Remove(path))
	if err := tryLockOpen(opened, path); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a lock of a removed file: %v", err)
	}
	second, err := tryLockFile(path, os.O_CREATE)
	must(t, err)
	defer second.Close()
	if err := tryLockOpen(opened, path); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a lock of a replaced file: %v", err)
	}
	if _, err := tryLockFile(path, os.O_CREATE); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a second lock of one path: %v", err)
	}
}

// The record of an abandoned delivery is removed only by the holder of the lock, also if it has no lock file.
func TestRecordsAreRemovedUnderTheLock(t *testing.T) {
	t.Parallel()
	f := newSite(t).finisher("n1")
	dir := filepath.Join(f.Spool, deliveryLocksDir)
	must(t, os.MkdirAll(dir, 0o700))
	alone, blocked := filepath.Join(dir, "4711.left"), filepath.Join(dir, "4712.left")
	age := time.Now().Add(-48 * time.Hour)
	for _, path := range []string{alone, blocked} {
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Chtimes(path, age, age))
	}
	must(t, os.Symlink("elsewhere", filepath.Join(dir, "4712"))) // cannot be locked
	if err := f.pruneDeliveryLocks(); !errors.Is(err, job.ErrIrregular) {
		t.Errorf("a lock that cannot be taken: %v", err)
	}
	if _, err := os.Stat(blocked); err != nil {
		t.Errorf("removed without the lock: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "4711*"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("files of a user to whom nothing was delivered: %v", left)
	}
}

// A collection directory that hangs costs no report, and holds one child process of the node, which no signal
// ends, however many jobs end. Once it answers, the runs are finished.
func TestCollectionThatHangs(t *testing.T) {
	s := ownedBySite(t).withHistory("spool")
	s.cfg.Epilog.WorkerS, s.cfg.Collect.Account, s.cfg.Collect.Archive = 8, "nobody", ""
	must(t, os.MkdirAll(s.cfg.Collect.Dir, 0o755))
	account, err := as.Lookup(t.Context(), "nobody")
	must(t, err)
	must(t, os.Chown(s.cfg.Collect.Dir, int(account.UID), int(account.GID)))
	f := s.finisher("n1")
	f.Program = filepath.Join(s.root, "program") // where the account may execute it
	must(t, jobtest.CopyTestProgram(f.Program))
	free, asked := peektest.MountHangingAndNotify(t, s.cfg.Collect.Dir)
	left := filepath.Join(f.Spool, "collect.left")
	var stuck job.Process
	for i, key := range []run.Key{seven, {Cluster: "test", JobID: 8}, {Cluster: "test", JobID: 9}} {
		dir := s.nowhere(key)
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		err := f.Finish(ctx, dir)
		if i == 0 {
			<-asked
			stuck, err = job.ReadProcess(left)
			must(t, err)
			jobtest.Until(t, "the killed child's first thread ends", func() bool { return stuck.Alive() })
		} else if !errors.Is(err, errOthersHang) {
			t.Errorf("job %d: %v", key.JobID, err)
		}
		if _, err := os.Stat(s.keptReport(key)); err != nil {
			t.Errorf("job %d has no report: %v", key.JobID, err)
		}
		if now, err := job.ReadProcess(left); err != nil || now != stuck {
			t.Errorf("job %d left a child of its own: %+v, %v", key.JobID, now, err)
		}
	}
	free()
	jobtest.Until(t, "the stuck child ends", func() bool { return !stuck.Alive() })
	jobtest.Until(t, "all runs are finished", func() bool {
		_, err := f.Sweep(t.Context(), true)
		unfinished, uerr := HasUnfinished(f.Spool)
		return err == nil && uerr == nil && !unfinished
	})
}
