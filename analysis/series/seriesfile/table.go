package seriesfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// Options say how a file is read.
type Options struct {
	// Name is what messages call the input.
	Name string
	// Column, if not "", is the only column that is read, or the name of a
	// group of columns.
	Column string
	// RateHz is the number of samples per second; 0 means 1 / median step.
	RateHz float64
	// Size is the length of the input in bytes where it is known: memory is
	// then taken once.
	Size int64
}

// Table is what a file held.
type Table struct {
	// Set has StepS 0 if the file has fewer than two times and no rate was
	// given.
	Set series.Set
	// Offsets is what has to be added to the values of each column.
	Offsets []float64
	Notes   []note.Note
}

// ErrEmpty is returned for an input without a single byte.
var ErrEmpty = errors.New("the input is empty")

// ErrNoRate is returned for float32 input without a rate.
var ErrNoRate = errors.New("float32 samples carry no times: give their rate in Hz")

// headSize is how much of an input is looked at to tell text from numbers.
const headSize = 512

// Read reads CSV or float32, whichever the input's first bytes look like.
func Read(r io.Reader, o Options) (Table, error) {
	br, ok := r.(*bufio.Reader)
	if !ok || br.Size() < headSize {
		br = bufio.NewReaderSize(r, 1<<16)
	}
	head, err := br.Peek(headSize)
	switch {
	case len(head) == 0 && (err == nil || err == io.EOF):
		return Table{}, fmt.Errorf("read %s: %w", o.Name, ErrEmpty)
	case len(head) == 0:
		return Table{}, fmt.Errorf("read %s: %w", o.Name, err)
	case isText(head):
		return readCSV(br, o)
	}
	return readFloat32(br, o)
}

// isText says of the beginning of a file that people can read it and that it has
// lines or fields: float32 samples have zero bytes or broken UTF-8 in every
// hundred of them.
func isText(head []byte) bool {
	if !bytes.ContainsAny(head, "\n,") {
		return false
	}
	for len(head) > 0 {
		c, n := utf8.DecodeRune(head)
		if c == utf8.RuneError && n == 1 {
			return len(head) < utf8.UTFMax && !utf8.FullRune(head) // cut off by the peek
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return false
		}
		head = head[n:]
	}
	return true
}

// grouped gives columns GROUP:NAME their group, where at least two have it. The
// pages of a profile that was exported are found again that way.
func grouped(cols []series.Column) {
	members := map[string]int{}
	group := func(name string) string {
		g, _, ok := strings.Cut(name, ":")
		if !ok {
			return ""
		}
		return g
	}
	for _, c := range cols {
		members[group(c.Name)]++
	}
	for i, c := range cols {
		if g := group(c.Name); g != "" && members[g] > 1 {
			cols[i].Group = g
			if g == "code" {
				cols[i].Unit = "samples"
			}
		}
	}
}
