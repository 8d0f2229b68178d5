// Package export writes a profile in forms that other programs read. In comes a
// profile, block by block; out goes CSV or the float32 of one column.
//
// CSV has the header t_s,NAME.. that `jobgait periods` reads, one row for each
// slot that a block has, times in seconds since the run began, and nothing
// between two commas where a value is missing. Float32 is one column on the whole grid, little-endian, NaN where there
// is nothing. CPU is CSV too, of the code on the job's own clock: cpu_s,t_s,NAME.., a row for each bin.
//
// It exports columns that are read less often than every ten steps only if they are named: the values between
// two readings are interpolated, and a search for periods would find the interval of reading. It merges no
// slots. Its memory is that of a block: an hour with code addresses takes 5 MB (80 MB of CSV in 1.4 s, on a
// busy machine). pyarrow and DuckDB read the CSV and write Parquet.
package export

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// Format is an export format.
type Format int

// The formats: CSV and Float32 have samples of equal wall time, CPU is CSV with samples of equal CPU time.
const (
	CSV Format = iota
	Float32
	CPU
)

// ExportOptions select the format and the columns of an export.
type ExportOptions struct {
	Format Format
	// Column is the name of a column or of a group; "" = all.
	Column string
}

// Caveats are the rate in Hz, the number of rows and the damage of an exported profile, for a message beside
// the output.
type Caveats struct {
	RateHz float64
	Rows   int64
	Damage profile.Damage
}

// ErrColumn is returned if no column is selected, more than one for Float32, or a column's name is not valid in
// CSV.
var ErrColumn = errors.New("cannot export the column")

// sink takes the chosen columns of chunks.
type sink interface {
	begin(h profile.Header, slots int64, columns []series.Column) error
	add(c profile.Chunk, columns []series.Column) error
	end() error
}

// Write exports the columns of the profile at path that o selects to w. It returns the rate, the number of rows and the
// damage of the profile, as far as they are known at an error.
func Write(w io.Writer, path string, o ExportOptions) (Caveats, error) {
	if o.Format == CPU {
		return writeCPU(w, path, o)
	}
	c, err := profile.OpenChunks(path)
	if err != nil {
		return Caveats{}, err
	}
	defer c.Close()
	h := c.Header()
	chosen, err := o.chooseColumns(h, c.Columns())
	if err != nil {
		return Caveats{}, err
	}
	r := Caveats{RateHz: 1e9 / float64(h.StepNS)}
	s := o.sink(w)
	if err := s.begin(h, c.Slots(), pickColumns(nil, c.Columns(), chosen)); err != nil {
		return r, err
	}
	var columns []series.Column
	for {
		chunk, err := c.Next()
		if err == io.EOF {
			break
		}
		columns = pickColumns(columns[:0], chunk.Columns, chosen)
		if err := s.add(chunk, columns); err != nil {
			return r, err
		}
		r.Rows += int64(len(columns[0].Values))
	}
	r.Damage = c.Damage()
	return r, s.end()
}

// sink returns the writer for the options' format.
func (o ExportOptions) sink(w io.Writer) sink {
	if o.Format == Float32 {
		return &floatSink{w: newBuffer(w)}
	}
	return &csvSink{w: newBuffer(w)}
}

// chooseColumns returns the indexes of the columns to write: those with the name or group o.Column or, if that is "",
// all that are not read seldom. It returns ErrColumn if no column is selected, if Float32 selects more than one, or if
// the name of any column cannot be in CSV or occurs twice.
func (o ExportOptions) chooseColumns(h profile.Header, columns []series.Column) ([]int, error) {
	var out []int
	names, there := []string{}, map[string]bool{"": true, "t_s": true}
	for i, c := range columns {
		if there[c.Name] || strings.ContainsAny(c.Name, ",\"\r\n") {
			return nil, fmt.Errorf("%w: its name %q is reserved, occurs twice or is not valid in CSV", ErrColumn, c.Name)
		}
		there[c.Name] = true
		names = append(names, c.Name)
		if c.Name == o.Column || o.Column != "" && c.Group == o.Column || o.Column == "" && !h.ReadSeldom(c.Name) {
			out = append(out, i)
		}
	}
	switch {
	case len(out) == 0 && o.Column != "":
		return nil, fmt.Errorf("%w %q: it is not in the profile, which has %s", ErrColumn, o.Column, joinNames(names))
	case len(out) == 0:
		return nil, fmt.Errorf("%w: the profile has no columns, or only such that are read seldom: name one with "+
			"--column", ErrColumn)
	case o.Format == Float32 && len(out) > 1:
		return nil, fmt.Errorf("%w: float32 writes one column: name one of %s", ErrColumn, joinNames(names))
	}
	return out, nil
}

// joinNames joins up to 30 names by commas.
func joinNames(names []string) string {
	const maxNames = 30
	if len(names) > maxNames {
		names = append(names[:maxNames:maxNames], "...")
	}
	return strings.Join(names, ", ")
}

// pickColumns appends the chosen columns to dst.
func pickColumns(dst, columns []series.Column, chosen []int) []series.Column {
	for _, i := range chosen {
		dst = append(dst, columns[i])
	}
	return dst
}
