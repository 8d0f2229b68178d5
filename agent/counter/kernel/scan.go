package kernel

import (
	"bytes"
	"errors"

	"jobgait/agent/counter/polled"
)

// errUnexpectedFormat means that a file does not have its documented format.
var errUnexpectedFormat = errors.New("the kernel's file for this counter does not have its documented format")

// cutLine returns the first line of b, without its newline, and the bytes after it.
func cutLine(b []byte) (line, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// isSpace reports whether c is a blank or a tab.
func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// cutField returns the first word of b, empty if b has no word, and the bytes after it.
func cutField(b []byte) (field, rest []byte) {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for i := range b {
		if isSpace(b[i]) {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// cutFields returns b without its first n words.
func cutFields(b []byte, n int) []byte {
	for range n {
		_, b = cutField(b)
	}
	return b
}

// cutNumber parses a decimal number after spaces and returns the rest. ok is false without a number, or if it
// is polled.NoCell or larger.
func cutNumber(b []byte) (v uint64, rest []byte, ok bool) {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	n := 0
	for ; n < len(b) && b[n] >= '0' && b[n] <= '9'; n++ {
		digit := uint64(b[n] - '0')
		if v > (polled.NoCell-digit)/10 {
			return 0, nil, false
		}
		v = v*10 + digit
	}
	// NoCell itself would read as "no value".
	return v, b[n:], n > 0 && v != polled.NoCell
}

// cutNumbers fills n with the decimal numbers at the beginning of a line; false if there are fewer.
func cutNumbers(b []byte, n []uint64) (ok bool) {
	for k := range n {
		if n[k], b, ok = cutNumber(b); !ok {
			return false
		}
	}
	return true
}

// findKey returns the number in the line "key value" or "key: value" of a file's contents; false without such a
// line.
func findKey(b []byte, key string) (uint64, bool) {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest := cutField(line)
		if string(bytes.TrimSuffix(name, []byte(":"))) == key {
			v, _, ok := cutNumber(rest)
			return v, ok
		}
	}
	return 0, false
}

// indexOf returns the index of a name, -1 if it is not among them. It allocates nothing.
func indexOf(names []string, name []byte) int {
	for i, n := range names {
		if n == string(name) {
			return i
		}
	}
	return -1
}
