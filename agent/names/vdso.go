package names

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"unsafe"

	"jobgait/agent/peek"
)

// maxVDSO limits the size of the vdso in bytes: it has two to four pages.
const maxVDSO = 1 << 20

var errNoVDSO = errors.New("this process has no vdso")

// OpenVDSO opens a copy of the vdso, the kernel's code that is mapped into each process, from this process's memory.
func OpenVDSO() (*ELFFile, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(maps) {
		f := bytes.Fields(line)
		if len(f) != 6 || string(f[5]) != peek.VDSO {
			continue
		}
		from, to, _ := bytes.Cut(f[0], []byte("-"))
		start, err := strconv.ParseUint(string(from), 16, 64)
		end, err2 := strconv.ParseUint(string(to), 16, 64)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		if end <= start || end-start > maxVDSO {
			break
		}
		return Open(bytes.NewReader(bytes.Clone(unsafe.Slice((*byte)(ownMemory(start)), end-start))))
	}
	return nil, errNoVDSO
}

// ownMemory converts an address of permanently mapped memory of this process to a pointer.
func ownMemory(addr uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
