package peek

import (
	"encoding/binary"
	"errors"
	"jobgait/agent/as"
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

// ProcQuestion is one thing to be read of one process.
type ProcQuestion struct {
	File ProcFile
	PID  int
	Max  int // bytes of an answer
	Area Area
}

// Area is a mapping: its addresses, and the inode of the file that must be there.
type Area struct{ Start, End, Inode uint64 }

// Reader answers questions. An error means that there is no answer: the process is
// gone, may not be asked, or does not let itself be asked.
type Reader interface {
	Ask(ProcQuestion) ([]byte, error)
}

// NoProgram is the name of a program that could not be found out.
const NoProgram = "?"

// maxLink is a path's length at most, PATH_MAX.
const maxLink = 4096

// ProgramOf returns the base name of a process's executable.
func ProgramOf(r Reader, pid int) string {
	path, err := r.Ask(ProcQuestion{File: Program, PID: pid, Max: maxLink})
	if err != nil || len(path) == 0 {
		return NoProgram
	}
	return filepath.Base(strings.TrimSuffix(string(path), " (deleted)"))
}

// questionBytes is the length of a question on its way to the child.
const questionBytes = 40

func (q ProcQuestion) encode(seq uint32) []byte {
	b := binary.NativeEndian.AppendUint32(make([]byte, 0, questionBytes), seq)
	b = binary.NativeEndian.AppendUint32(b, uint32(q.File))
	b = binary.NativeEndian.AppendUint32(b, uint32(q.PID))
	b = binary.NativeEndian.AppendUint32(b, uint32(q.Max))
	for _, v := range []uint64{q.Area.Start, q.Area.End, q.Area.Inode} {
		b = binary.NativeEndian.AppendUint64(b, v)
	}
	return b
}

func decodeQuestion(b []byte) (q ProcQuestion, seq uint32) {
	n := func(i int) uint32 { return binary.NativeEndian.Uint32(b[4*i:]) }
	wide := func(i int) uint64 { return binary.NativeEndian.Uint64(b[16+8*i:]) }
	return ProcQuestion{File: ProcFile(n(1)), PID: int(int32(n(2))), Max: int(n(3)),
		Area: Area{wide(0), wide(1), wide(2)}}, n(0)
}

// answer is what the child says: to which question, whether it could, what it has
// used of CPU time so far, in nanoseconds, and the bytes.
type answer struct {
	seq   uint32
	ok    bool
	cpuNS int64
	text  []byte
}

const answerHead = 24

func (a answer) encode() []byte {
	ok := uint32(0)
	if a.ok {
		ok = 1
	}
	b := binary.NativeEndian.AppendUint32(make([]byte, 0, answerHead+len(a.text)), a.seq)
	b = binary.NativeEndian.AppendUint32(b, ok)
	b = binary.NativeEndian.AppendUint64(b, uint64(a.cpuNS))
	b = binary.NativeEndian.AppendUint64(b, uint64(len(a.text)))
	return append(b, a.text...)
}

// errGarbled is returned for an answer that the child program never writes.
var errGarbled = errors.New("the reader of processes returned no valid answer")

// cutAnswer takes the first answer off b. It is not whole when ok is false, and
// none at all with an error.
func cutAnswer(b []byte) (a answer, rest []byte, ok bool, err error) {
	if len(b) < answerHead {
		return answer{}, b, false, nil
	}
	size := binary.NativeEndian.Uint64(b[16:])
	if size > maxAnswer {
		return answer{}, nil, false, errGarbled
	}
	if uint64(len(b)) < answerHead+size {
		return answer{}, b, false, nil
	}
	a = answer{seq: binary.NativeEndian.Uint32(b), ok: binary.NativeEndian.Uint32(b[4:]) == 1,
		cpuNS: int64(binary.NativeEndian.Uint64(b[8:])), text: b[answerHead : answerHead+size]}
	return a, b[answerHead+size:], true, nil
}

// maxAnswer bounds what is read of one process at once: 8 MiB of maps.
const maxAnswer = as.PeekAnswer
