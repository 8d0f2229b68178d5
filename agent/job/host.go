package job

import (
	"fmt"
	"os"
	"strings"
	"time"

	"jobgait/agent/rawcall"
)

// Host is what of this machine goes into a Run.
type Host struct {
	Name string
	// CPUs is the number of CPUs that are online, 0 if unknown.
	CPUs       int
	Real, Mono float64
	BootID     string
}

// ThisHost reads the machine and the clocks.
func ThisHost() Host {
	h := Host{BootID: BootID()}
	h.Name, _ = os.Hostname()
	h.CPUs, _ = OnlineCPUs("/sys/devices/system/cpu/online")
	h.Real, h.Mono = Clock()
	return h
}

// OnlineCPUs counts the CPUs in a list as the kernel writes it, "0-3,8-11".
func OnlineCPUs(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("count CPUs: %w", err)
	}
	cpus, err := Ranges(strings.TrimSpace(string(b)), MaxNodes)
	if err != nil {
		return 0, fmt.Errorf("count CPUs in %s: %w", path, err)
	}
	return len(cpus), nil
}

// Clock reads both clocks together, in seconds: UTC epoch time, and CLOCK_MONOTONIC, which cannot be set and in
// which elapsed times are measured.
func Clock() (real, mono float64) {
	return float64(time.Now().UnixNano()) / 1e9, float64(rawcall.Now()) / 1e9
}

// BootID returns the id of this boot, "" if it is not known. CLOCK_MONOTONIC
// values of another boot mean nothing.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
