package profile

import (
	"encoding/binary"
	"hash/crc32"
)

// A profile is a sequence of frames:
//
//	magic    4 bytes
//	kind     1 byte
//	length   4 bytes, little-endian, of the payload
//	checksum 4 bytes, little-endian, CRC32C of kind, length and payload
//	payload
//
// The magic begins with a byte that is not text, so that the first byte distinguishes a profile from a CSV
// file.
const (
	magic     = "\x8bJGP"
	frameSize = 13
)

// The kinds of frame. A reader skips kinds that it does not know.
const (
	headerFrame   = 'H' // JSON Header, first in the file
	blockFrame    = 'B' // a Block, see encode.go
	overviewFrame = 'O' // of the blocks before it, see overview.go
	binsFrame     = 'C' // Bins of the block before it, see bins.go
	placesFrame   = 'P' // Places of the run so far, see places.go
	windowsFrame  = 'U' // GPUWindows, see windows.go
	epochFrame    = 'E' // JSON Epoch
	footerFrame   = 'F' // JSON Footer, last in the file
)

// castagnoli is the table of CRC32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// IsProfile reports whether a file that begins with the bytes head is a profile.
func IsProfile(head []byte) bool {
	return len(head) > len(magic) && string(head[:len(magic)]) == magic && head[len(magic)] == headerFrame
}

// openFrame appends frameSize empty bytes for a frame's magic, kind, length and checksum; the payload follows.
func openFrame(dst []byte) []byte {
	return append(dst, make([]byte, frameSize)...)
}

// sealFrame fills in the first frameSize bytes of a frame: magic, kind, length and checksum of the payload
// behind them.
func sealFrame(frame []byte, kind byte) {
	copy(frame, magic)
	frame[4] = kind
	binary.LittleEndian.PutUint32(frame[5:], uint32(len(frame)-frameSize))
	binary.LittleEndian.PutUint32(frame[9:], frameChecksum(frame))
}

// frameChecksum returns the CRC32C that a whole frame must carry.
func frameChecksum(frame []byte) uint32 {
	sum := crc32.Update(0, castagnoli, frame[4:9])
	return crc32.Update(sum, castagnoli, frame[frameSize:])
}

// frameLength returns the length of the frame that begins with head, which has at least frameSize bytes; false
// if head is not the start of a frame, or of one with a payload of more than maxPayload bytes.
func frameLength(head []byte) (int, bool) {
	if len(head) < frameSize || string(head[:4]) != magic {
		return 0, false
	}
	n := binary.LittleEndian.Uint32(head[5:])
	if n > maxPayload {
		return 0, false
	}
	return frameSize + int(n), true
}

// frameIntact reports whether the checksum of a whole frame is correct.
func frameIntact(frame []byte) bool {
	return binary.LittleEndian.Uint32(frame[9:]) == frameChecksum(frame)
}
