package kernel

import (
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// Memory reads /proc/meminfo: what is in use and could not be had by a new program, MemTotal - MemAvailable.
// MemTotal - MemFree would include the page cache, which no program needs.
func Memory(r Roots) (polled.Meter, error) {
	f := newRecord(filepath.Join(r.Proc, "meminfo"))
	return polled.Meter{
		Columns: []profile.Column{{Name: "mem_used", Unit: "bytes", Scope: "node", Gauge: true}},
		Event:   "MemTotal-MemAvailable", PMU: "proc", Config: f.path, EveryNS: every5Hz,
		Read: func(cells []uint64) error {
			b, err := f.read()
			if err != nil {
				return err
			}
			cells[0], err = parseMemory(b)
			return err
		},
		Close: f.close,
	}, nil
}

// parseMemory returns the bytes in use.
func parseMemory(b []byte) (uint64, error) {
	total, ok := findKey(b, "MemTotal")
	available, okA := findKey(b, "MemAvailable")
	if !ok || !okA || available > total || total > 1<<53 {
		return 0, errFormat
	}
	return (total - available) * 1024, nil
}
