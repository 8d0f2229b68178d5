package seriesfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one line: a file without line ends must not fill the memory.
const maxLine = 1 << 24

// lines goes through a stream line by line without copying them.
type lines struct {
	*bufio.Scanner
	number int // of the line that next returned, from 1
}

func newLines(r io.Reader) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<18), maxLine)
	return &lines{Scanner: s}
}

// next returns the next line without its end; it is valid until the call after.
// The error is io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	if l.Scan() {
		l.number++
		return l.Bytes(), nil
	}
	if err := l.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d bytes", l.number+1, maxLine)
	} else if err != nil {
		return nil, err
	}
	return nil, io.EOF
}
