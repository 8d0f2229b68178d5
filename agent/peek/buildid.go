package peek

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

var errELF = errors.New("the program file has no build id: link it with --build-id")

// Limits for files that a user can write: a normal file has about ten program headers and a few hundred bytes
// of notes.
const (
	maxHeaders = 64
	maxNotes   = 1 << 16
)

// BuildID returns the build id of an ELF file: the note NT_GNU_BUILD_ID (3) of owner "GNU". See elf(5). It
// returns errELF for other files and without a build id.
func BuildID(r io.ReaderAt) ([]byte, error) {
	var head [64]byte
	if n, _ := r.ReadAt(head[:], 0); n < 52 || !bytes.HasPrefix(head[:], []byte("\x7fELF")) {
		return nil, errELF
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[5] == 2 {
		order = binary.BigEndian
	}
	wide := head[4] == 2
	var at, size, n uint64
	if wide {
		at, size, n = order.Uint64(head[32:]), uint64(order.Uint16(head[54:])), uint64(order.Uint16(head[56:]))
	} else {
		at, size, n = uint64(order.Uint32(head[28:])), uint64(order.Uint16(head[42:])), uint64(order.Uint16(head[44:]))
	}
	if size < 32 || size > 256 || n > maxHeaders || at > 1<<40 || wide && size < 56 {
		return nil, errELF
	}
	for i := range n {
		h := make([]byte, size)
		if _, err := r.ReadAt(h, int64(at+i*size)); err != nil {
			return nil, errELF
		}
		if id := buildIDInSegment(r, order, wide, h); id != nil {
			return id, nil
		}
	}
	return nil, errELF
}

// buildIDInSegment returns the build id in the note segment of a program header h; nil for other segments or
// without one.
func buildIDInSegment(r io.ReaderAt, order binary.ByteOrder, wide bool, h []byte) []byte {
	const ptNote = 4
	if order.Uint32(h) != ptNote {
		return nil
	}
	offset, size := uint64(order.Uint32(h[4:])), uint64(order.Uint32(h[16:]))
	if wide {
		offset, size = order.Uint64(h[8:]), order.Uint64(h[32:])
	}
	if size > maxNotes || offset > 1<<40 {
		return nil
	}
	notes := make([]byte, size)
	if _, err := r.ReadAt(notes, int64(offset)); err != nil {
		return nil
	}
	return findBuildID(order, notes)
}

// findBuildID returns the build id among ELF notes, nil without one. A note has sizes of name and content,
// type, name and content, each padded to 4 bytes.
func findBuildID(order binary.ByteOrder, b []byte) []byte {
	for len(b) >= 12 {
		name, content, kind := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), order.Uint32(b[8:])
		b = b[12:]
		padded := (name + 3) &^ 3
		if padded > uint64(len(b)) || content > uint64(len(b))-padded {
			return nil
		}
		if kind == 3 && string(b[:name]) == "GNU\x00" && content > 0 && content <= 64 {
			return b[padded : padded+content]
		}
		b = b[min(padded+(content+3)&^3, uint64(len(b))):]
	}
	return nil
}
