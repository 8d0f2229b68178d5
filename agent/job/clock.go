package job

import (
	"jobgait/agent/rawcall"
	"os"
	"strings"
	"time"
)

// Clock reads both clocks together, in seconds: UTC epoch time, and
// CLOCK_MONOTONIC, which nobody sets and in which elapsed times are taken.
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
