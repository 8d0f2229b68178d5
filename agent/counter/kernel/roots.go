package kernel

import (
	"os"
	"strings"
)

// Roots are where the kernel's file systems are, normally "/proc" and "/sys".
type Roots struct{ Proc, Sys string }

// How often slow things are read: five times a second, what costs more once, and
// ten times only what is all that there is (NodeCPU). None of it can show a period,
// and the reports draw it in bins of seconds: at ten a second networks, disks and
// the job's cgroup took a third of all of the agent's CPU time.
const (
	every10Hz = 100_000_000
	every5Hz  = 200_000_000
	every1Hz  = 1_000_000_000
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Text returns a small file without white space round it, "" if it cannot be read.
func Text(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
