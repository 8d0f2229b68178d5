package perf

import (
	"errors"
	"io/fs"
	"path/filepath"

	perfutils "github.com/hodgesds/perf-utils"
)

// tracepoint is an event of the kernel's own making.
type tracepoint struct{ name, unit, subsystem, event string }

// tracepoints are counted where tracefs is mounted and readable: nothing is
// mounted for it. System calls stand last: they cost most, and what is given up
// takes along all that stands behind it.
func tracepoints() []tracepoint {
	return []tracepoint{
		{"block_requests", "requests", "block", "block_rq_issue"},
		{"net_queued", "packets", "net", "net_dev_queue"},
		{"net_received", "packets", "net", "netif_receive_skb"},
		{"syscalls", "calls", "raw_syscalls", "sys_enter"},
	}
}

var (
	errNoTraceFS    = errors.New("tracefs is not mounted")
	errNoTracepoint = errors.New("this kernel has no such tracepoint")
	errTraceID      = errors.New("not permitted: only root may read the ids of tracepoints")
)

// id finds the number of a tracepoint, at the two places where tracefs is
// mounted by custom, else wherever this machine has it.
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
		case exists(events):
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

func exists(dir string) bool {
	_, err := filepath.EvalSymlinks(dir)
	return err == nil
}
