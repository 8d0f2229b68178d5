package table

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// errTooLarge is the error beyond a limit of Limits; every message that wraps it names the limit.
var errTooLarge = errors.New("the limit is exceeded: split it into smaller parts")

// Limits bound what is read.
type Limits struct {
	Bytes    int64 // of the whole input, unpacked
	Document int64 // bytes of an input that is read as a whole: one JSON document
	Line     int   // bytes of one line
	Rows     int   // runs or measurements of all series
	Values   int   // numbers and texts of all series
	Series   int
	Columns  int // of a CSV file
}

// tooManyRuns returns the error for a file with more than most runs.
func tooManyRuns(most int) error {
	return fmt.Errorf("the file has more than %d runs: %w", most, errTooLarge)
}

// DefaultLimits returns bounds far beyond honest input: a file of 100,000 runs with 24
// nodes each has 20 MB and 3 million values. A packed file of some MB reaches any of them, so each bounds the
// memory: 16 million values need 1 GB at most.
func DefaultLimits() Limits {
	return Limits{Bytes: 2 << 30, Document: 64 << 20, Line: 64 << 20, Rows: 5_000_000, Values: 16_000_000,
		Series: 200_000, Columns: 1 << 14}
}

// source reads a text line by line without copying. It skips a byte-order mark and
// counts lines from 1.
type source struct {
	r      io.Reader
	name   string
	limits Limits
	buf    []byte
	lo, hi int // unread part of buf
	total  int64
	ended  bool // r has no more
	broken bool // r ended in the middle: part of a packed file is missing
	number int  // of the line that next returned last
	open   bool // that line had no line end
	cut    int  // line in which the input ends, 0 if it is complete
	// content names what the input holds in messages, "" for a file of no certain kind.
	content string
}

const firstBuffer = 1 << 18

// newSource returns a source that reads r; name is for messages.
func newSource(r io.Reader, name string, limits Limits) *source {
	return &source{r: r, name: name, limits: limits, buf: make([]byte, firstBuffer)}
}

// begin checks that the input is text and skips a byte-order mark.
func (s *source) begin() error {
	for s.hi < 1<<12 && !s.ended {
		if err := s.fill(); err != nil {
			return fmt.Errorf("%s: read the input: %w", s.name, err)
		}
	}
	head := s.buf[:s.hi]
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fmt.Errorf("%s: read: the file is UTF-16: save it as UTF-8", s.name)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return fmt.Errorf("%s: read: the file is a spreadsheet or a zip file: save the sheet as CSV", s.name)
	case !isText(head) && !isLammpsLog(head): // a compressed log may follow one of LAMMPS, whose reader says so
		return fmt.Errorf("%s: read: the file is not text: want CSV, JSON lines or an Extra-P file, in UTF-8, packed "+
			"with gzip or not", s.name)
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		s.lo = 3
	}
	return nil
}

// isText reports whether an input that begins with head is text: no byte 0, and few bytes that are not UTF-8
// (an old name in Latin-1 may be there).
func isText(head []byte) bool {
	odd := 0
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if r == 0 {
			return false
		}
		if r == utf8.RuneError && size == 1 {
			odd++
		}
		i += size
	}
	const few, oneIn = 8, 20
	return odd <= few || odd*oneIn <= len(head)
}

// fill reads more bytes into the buffer, enlarging it if necessary. At the end of the input it sets ended,
// and broken too if a compressed input is cut off.
func (s *source) fill() error {
	if s.lo > 0 {
		s.hi = copy(s.buf, s.buf[s.lo:s.hi])
		s.lo = 0
	}
	if s.hi == len(s.buf) {
		if len(s.buf) > s.limits.Line {
			return fmt.Errorf("a line has more than %d bytes: %w", s.limits.Line, errTooLarge)
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := io.ReadAtLeast(s.r, s.buf[s.hi:], 1)
	s.hi += n
	if s.total += int64(n); s.total > s.limits.Bytes {
		return fmt.Errorf("the input is larger than %d MB: %w", s.limits.Bytes>>20, errTooLarge)
	}
	switch {
	case err == io.EOF:
		s.ended = true
	case errors.Is(err, io.ErrUnexpectedEOF):
		s.ended, s.broken = true, true
	case err != nil:
		return err
	}
	return nil
}

// next returns the next line without its end; it is valid until the next call. After
// the last line the error is io.EOF. A last line that a broken packed file cuts is not
// returned.
func (s *source) next() ([]byte, error) {
	seen := 0
	for {
		if i := bytes.IndexByte(s.buf[s.lo+seen:s.hi], '\n'); i >= 0 {
			line := s.buf[s.lo : s.lo+seen+i]
			if len(line) > s.limits.Line {
				return nil, s.failAt(s.number+1, "the line has more than %d bytes: %w", s.limits.Line, errTooLarge)
			}
			s.lo += seen + i + 1
			s.number, s.open = s.number+1, false
			return trimCR(line), nil
		}
		seen = s.hi - s.lo
		if s.ended {
			return s.last()
		}
		if err := s.fill(); err != nil {
			return nil, s.failAt(s.number+1, "read the input: %w", err)
		}
	}
}

// last returns the text behind the last line end. It returns io.EOF if none is left, and for a compressed input that is
// cut off: the rest is then lost, and cut is set.
func (s *source) last() ([]byte, error) {
	line := s.buf[s.lo:s.hi]
	if len(line) > s.limits.Line {
		return nil, s.failAt(s.number+1, "the line has more than %d bytes: %w", s.limits.Line, errTooLarge)
	}
	s.lo = s.hi
	if s.broken {
		s.cut = s.number + 1
		return nil, io.EOF
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	s.number, s.open = s.number+1, true
	return trimCR(line), nil
}

// nextContent returns the next line that is neither empty nor a comment.
func (s *source) nextContent() ([]byte, error) {
	for {
		line, err := s.next()
		if err != nil || isContent(line) {
			return line, err
		}
	}
}

// isContent reports whether a line is neither empty nor a comment.
func isContent(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] != '#'
}

// sample returns the first lines with content, at most n, without consuming them, and
// the last comment before the first of them. It looks at no more than maxSample bytes
// unless the first two lines are longer.
func (s *source) sample(n int) (lines [][]byte, comment []byte, err error) {
	const maxSample = 1 << 17
	for {
		lines, comment = lines[:0], nil
		at := s.lo
		for len(lines) < n {
			i := bytes.IndexByte(s.buf[at:s.hi], '\n')
			if i < 0 {
				break
			}
			line := trimCR(s.buf[at : at+i])
			if isContent(line) {
				lines = append(lines, line)
			} else if len(lines) == 0 && len(bytes.TrimSpace(line)) > 0 {
				comment = line
			}
			at += i + 1
		}
		if s.ended {
			if line := trimCR(s.buf[at:s.hi]); len(lines) < n && !s.broken && isContent(line) {
				lines = append(lines, line)
			}
			return lines, comment, nil
		}
		if len(lines) == n || len(lines) >= 2 && s.hi-s.lo >= maxSample {
			return lines, comment, nil
		}
		for more := true; more; more = s.hi < len(s.buf) && !s.ended {
			if err := s.fill(); err != nil {
				return nil, nil, s.failAt(1, "read the input: %w", err)
			}
		}
	}
}

// rest reads and returns the whole unread input, for formats that are one document.
func (s *source) rest() ([]byte, error) {
	for !s.ended {
		if int64(s.hi-s.lo) > s.limits.Document {
			return nil, fmt.Errorf("%s: read: the JSON document has more than %d MB: %w", s.name, s.limits.Document>>20,
				errTooLarge)
		}
		if s.hi == len(s.buf) && s.lo == 0 { // the bound is that of a document, not of a line
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		if err := s.fill(); err != nil {
			return nil, fmt.Errorf("%s: read the input: %w", s.name, err)
		}
	}
	all := s.buf[s.lo:s.hi]
	s.lo = s.hi
	return all, nil
}

// countEntries returns an upper bound of the numbers, texts and lists in JSON text, without parsing it.
func countEntries(text []byte) int {
	return bytes.Count(text, []byte{','}) + bytes.Count(text, []byte{'['}) + bytes.Count(text, []byte{'{'})
}

// dropCut reports whether a fault in the line that was read last may be due to the end of the input: it is the last
// line, has no line end and is not the first. If so, it marks that line as cut off.
func (s *source) dropCut() bool {
	if s.open && s.ended && s.lo == s.hi && s.number > 1 {
		s.cut = s.number
		return true
	}
	return false
}

// cutText describes an input that ends too early, "" if it is complete.
func (s *source) cutText() string {
	switch {
	case s.cut == 0:
		return ""
	case s.broken:
		return fmt.Sprintf("the compressed %s is cut off in line %d, only the lines before were read: copy it again",
			cmp.Or(s.content, "file"), s.cut)
	}
	return fmt.Sprintf("the %s ends within line %d, only the lines before were read: write it again",
		cmp.Or(s.content, "input"), s.cut)
}

// fail returns an error about the line that was read last.
func (s *source) fail(format string, args ...any) error { return s.failAt(s.number, format, args...) }

// failAt returns an error about the given line.
func (s *source) failAt(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.name, line, fmt.Errorf(format, args...))
}

// trimCR returns b without a carriage return at its end.
func trimCR(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}

// short returns text for a quotation in a message: its first 40 characters, with "..." behind them if there are more,
// and with "?" for invalid UTF-8.
func short[T ~string | ~[]byte](text T) string {
	const maxRunes = 40
	s := strings.ToValidUTF8(string(text[:min(len(text), 8*maxRunes)]), "?")
	if r := []rune(s); len(r) > maxRunes {
		s = string(r[:maxRunes]) + "..."
	}
	return s
}
