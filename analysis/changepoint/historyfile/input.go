package historyfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

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
	if head, _ := in.Peek(in.Size()); !isText(head) {
		return nil, fmt.Errorf("%s: read: this is no text: CSV or lines of JSON are wanted, in UTF-8, packed with gzip or not", o.Name)
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

// isText says whether a file that begins so is one: no byte 0, and hardly anything
// that is no UTF-8, which an old name in Latin-1 may be.
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

// markRepeated notes where an id names more than one series.
func markRepeated(all []Input) {
	first := make(map[string]int, len(all))
	for i := range all {
		k, ok := first[all[i].ID]
		if !ok {
			first[all[i].ID] = i
			continue
		}
		all[i].Notes = append(all[i].Notes, note.New(note.RepeatedID, "series %d of the input, counted from 0, has the same id: --series means that one", k))
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
