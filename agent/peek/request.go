package peek

import (
	"encoding/binary"
	"errors"
	"jobgait/agent/as"
	"os"
	"path/filepath"
	"strings"
)

// ProcFile names a file of /proc/PID that can be requested.
type ProcFile uint8

// The files below /proc/PID, and the build ids of what they name.
const (
	Cmdline ProcFile = iota
	Environ
	Maps
	Program // where the link exe points to
	// ProgramBuild is the build id of the program in hex, else a hash of its size
	// and time; MappedBuild the raw build id of the file that is mapped at Area.
	ProgramBuild
	MappedBuild
	// IO is the account of bytes; reading it waits for a process that is in the middle of an exec.
	IO
)

// VDSO is the path in /proc/PID/maps of the vdso, the kernel's code that is mapped into each process. It is the same
// in all processes of a node, and no file has this path.
const VDSO = "[vdso]"

// ProcRequest is a request to read one file of one process.
type ProcRequest struct {
	File ProcFile
	PID  int
	Max  int // largest size of the answer in bytes
	Area Area
}

// Area is a mapping: its address range, and the inode of the file that must be mapped there.
type Area struct{ Start, End, Inode uint64 }

// Reader reads files of other processes. Ask returns an error if the process is gone, may not be read, or
// blocks its readers.
type Reader interface {
	Ask(ProcRequest) ([]byte, error)
}

// NoProgram is the program name of a process whose executable cannot be read.
const NoProgram = "?"

// maxLink is the largest length of a path, PATH_MAX.
const maxLink = 4096

// ProgramOf returns the base name of a process's executable, NoProgram if it cannot be read.
func ProgramOf(r Reader, pid int) string {
	path, err := r.Ask(ProcRequest{File: Program, PID: pid, Max: maxLink})
	if err != nil || len(path) == 0 {
		return NoProgram
	}
	return filepath.Base(strings.TrimSuffix(string(path), " (deleted)"))
}

// requestBytes is the length of an encoded request.
const requestBytes = 40

// encode returns the request in binary form, with its sequence number.
func (q ProcRequest) encode(seq uint32) []byte {
	b := binary.NativeEndian.AppendUint32(make([]byte, 0, requestBytes), seq)
	b = binary.NativeEndian.AppendUint32(b, uint32(q.File))
	b = binary.NativeEndian.AppendUint32(b, uint32(q.PID))
	b = binary.NativeEndian.AppendUint32(b, uint32(q.Max))
	for _, v := range []uint64{q.Area.Start, q.Area.End, q.Area.Inode} {
		b = binary.NativeEndian.AppendUint64(b, v)
	}
	return b
}

// decodeRequest decodes what encode returns.
func decodeRequest(b []byte) (q ProcRequest, seq uint32) {
	n := func(i int) uint32 { return binary.NativeEndian.Uint32(b[4*i:]) }
	wide := func(i int) uint64 { return binary.NativeEndian.Uint64(b[16+8*i:]) }
	return ProcRequest{File: ProcFile(n(1)), PID: int(int32(n(2))), Max: int(n(3)),
		Area: Area{wide(0), wide(1), wide(2)}}, n(0)
}

// reply is the child's reply: the sequence number of the request, whether the read succeeded, the child's CPU
// time so far and the time of the read (CLOCK_MONOTONIC) in ns, and the content.
type reply struct {
	seq    uint32
	ok     bool
	cpuNS  int64
	readNS int64
	text   []byte
}

const replyHeadBytes = 32

// content returns the bytes that were read, os.ErrNotExist if the read failed.
func (a reply) content() ([]byte, error) {
	if !a.ok {
		return nil, os.ErrNotExist
	}
	return a.text, nil
}

// encode returns the reply in binary form.
func (a reply) encode() []byte {
	ok := uint32(0)
	if a.ok {
		ok = 1
	}
	b := binary.NativeEndian.AppendUint32(make([]byte, 0, replyHeadBytes+len(a.text)), a.seq)
	b = binary.NativeEndian.AppendUint32(b, ok)
	b = binary.NativeEndian.AppendUint64(b, uint64(a.cpuNS))
	b = binary.NativeEndian.AppendUint64(b, uint64(a.readNS))
	b = binary.NativeEndian.AppendUint64(b, uint64(len(a.text)))
	return append(b, a.text...)
}

// errMalformedAnswer is returned for an answer that the child program never writes.
var errMalformedAnswer = errors.New("the child that reads /proc returned a malformed answer: it is discarded")

// cutReply decodes the first reply in b and returns the bytes after it. ok is false if the reply is incomplete;
// an error means that b is not a reply.
func cutReply(b []byte) (a reply, rest []byte, ok bool, err error) {
	if len(b) < replyHeadBytes {
		return reply{}, b, false, nil
	}
	size := binary.NativeEndian.Uint64(b[24:])
	if size > maxAnswer {
		return reply{}, nil, false, errMalformedAnswer
	}
	if uint64(len(b)) < replyHeadBytes+size {
		return reply{}, b, false, nil
	}
	a = reply{seq: binary.NativeEndian.Uint32(b), ok: binary.NativeEndian.Uint32(b[4:]) == 1,
		cpuNS: int64(binary.NativeEndian.Uint64(b[8:])), readNS: int64(binary.NativeEndian.Uint64(b[16:])),
		text: b[replyHeadBytes : replyHeadBytes+size]}
	return a, b[replyHeadBytes+size:], true, nil
}

// maxAnswer limits what is read of one process at once, in bytes: 8 MiB of maps.
const maxAnswer = as.MaxPeekAnswer
