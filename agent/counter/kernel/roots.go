package kernel

import (
	"os"
	"strings"
)

// Roots are the mount points of the kernel's file systems, normally "/proc" and "/sys".
type Roots struct{ Proc, Sys string }

// The intervals of slow readings, in ns: five times a second, once for costly ones, and ten times only for
// NodeCPU, the only counter of some nodes. They cannot show a period, and reports draw them in bins of seconds.
// At ten times a second networks, disks and the job's cgroup took a third of the agent's CPU time.
const (
	every10Hz = 100_000_000
	every5Hz  = 200_000_000
	every1Hz  = 1_000_000_000
)

// exists reports whether a path exists, links followed.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ReadText returns the content of a small file without surrounding white space, "" if it cannot be read.
func ReadText(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
