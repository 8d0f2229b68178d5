package kernel

import (
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
)

// TotalMemory returns the memory of the node in bytes, from the file meminfo in the directory proc; 0 if it is unknown.
func TotalMemory(proc string) float64 {
	b, err := rawcall.ReadRecord(filepath.Join(proc, "meminfo"), nil, maxStat)
	if err != nil {
		return 0
	}
	total, ok := findKey(b, "MemTotal")
	if !ok || total > 1<<53 {
		return 0
	}
	return float64(total) * 1024
}

// Memory returns a meter of the node's memory in use, MemTotal - MemAvailable of /proc/meminfo. MemTotal -
// MemFree would include the page cache, which can be freed.
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

// parseMemory returns the bytes in use from the text of /proc/meminfo.
func parseMemory(b []byte) (uint64, error) {
	total, ok := findKey(b, "MemTotal")
	available, okA := findKey(b, "MemAvailable")
	if !ok || !okA || available > total || total > 1<<53 {
		return 0, errUnexpectedFormat
	}
	return (total - available) * 1024, nil
}
