package job

import (
	"strconv"
	"syscall"

	"jobgait/analysis/summary"
)

// ExitOf reads a wait status in digits: 768 for exit 3, 11 for a segmentation fault;
// nil if it is none.
func ExitOf(s string) *summary.Exit {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return nil
	}
	w := syscall.WaitStatus(n)
	switch {
	case w.Exited():
		return &summary.Exit{Code: w.ExitStatus()}
	case w.Signaled():
		return &summary.Exit{Signal: int(w.Signal())}
	}
	return nil
}
