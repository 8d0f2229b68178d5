package table

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// endless is an input that never ends: a head, then the same text repeatedly, like a small compressed file that
// unpacks to a large one. It counts the bytes that were read.
type endless struct {
	head, again string
	read        int64
}

// newEndless returns an endless input.
func newEndless(head, again string) *endless {
	return &endless{head: head, again: strings.Repeat(again, 1+1<<14/len(again))}
}

func (e *endless) Read(b []byte) (int, error) {
	if len(e.head) == 0 {
		e.head = e.again
	}
	n := copy(b, e.head)
	e.head = e.head[n:]
	e.read += int64(n)
	return n, nil
}

// Reading an endless input of any content ends at a limit, with an error that names the limit, after little more
// than the limit was read.
func TestEndlessInputs(t *testing.T) {
	limits := Limits{Bytes: 8 << 20, Document: 1 << 20, Line: 1 << 19, Rows: 10_000, Values: 100_000, Series: 1000,
		Columns: 100}
	runs := func(r io.Reader) error {
		o := DefaultRuns("f")
		o.Limits = limits
		_, _, err := ReadRuns(r, o)
		return err
	}
	measurements := func(r io.Reader) error {
		o := DefaultMeasurements("f")
		o.Limits = limits
		_, err := ReadMeasurements(r, o)
		return err
	}
	samples := func(r io.Reader) error {
		_, err := ReadSamples(r, SampleOptions{Name: "f", Values: limits.Values, RateHz: 100})
		return err
	}
	fields := ""
	for i := range 90 {
		fields += fmt.Sprintf(",f%d", i)
	}
	wide := strings.Repeat(",x", 90)
	entry := `{"t":[1,2,3,4,5,6,7,8],"y":[1,2,3,4,5,6,7,8],"nodes":[[],[],[],[],[],[],[],[]]}` + "\n"
	for name, c := range map[string]struct {
		read        func(io.Reader) error
		head, again string
		maxBytes    int64
	}{
		"changes: blanks of a document":    {runs, "{\n", " ", 5 << 19},
		"changes: numbers of a document":   {runs, "{\n\"results\":[{\"times\":[", "1,", 5 << 19},
		"changes: a line":                  {runs, "{\"t\":[1],\"y\":[1],\"id\":\"", "x", 5 << 19},
		"changes: many series":             {runs, "", entry, 5 << 19},
		"changes: rows of many fields":     {runs, "t,value" + fields + "\n", "1,2" + wide + "\n", 5 << 19},
		"changes: rows":                    {runs, "t,value\n", "1,2\n", 5 << 19},
		"scaling: blanks of a document":    {measurements, "{\n", " ", 5 << 19},
		"scaling: rows":                    {measurements, "p,value\n", "1,2\n", 5 << 19},
		"scaling: a line":                  {measurements, `{"id":"`, "x", 5 << 19},
		"scaling: many series":             {measurements, "", `{"p":[1,2,4,8,16],"y":[1,2,4,8,16]}` + "\n", 5 << 19},
		"periods: rows":                    {samples, "t_s,value\n", "1,2\n", 5 << 19},
		"periods: rows that are not plain": {samples, "t_s,value\n", "1,\"2\"\n", 5 << 19},
		"periods: numbers of four bytes":   {samples, "\x00\x00\x00\x00", "\x00\x00\x80\x3f", 5 << 19},
		"periods: a line":                  {samples, "t_s,value\n1,", "2", 40 << 20},
		"periods: events of perf stat":     {samples, "", "1.0,5,,cycles,1,100,,\n2.0,5,,cycles,1,100,,\n", 8 << 20},
	} {
		in := newEndless(c.head, c.again)
		err := c.read(in)
		if !errors.Is(err, errTooLarge) || !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("%s: error %v after %d bytes", name, err, in.read)
		}
		if in.read > c.maxBytes {
			t.Errorf("%s: %d bytes were read, want at most %d", name, in.read, c.maxBytes)
		}
	}
}
