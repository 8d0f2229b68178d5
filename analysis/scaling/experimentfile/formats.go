// Package experimentfile reads and writes measurements for scaling models.
//
// A stream of anybody's numbers comes in, known by its content and not by its
// name; series for analysis/scaling go out, in the order of the input. Read are
//
//   - CSV: `param,rep,value`, `param,value`, or columns named in a header;
//   - series lines: one {"id":..,"p":[..],"y":[number or [repetitions],..]} a line;
//   - Extra-P's text, JSON, legacy JSON (it has the key "callpaths") and JSON Lines.
//
// Extra-P's formats may vary several parameters. A series varies one: each
// combination of the others' values is a series of its own if it has three
// values or more, and File.Left counts those that have fewer.
//
// Written are Extra-P's text, JSON and JSON Lines. Read back they give the same
// series.
//
// A malformed line is an error that names the input and the line, and nothing
// is read then: half of a file would give another model in silence. A whole
// object whose lists do not fit each other is one bad series: it keeps its place,
// empty and with a note. A number
// that is not useful (a missing value, p = 0) is no malformed line: it is passed
// on, and the analysis says what it thinks of it. Memory and time are bounded
// by the bytes of the input, of which there may be 128 MB.
package experimentfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"jobgait/analysis/scaling"
)

// Format is a way to write measurements down.
type Format string

const (
	CSV         Format = "csv"
	SeriesLines Format = "series lines"
	Text        Format = "Extra-P text"
	JSON        Format = "Extra-P JSON"
	LegacyJSON  Format = "Extra-P legacy JSON"
	JSONLines   Format = "Extra-P JSON Lines"
)

// File is what one input holds.
type File struct {
	Format Format
	Series []scaling.Series
	// Numbers says of each series whether its id was a number in the input, so
	// that it can be given back as one. It is shorter than Series, or nil, where
	// the rest are text.
	Numbers []bool
	// Left is how many combinations of several parameters were left out for
	// having fewer than three values of the one that varies.
	Left int
}

// mostBytes is far beyond honest input: 100,000 points take 4 MB. In memory a value takes
// some ninety bytes.
const mostBytes = 128 << 20

// bounded fails beyond so many bytes: half of a file would give another model in silence.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the input is larger than %d MB", mostBytes>>20)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Read reads one input; name stands for it in errors.
func Read(r io.Reader, name string) (File, error) {
	in := newLines(&bounded{r, mostBytes}, name)
	first, err := in.nextContent()
	if err == io.EOF {
		return File{}, fmt.Errorf("%s: no measurements in it", name)
	}
	if err != nil {
		return File{}, err
	}
	switch first = bytes.TrimSpace(first); {
	case first[0] == '{' || first[0] == '[':
		return readJSON(in, first)
	case isKeyword(first):
		return readText(in, string(first))
	}
	return readCSV(in, string(first))
}

// readJSON tells the JSON formats apart by the keys of the first object.
func readJSON(in *lines, first []byte) (File, error) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(first, &keys) != nil {
		return readDocument(in, first)
	}
	has := func(name string) bool { return keys[name] != nil }
	switch {
	case has("measurements"):
		return readDocument(in, first)
	case has("params"):
		return readPointLines(in, first)
	case has("p") || has("y"):
		return readSeriesLines(in, first)
	case has("schema"):
		return File{}, in.fail("this is a result, not measurements")
	}
	return File{}, in.fail(`no measurements in this object: it has neither "p" and "y", nor "params", nor "measurements"`)
}

// lines reads a stream line by line and counts them from 1.
type lines struct {
	r      *bufio.Reader
	name   string
	number int
}

func newLines(r io.Reader, name string) *lines {
	br := bufio.NewReaderSize(r, 1<<16)
	if bom, _ := br.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3)
	}
	return &lines{r: br, name: name}
}

// fail is an error about the line that was read last.
func (in *lines) fail(format string, args ...any) error { return in.failAt(in.number, format, args...) }

func (in *lines) failAt(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", in.name, line, fmt.Errorf(format, args...))
}

// next returns the next line without its end; io.EOF is the end of the input.
// The bytes are the caller's.
func (in *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := in.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, in.failAt(in.number+1, "read: %w", err)
		}
		in.number++
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// nextContent skips empty lines and comments.
func (in *lines) nextContent() ([]byte, error) {
	for {
		line, err := in.next()
		if err != nil {
			return nil, err
		}
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return line, nil
		}
	}
}

// rest returns first and all that follows it, for formats that are one document.
func (in *lines) rest(first []byte) ([]byte, error) {
	more, err := io.ReadAll(in.r)
	if err != nil {
		return nil, in.fail("read: %w", err)
	}
	return append(append(first, '\n'), more...), nil
}

// short cuts text that is quoted in a message.
func short(s string) string {
	const most = 40
	if s = strings.ToValidUTF8(s, "?"); len([]rune(s)) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return s
}
