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

// Alone is an open event by itself that counts all that a device does: those of PMUs
// that are no CPU's count system-wide only, on a CPU of their mask, take no exclude bits
// and cannot sample.
type Alone struct{ fd int }

// OpenAlone opens an event of a PMU's type.
func OpenAlone(open Opener, pmuType uint32, config uint64, cpu int) (Alone, error) {
	attr := unix.PerfEventAttr{Type: pmuType, Config: config}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := open(&attr, -1, cpu, -1, 0)
	if err != nil {
		return Alone{}, fmt.Errorf("open on CPU %d: %w", cpu, err)
	}
	return Alone{fd}, nil
}

// errNoCount is what an event says whose CPU went offline.
var errNoCount = errors.New("the event has no count")

// Read returns the count since it was opened.
func (a Alone) Read() (uint64, error) {
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

// Close closes it.
func (a Alone) Close() error { return os.NewSyscallError("close", unix.Close(a.fd)) }
