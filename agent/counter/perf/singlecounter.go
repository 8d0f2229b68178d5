package perf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"jobgait/agent/rawcall"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SingleCounter is one open event, outside of a group, that counts all activity of a device. Events of PMUs that belong
// to no CPU count system-wide only, on a CPU of their mask, take no exclude bits and cannot sample.
type SingleCounter struct{ fd int }

// OpenSingleCounter opens one event of a PMU, by the PMU's type and the event's config, on a CPU.
func OpenSingleCounter(open Opener, pmuType uint32, config uint64, cpu int) (SingleCounter, error) {
	attr := unix.PerfEventAttr{Type: pmuType, Config: config}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := open(&attr, -1, cpu, -1, 0)
	if err != nil {
		return SingleCounter{}, fmt.Errorf("open the perf event %#x of PMU type %d on CPU %d: %w", config, pmuType, cpu, err)
	}
	return SingleCounter{fd}, nil
}

// errNoCount is returned for an event whose CPU went offline.
var errNoCount = errors.New("the perf event returned no count, because its CPU went offline: its values are missing")

// Read returns the count since it was opened.
func (a SingleCounter) Read() (uint64, error) {
	var b [8]byte
	n, err := rawcall.Read(a.fd, b[:])
	if err != nil {
		return 0, os.NewSyscallError("read", err)
	}
	if n != len(b) {
		return 0, errNoCount
	}
	return binary.NativeEndian.Uint64(b[:]), nil
}

// Close closes the event.
func (a SingleCounter) Close() error { return os.NewSyscallError("close", unix.Close(a.fd)) }
