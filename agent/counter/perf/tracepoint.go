package perf

import (
	"errors"
	"io/fs"
	"path/filepath"

	perfutils "github.com/hodgesds/perf-utils"
)

// tracepoint is a kernel tracepoint that is counted: column name, unit, and its place below events/ in tracefs.
type tracepoint struct{ name, unit, subsystem, event string }

// tracepoints returns the tracepoints that are counted if tracefs is mounted and readable; it is not mounted
// for that. System calls are last: they cost most, and a dropped tracepoint drops all after it.
func tracepoints() []tracepoint {
	return []tracepoint{
		{"block_requests", "requests", "block", "block_rq_issue"},
		{"net_queued", "packets", "net", "net_dev_queue"},
		{"net_received", "packets", "net", "netif_receive_skb"},
		{"syscalls", "calls", "raw_syscalls", "sys_enter"},
	}
}

var (
	errNoTraceFS    = errors.New("tracefs is not mounted: mount it at /sys/kernel/tracing")
	errNoTracepoint = errors.New("this kernel has no such tracepoint: the counter is left out")
	errTraceID      = errors.New("reading the ids of tracepoints is not permitted: only root may read tracefs")
)

// id returns the number of a tracepoint, from the two usual mount points of tracefs, else from any other.
func (t tracepoint) id(sys string) (uint64, error) {
	err := errNoTraceFS
	for _, mount := range []string{"kernel/tracing", "kernel/debug/tracing"} {
		events := filepath.Join(sys, mount, "events")
		id, ierr := readUint(filepath.Join(events, t.subsystem, t.event, "id"))
		switch {
		case ierr == nil:
			return id, nil
		case errors.Is(ierr, fs.ErrPermission):
			err = errTraceID
		case pathExists(events):
			err = errNoTracepoint
		}
	}
	if errors.Is(err, errNoTraceFS) && sys == "/sys" {
		if id, perr := perfutils.GetTracepointConfig(t.subsystem, t.event); perr == nil {
			return id, nil
		}
	}
	return 0, err
}

// pathExists reports whether a path exists, links followed.
func pathExists(dir string) bool {
	_, err := filepath.EvalSymlinks(dir)
	return err == nil
}
