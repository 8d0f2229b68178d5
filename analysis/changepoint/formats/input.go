package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// Input is one history as it was read. Its runs are in the order of time.
type Input struct {
	changepoint.Series
	// NumberID says that the ID was a number in the input.
	NumberID bool
	// App, Shape, Metric and Unit name the series for people; "" is not said.
	App, Shape, Metric, Unit string
	// Given is the time of each run as it stood in the input.
	Given []Moment
	// Order is the position in the input of each run; nil where that is its
	// position here.
	Order []int
	// Calendar says that T counts days from the beginning of 1970, UTC.
	Calendar bool
	Notes    []note.Note
	// Bad says that the series could not be read: it has an ID and notes only.
	Bad bool
}

// Unit is what a number means as a time.
type Unit string

const (
	Days    Unit = "day"
	Seconds Unit = "s" // since the beginning of 1970, UTC
)

// Limits bound what is read. A file of 100,000 runs with 24 nodes each has 20 MB.
type Limits struct {
	Bytes   int64 // of the whole input
	Line    int   // bytes of one line
	Runs    int   // of all series
	Series  int
	Columns int // of a CSV file
}

// Options say how to read.
type Options struct {
	Name   string // of the file, for errors
	Unit   Unit
	Limits Limits
}

// Default returns the options for a file of the given name.
func Default(name string) Options {
	return Options{Name: name, Unit: Days,
		Limits: Limits{Bytes: 2 << 30, Line: 256 << 20, Runs: 20_000_000, Series: 1_000_000, Columns: 1000}}
}

// errTooLarge is what a reader says beyond its limits.
var errTooLarge = errors.New("too large")

// Read reads all histories of an input; the format is known by its content.
func Read(r io.Reader, o Options) ([]Input, error) {
	in := bufio.NewReaderSize(&bounded{r: r, left: o.Limits.Bytes}, 1<<16)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3)
	}
	first, skipped, err := skipBlank(in)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: read: %w", o.Name, err)
	}
	switch first {
	case 0:
		return nil, fmt.Errorf("%s: read: there is no data in it", o.Name)
	case '{':
		return readLines(in, skipped, o)
	case '[':
		return nil, fmt.Errorf("%s:%d: read: a JSON list: lines of one object each are wanted", o.Name, skipped+1)
	}
	return readCSV(in, skipped, o)
}

// skipBlank discards empty lines and returns the first other character, which
// stays unread, and how many lines were skipped. Comments are CSV's: they stay,
// unless a brace follows them.
func skipBlank(in *bufio.Reader) (first byte, lines int, err error) {
	for {
		c, err := in.ReadByte()
		if err != nil {
			return 0, lines, err
		}
		switch c {
		case ' ', '\t', '\r':
		case '\n':
			lines++
		case '#':
			for c != '\n' {
				if c, err = in.ReadByte(); err != nil {
					return 0, lines, err
				}
			}
			lines++
		default:
			return c, lines, in.UnreadByte()
		}
	}
}

// bounded is a reader that fails, and does not just end, after so many bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("more bytes than the limit: %w", errTooLarge)
	}
	return n, err
}

// bad is a series that could not be read; its place in the list is kept.
func bad(id, why string) Input {
	in := Input{Bad: true, Notes: []note.Note{note.New(note.BadSeries, "%s: the series is not analysed", why)}}
	in.ID = id
	return in
}

// lineID names a series that has no id: the number of its line, from 0.
func lineID(line int) string { return strconv.Itoa(line) }
