package job

import (
	"fmt"
	"os"
	"strings"
	"time"

	"jobgait/agent/rawcall"
)

// Host has the values of this machine that go into a Run: name, CPUs, both clocks in seconds, and boot id.
type Host struct {
	Name string
	// CPUs is the number of CPUs that are online, 0 if unknown.
	CPUs       int
	Real, Mono float64
	BootID     string
}

// ThisHost reads the values of this machine and its clocks now. A value that cannot be read is zero.
func ThisHost() Host {
	h := Host{BootID: BootID()}
	h.Name, _ = os.Hostname()
	h.CPUs, _ = OnlineCPUs("/sys/devices/system/cpu/online")
	h.Real, h.Mono = Clock()
	return h
}

// OnlineCPUs counts the CPUs in the file at path, a list as the kernel writes it, "0-3,8-11".
func OnlineCPUs(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("count the online CPUs: %w", err)
	}
	cpus, err := ExpandRanges(strings.TrimSpace(string(b)), MaxNodes)
	if err != nil {
		return 0, fmt.Errorf("count the online CPUs in %s: want a list such as 0-3,8: %w", path, err)
	}
	return len(cpus), nil
}

// Clock reads both clocks together, in seconds: UTC epoch time, and CLOCK_MONOTONIC, which cannot be set and in
// which elapsed times are measured.
func Clock() (real, mono float64) {
	return float64(time.Now().UnixNano()) / 1e9, float64(rawcall.Now()) / 1e9
}

// BootID returns the id of this boot, "" if unknown. CLOCK_MONOTONIC values of different boots cannot be
// compared.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
