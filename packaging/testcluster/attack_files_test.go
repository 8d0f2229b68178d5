package testcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/peek/peektest"
)

// Root's device is at the path of the report; a user cannot make one.
func attackDevice(t *testing.T, r *round) {
	dir := r.dir(t, r.c.alice, "device")
	j := r.sbatch(t, r.c.alice, dir, "mknod jobgait-$SLURM_JOB_ID.json c 1 5 && touch made; touch started; sleep 2")
	j.waitFile(t, "started")
	device := filepath.Join(dir, j.name()+".txt")
	if err := unix.Mknod(device, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil { // /dev/zero
		t.Skip(err)
	}
	j.wait(t)
	if _, err := os.Lstat(filepath.Join(dir, "made")); err == nil {
		t.Error("the user can make devices here: nothing is tested")
	}
	r.c.kept(t, j)
	if info, err := os.Lstat(device); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("the device is now %v, %v", info, err)
	}
}

// The directory of the report is exchanged with a link to another user's directory, and back, as fast as the
// user can.
func attackSwap(t *testing.T, r *round) {
	dir, trap := r.dir(t, r.c.alice, "swap"), filepath.Join(r.dir(t, r.c.bob, "swap"), "trap")
	here, link := filepath.Join(dir, "here"), filepath.Join(dir, "link")
	mustMake(t, r.c.alice, here)
	mustMake(t, r.c.bob, trap)
	if r.n%2 == 1 { // every other time the trap is root's
		trap = r.c.path("trap")
		if err := os.MkdirAll(trap, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(trap, link); err != nil {
		t.Fatal(err)
	}
	j := r.sbatch(t, r.c.alice, here, "touch started; sleep 2")
	j.waitFile(t, "started")
	racer := r.c.as(r.c.alice, dir, r.c.path("bin", "attack"), "swap", here, link)
	if err := racer.Start(); err != nil {
		t.Fatal(err)
	}
	j.wait(t)
	_ = racer.Process.Kill()
	_ = racer.Wait()
	if info, err := os.Lstat(here); err != nil || info.Mode()&os.ModeSymlink != 0 {
		err = errors.Join(err, unix.Renameat2(unix.AT_FDCWD, here, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE))
		if err != nil {
			t.Error(err)
		}
	}
}

// There is no room left in the user's directory. Where the kernel has quotas for
// a file system in memory it is one of the user's, else all of it.
func attackFull(t *testing.T, r *round) {
	dir := r.dir(t, r.c.alice, "full")
	owner := fmt.Sprintf("mode=755,uid=%d,gid=%d", r.c.alice.uid, r.c.alice.gid)
	if err := unix.Mount("jobgait-test", dir, "tmpfs", 0, owner+",size=1m,usrquota_block_hardlimit=64k"); err != nil {
		if err := unix.Mount("jobgait-test", dir, "tmpfs", 0, owner+",size=64k"); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	j := r.sbatch(t, r.c.alice, dir, "cat /dev/zero >fill; touch started; sleep 2")
	j.wait(t)
	r.c.kept(t, j)
	if left, _ := filepath.Glob(filepath.Join(dir, "*jobgait*")); len(left) > 0 {
		t.Errorf("half a report: %q", left)
	}
}

// hangingNode is the node of attackHang's job. No other attack has a job of the same user there: while a delivery to
// him hangs, his other reports of that node stay in the spool.
const hangingNode = "n3"

// The work directory hangs for ever: the report goes to the spool, and the Epilog does not wait for it.
func attackHang(t *testing.T, r *round) {
	dir := filepath.Join(r.dir(t, r.c.bob, "hang"), "hangs")
	mustMake(t, r.c.bob, dir)
	j := r.sbatch(t, r.c.bob, dir, "touch started; sleep 2", "-w", hangingNode)
	j.waitFile(t, "started")
	free := peektest.MountHanging(t, dir)
	defer free()
	j.wait(t)
	r.c.kept(t, j)
}
