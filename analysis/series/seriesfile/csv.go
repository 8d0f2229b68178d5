package seriesfile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// timeColumn is what the first column is called.
const timeColumn = "t_s"

// maxColumns bounds the header.
const maxColumns = 1 << 14

// far is the value beyond which a column is kept as a difference: float32 has a
// resolution of 1/16 there.
const far = 1e6

// rows is what was read of a CSV file, in the order of its lines.
type rows struct {
	names  []string // of the columns that are kept
	field  []int    // kept column of each field behind the time, -1 to skip
	t      []float64
	v      [][]float32
	offset []float64 // NaN until the first value
	n      int
	sorted bool
	last   float64
	// infinite counts values that float32 does not hold.
	infinite int
}

// readCSV reads a header line and rows.
func readCSV(r io.Reader, o Options) (Table, error) {
	l := newLines(r)
	c, err := header(l, o)
	if err != nil {
		return Table{}, err
	}
	for {
		line, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Table{}, fmt.Errorf("read %s: %w", o.Name, err)
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := c.add(line); err != nil {
			return Table{}, fmt.Errorf("read %s:%d: %w", o.Name, l.number, err)
		}
	}
	t, err := c.grid(o)
	if err != nil {
		return Table{}, fmt.Errorf("read %s: %w", o.Name, err)
	}
	if c.infinite > 0 {
		t.Notes = append(t.Notes, note.New(note.ValuesInfinite, "%s infinite, or too large to be kept: taken for missing", note.Count(c.infinite, "value")))
	}
	return t, nil
}

// header reads lines up to the header and chooses the columns.
func header(l *lines, o Options) (*rows, error) {
	line, err := l.next()
	for err == nil && (len(bytes.TrimSpace(line)) == 0 || line[0] == '#') {
		line, err = l.next()
	}
	if err == io.EOF {
		return nil, fmt.Errorf("read %s: no header line %q", o.Name, timeColumn+",NAME")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.Name, err)
	}
	fields := strings.Split(strings.TrimPrefix(string(line), "\ufeff"), ",")
	for i, f := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(f), `"`)
	}
	if fields[0] != timeColumn || len(fields) < 2 {
		return nil, fmt.Errorf("read %s:%d: the header is %.60q, not %q", o.Name, l.number, line, timeColumn+",NAME,..")
	}
	if len(fields) > maxColumns {
		return nil, fmt.Errorf("read %s:%d: %d columns", o.Name, l.number, len(fields))
	}
	c := &rows{sorted: true, last: math.Inf(-1)}
	seen := map[string]bool{}
	for _, f := range fields[1:] {
		if f == "" || seen[f] {
			return nil, fmt.Errorf("read %s:%d: column %q has no name of its own", o.Name, l.number, f)
		}
		seen[f] = true
		k := -1
		if o.Column == "" || f == o.Column || strings.HasPrefix(f, o.Column+":") {
			k = len(c.names)
			c.names = append(c.names, f)
		}
		c.field = append(c.field, k)
	}
	if len(c.names) == 0 {
		return nil, fmt.Errorf("read %s: no column %q: there are %.200s", o.Name, o.Column, strings.Join(fields[1:], ", "))
	}
	c.v = make([][]float32, len(c.names))
	c.offset = make([]float64, len(c.names))
	for i := range c.offset {
		c.offset[i] = math.NaN()
	}
	return c, nil
}

// add takes one row.
func (c *rows) add(line []byte) error {
	end := bytes.IndexByte(line, ',')
	if end < 0 {
		return fmt.Errorf("1 field, the header has %d", 1+len(c.field))
	}
	t, ok := number(line[:end])
	if !ok || math.IsNaN(t) || math.IsInf(t, 0) {
		return fmt.Errorf("time %.40q is not a number", line[:end])
	}
	at := end + 1
	for i, k := range c.field {
		if at > len(line) {
			return fmt.Errorf("%d fields, the header has %d", 1+i, 1+len(c.field))
		}
		end := at
		for end < len(line) && line[end] != ',' {
			end++
		}
		if k >= 0 {
			v, ok := number(line[at:end])
			if !ok {
				return fmt.Errorf("column %s: %.40q is not a number", c.names[k], line[at:end])
			}
			c.v[k] = append(c.v[k], c.keep(k, v))
		}
		at = end + 1
	}
	if at <= len(line) {
		return fmt.Errorf("more fields than the header's %d", 1+len(c.field))
	}
	c.sorted = c.sorted && t >= c.last
	c.last = t
	c.t = append(c.t, t)
	c.n++
	return nil
}

// keep returns what is stored of a value.
func (c *rows) keep(k int, v float64) float32 {
	if v != v {
		return series.Missing()
	}
	if math.Abs(v) > math.MaxFloat32 {
		c.infinite++
		return series.Missing()
	}
	if math.IsNaN(c.offset[k]) {
		c.offset[k] = 0
		if math.Abs(v) > far {
			c.offset[k] = v
		}
	}
	return float32(v - c.offset[k])
}
