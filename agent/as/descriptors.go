package as

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// CloseOnExec marks every descriptor above 2 as not to be inherited: a pipe that
// slurmd left open must not be held by an agent or worker, and nothing of root's
// must reach a child with a user's rights. Go opens its own that way already.
func CloseOnExec() error {
	err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
		return err
	}
	// Linux before 5.11.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
