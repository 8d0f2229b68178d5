package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// SampleOptions holds the options for reading a file of samples.
type SampleOptions struct {
	// Name is the name of the input in messages.
	Name string
	// Columns are the user's own choice: Value is the only column that is read, or the
	// name of a group of columns.
	Columns Columns
	// RateHz is the number of samples per second; 0 means 1 / median step.
	RateHz float64
	// Size is the length of the input in bytes, if known: memory is then allocated once.
	Size int64
	// Values bounds the times and values that are stored; 0 means maxSamples.
	Values int
}

// maxValues returns the most times and values that are stored: o.Values, or maxSamples if that is 0.
func (o SampleOptions) maxValues() int {
	if o.Values > 0 {
		return o.Values
	}
	return maxSamples
}

// Samples holds the columns of a file of samples.
type Samples struct {
	Reading
	// Set has StepS 0 if the file has fewer than two times and no rate was given.
	Set series.Set
	// Offsets holds the number to be added to the values of each column.
	Offsets []float64
	Notes   []note.Note
}

// ErrEmpty is returned for an input without a single byte.
var ErrEmpty = errors.New("the input is empty: want CSV, a profile or float32 samples")

// ErrNoRate is returned for samples without times and without a rate.
var ErrNoRate = errors.New("the samples carry no times: give their rate in Hz")

// headSize is the number of bytes that are examined to distinguish text from binary numbers.
const headSize = 512

// ReadSamples reads samples. The first bytes decide on the format: text is read as CSV, anything else as raw float32.
// An empty input is ErrEmpty.
func ReadSamples(r io.Reader, o SampleOptions) (Samples, error) {
	br, ok := r.(*bufio.Reader)
	if !ok || br.Size() < headSize {
		br = bufio.NewReaderSize(r, 1<<16)
	}
	head, err := br.Peek(headSize)
	switch {
	case len(head) == 0 && (err == nil || err == io.EOF):
		return Samples{}, fmt.Errorf("%s: read the samples: %w", o.Name, ErrEmpty)
	case len(head) == 0:
		return Samples{}, fmt.Errorf("%s: read the samples: %w", o.Name, err)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("PK\x03\x04")), looksLikeLines(head):
		return readSampleRows(br, o)
	}
	return readFloat32(br, o)
}

// looksLikeLines reports whether the beginning of a file is printable text with lines or fields: float32
// samples have zero bytes or broken UTF-8 in every hundred of them.
func looksLikeLines(head []byte) bool {
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

// maxPlainValue is the size above which values of a column are stored as differences from its first value:
// float32 has a resolution of 1/16 there.
const maxPlainValue = 1e6

// sampleTable holds the rows read of a CSV file, in the order of its lines.
type sampleTable struct {
	*csvReader
	rowTimeSource
	kept   []int // column of the file of each column that is kept
	field  []int // what becomes of each column of the file: keptTime, skipped, or an index of kept
	units  []string
	t      times
	v      []floats
	row    []float64 // values of the row being read, as v
	offset []float64 // NaN until the first value
	n      int
	sorted bool
	learned
	last float64
	// infinite counts values that float32 does not hold.
	infinite int
}

// rowTimeSource is how the time of a row is read.
type rowTimeSource struct {
	time   int // column of the time, -1 if absent
	scale  float64
	rateHz float64 // for rows without a time
}

// learned is the layout of the newest rows, how many rows passed since one was learned last, and after how many the
// next is.
type learned struct {
	layout             rowLayout
	unlike, layoutWait int
}

const (
	keptTime = -1
	skipped  = -2
)

// sampleLine bounds one line: a file without line ends must not fill the memory.
const sampleLine = 1 << 24

// readSampleRows reads a CSV file of samples, or the output of perf stat, and returns its samples on a regular grid.
func readSampleRows(r io.Reader, o SampleOptions) (Samples, error) {
	limits := DefaultLimits()
	limits.Bytes, limits.Line, limits.Values = math.MaxInt64, sampleLine, o.maxValues()
	in := newSource(r, o.Name, limits)
	if err := in.begin(); err != nil {
		return Samples{}, err
	}
	first, _, err := in.sample(1)
	if err != nil {
		return Samples{}, err
	}
	if len(first) > 0 {
		if err := unsupportedSamples(first[0], in.buf[in.lo:in.hi]); err != nil {
			return Samples{}, fmt.Errorf("%s: read the samples: %w", o.Name, err)
		}
	}
	reader, err := openCSV(in)
	if err != nil {
		return Samples{}, err
	}
	c := &sampleTable{csvReader: reader, sorted: true, last: math.Inf(-1), rowTimeSource: rowTimeSource{rateHz: o.RateHz}}
	if reader.isPerf() {
		err = c.readPerf(o.Columns.Value)
	} else if err = c.chooseColumns(o.Columns); err == nil {
		err = c.read()
	}
	if err != nil {
		return Samples{}, err
	}
	s, err := c.grid(o)
	if err != nil {
		return Samples{}, fmt.Errorf("%s: read the samples: %w", o.Name, err)
	}
	s.Reading = Reading{Columns: c.describe(c.understood()), Cut: in.cutText()}
	if c.infinite > 0 {
		s.Notes = append(s.Notes, note.New(note.ValuesInfinite,
			"the file has %s, infinite or too large to be stored: treated as missing", quantity.Plural(c.infinite, "value")))
	}
	return s, nil
}

// read reads all rows: plain ones by fastRows, others cell by cell.
func (c *sampleTable) read() error {
	for {
		if err := c.fastRows(); err != nil {
			return err
		}
		if err := c.checkSize(); err != nil {
			return err
		}
		cells, err := c.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.add(cells); err != nil {
			if err := c.badRow(c.n, err); err != nil {
				return err
			}
			return nil
		}
	}
}

// chooseColumns decides for each column of the file whether it is the time, stored or skipped. It stores all columns of
// numbers, or, if the user named a value, only that column or the columns of that group.
func (c *sampleTable) chooseColumns(by Columns) error {
	if err := c.chooseTime(by.Time); err != nil {
		return err
	}
	c.field = make([]int, len(c.names))
	for i, name := range c.names {
		switch k := c.kind(i); {
		case i == c.time:
			c.field[i] = keptTime
		case by.Value == "" && k != texts && k != dates,
			by.Value != "" && (name == by.Value || strings.HasPrefix(name, by.Value+":")):
			c.field[i] = len(c.kept)
			c.kept = append(c.kept, i)
		default:
			c.field[i] = skipped
		}
	}
	switch {
	case len(c.kept) == 0 && by.Value != "":
		_, err := c.column(by.Value)
		return errOr(err, "%s: column %q holds the times: choose a column of samples", c.in.name, short(by.Value))
	case len(c.kept) == 0 && len(c.names) > 1: // the first row will be the error
		c.kept = []int{(c.time + 1) % len(c.names)}
		c.field[c.kept[0]] = 0
	case len(c.kept) == 0:
		return c.in.fail("the file has no column besides the time column %s: want a column of samples",
			short(c.names[0]))
	}
	c.v, c.units = make([]floats, len(c.kept)), make([]string, len(c.kept))
	c.offset, c.row = make([]float64, len(c.kept)), make([]float64, len(c.kept))
	for i := range c.offset {
		c.offset[i] = math.NaN()
	}
	return nil
}

// errOr returns err, or a new error if it is nil.
func errOr(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return fmt.Errorf(format, args...)
}

// chooseTime finds the column of the time: the one that the user named, one with a known name, or the first if it never
// decreases. It sets scale, by which numbers are divided to get seconds, from the unit in the column's name, else from
// their size. Without such a column the rows have the given rate; without a rate it returns an error.
func (c *sampleTable) chooseTime(named string) (err error) {
	c.scale = 1
	if named != "" {
		if c.time, err = c.column(named); err != nil {
			return err
		}
	} else {
		names := append([]string{"t s", "time s"}, timeNames...)
		if c.time = c.find(names, func(i int) bool { return c.kind(i) == texts }); c.time < 0 {
			c.time = c.find(names, noneTaken) // the first row will be the error
		}
		if c.time < 0 && c.grows(0) {
			c.time = 0
		}
	}
	if c.time < 0 {
		if !(c.rateHz > 0) {
			return fmt.Errorf("%s: no column of times among %.200s: name one with --time, or give the rate with --rate",
				c.in.name, strings.Join(c.names, ", "))
		}
		return nil
	}
	unit := nameOf(c.names[c.time]).timeUnit()
	if unit == Auto {
		largest := 0.0
		for _, row := range c.sample {
			if v, ok := parseFloat(row[c.time]); ok && math.Abs(v) > largest {
				largest = math.Abs(v)
			}
		}
		unit = unitOf(largest)
	}
	c.scale = max(1, unit.perSecond())
	return nil
}

// grows reports whether column i holds times that never decrease in the first rows. It returns false if the
// table has no other column.
func (c *sampleTable) grows(i int) bool {
	last := math.Inf(-1)
	for _, row := range c.sample {
		t, err := c.timeOf([]byte(row[i]))
		if err != nil || t < last {
			return false
		}
		last = t
	}
	return len(c.names) > 1 && len(c.sample) > 0
}

// timeOf reads the time of a row in seconds.
func (c *sampleTable) timeOf(cell []byte) (float64, error) {
	t, _, ok := c.number(cell)
	if !ok {
		at, err := parseTime(string(cell))
		if err != nil {
			return 0, fmt.Errorf("parse the time of the row: %w", err)
		}
		return float64(at.Unix()) + float64(at.Nanosecond())/1e9, nil
	}
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return 0, fmt.Errorf("time %q of the row is invalid: want a finite number", short(cell))
	}
	return t / c.scale, nil
}

// add stores one row. It returns an error if the time or a value cannot be read, or if a unit differs from that of the
// rows before. Without a column of times, the time is the row's index divided by the rate.
func (c *sampleTable) add(cells [][]byte) error {
	t := float64(c.n) / c.rateHz
	if c.time >= 0 {
		var err error
		if t, err = c.timeOf(cells[c.time]); err != nil {
			return err
		}
	}
	for k, i := range c.kept {
		v, unit, ok := c.number(cells[i])
		if !ok {
			return fmt.Errorf("column %s: invalid value %q: want a number", c.names[i], short(cells[i]))
		}
		if math.IsNaN(v) {
			unit = c.units[k]
		}
		if c.units[k] == noUnit && c.n == 0 || math.IsNaN(c.offset[k]) {
			c.units[k] = unit
		}
		if unit != c.units[k] {
			return fmt.Errorf("column %s: the unit of %q differs from that of the rows before: use one unit", c.names[i],
				short(cells[i]))
		}
		c.row[k] = v
	}
	c.t.add(t)
	c.keepRow(t)
	return nil
}

// checkSize returns an error if more is stored than the limit of values.
func (c *sampleTable) checkSize() error {
	if c.n*(len(c.kept)+1) <= c.in.limits.Values {
		return nil
	}
	return c.in.fail("read: more than %d values in %s of %s (choose a column with --column): %w", c.in.limits.Values,
		quantity.Plural(c.n, "row"), quantity.Plural(len(c.kept), "column"), errTooLarge)
}

// keepRow stores the values of a row whose time was stored.
func (c *sampleTable) keepRow(t float64) {
	for k, v := range c.row {
		c.v[k].add(c.keep(k, v))
	}
	c.sorted = c.sorted && t >= c.last
	c.last = t
	c.n++
}

// keep returns the value as stored: its difference from the offset of column k in single precision. The first
// value of a column sets the offset: to itself if it exceeds maxPlainValue, else to 0. Values too large for
// single precision are counted and stored as missing.
func (c *sampleTable) keep(k int, v float64) float32 {
	if math.IsNaN(v) {
		return series.Missing()
	}
	if math.Abs(v) > math.MaxFloat32 {
		c.infinite++
		return series.Missing()
	}
	if math.IsNaN(c.offset[k]) {
		c.offset[k] = 0
		if math.Abs(v) > maxPlainValue {
			c.offset[k] = v
		}
	}
	return float32(v - c.offset[k])
}

// understood returns a text that says which columns are used for what.
func (c *sampleTable) understood() string {
	const maxNamed = 5
	var names []string
	for _, i := range c.kept[:min(len(c.kept), maxNamed)] {
		names = append(names, c.names[i])
	}
	if more := len(c.kept) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	out := "time = "
	switch {
	case c.time < 0:
		out += "row number / rate"
	default:
		out += c.names[c.time]
	}
	switch c.scale {
	case 1e3:
		out += " (milliseconds)"
	case 1e6:
		out += " (microseconds)"
	case 1e9:
		out += " (nanoseconds)"
	}
	if len(c.kept) == 1 {
		return out + ", value = " + names[0]
	}
	return out + ", values = " + strings.Join(names, ", ")
}
