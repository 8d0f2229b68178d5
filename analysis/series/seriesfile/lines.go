package seriesfile

import (
	"bytes"
	"fmt"
	"io"
)

// maxLine bounds one line: a file without line ends must not fill the memory.
const maxLine = 1 << 24

// lines goes through a stream line by line without copying them.
type lines struct {
	r      io.Reader
	buf    []byte
	lo, hi int
	number int // of the line that next returned, from 1
	ended  bool
}

func newLines(r io.Reader) *lines { return &lines{r: r, buf: make([]byte, 1<<18)} }

// next returns the next line without its end; it is valid until the call after.
// The error is io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	seen := 0
	for {
		if i := bytes.IndexByte(l.buf[l.lo+seen:l.hi], '\n'); i >= 0 {
			line := l.buf[l.lo : l.lo+seen+i]
			l.lo += seen + i + 1
			l.number++
			return trimCR(line), nil
		}
		seen = l.hi - l.lo
		if l.ended {
			if seen == 0 {
				return nil, io.EOF
			}
			line := l.buf[l.lo:l.hi]
			l.lo = l.hi
			l.number++
			return trimCR(line), nil
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more behind what is left.
func (l *lines) fill() error {
	if l.lo > 0 {
		copy(l.buf, l.buf[l.lo:l.hi])
		l.hi -= l.lo
		l.lo = 0
	}
	if l.hi == len(l.buf) {
		if len(l.buf) >= maxLine {
			return fmt.Errorf("line %d is longer than %d bytes", l.number+1, maxLine)
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := io.ReadAtLeast(l.r, l.buf[l.hi:], 1)
	l.hi += n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		l.ended = true
		return nil
	}
	return err
}

func trimCR(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}
