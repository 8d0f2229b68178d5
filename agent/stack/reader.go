package stack

import "encoding/binary"

// byteReader reads numbers from the front of bytes. At the end it returns zeros and sets bad.
type byteReader struct {
	b   []byte
	bad bool
}

// bytes reads n bytes.
func (r *byteReader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// fixed reads a little-endian number of 1, 2, 4 or 8 bytes.
func (r *byteReader) fixed(n uint64) uint64 {
	var b [8]byte
	copy(b[:], r.bytes(n))
	return binary.LittleEndian.Uint64(b[:])
}

// signed reads a little-endian number of 1, 2, 4 or 8 bytes in two's complement.
func (r *byteReader) signed(n uint64) int64 {
	shift := 64 - 8*n
	return int64(r.fixed(n)<<shift) >> shift
}

// uleb reads an unsigned LEB128 number. Bits above the 64th are dropped.
func (r *byteReader) uleb() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := r.fixed(1)
		if shift < 64 {
			v |= (b & 0x7f) << shift
		}
		if b&0x80 == 0 {
			return v
		}
	}
}

// sleb reads a signed LEB128 number. Bits above the 64th are dropped.
func (r *byteReader) sleb() (v int64) {
	for shift := 0; ; {
		b := r.fixed(1)
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 {
			if shift < 64 && b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// text reads a zero-terminated string.
func (r *byteReader) text() string {
	for i, c := range r.b {
		if c == 0 {
			return string(r.bytes(uint64(i) + 1)[:i])
		}
	}
	r.b, r.bad = nil, true
	return ""
}
