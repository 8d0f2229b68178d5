package export

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// newBuffer returns a buffered writer with 64 KB.
func newBuffer(w io.Writer) *bufio.Writer { return bufio.NewWriterSize(w, 1<<16) }

// csvSink writes CSV: the header t_s,NAME.. and a row for each slot.
type csvSink struct {
	w      *bufio.Writer
	row    []byte
	stepNS int64
}

// begin writes the header line.
func (s *csvSink) begin(h profile.Header, _ int64, columns []series.Column) error {
	s.stepNS = h.StepNS
	s.row = append(s.row, "t_s"...)
	for _, c := range columns {
		s.row = append(append(s.row, ','), c.Name...)
	}
	return s.flush()
}

// flush writes the collected row with a line feed to the buffer and begins a new one.
func (s *csvSink) flush() error {
	_, err := s.w.Write(append(s.row, '\n'))
	s.row = s.row[:0]
	return err
}

// add writes a row for each slot of the chunk.
func (s *csvSink) add(c profile.Chunk, columns []series.Column) error {
	for i := range columns[0].Values {
		s.row = appendSeconds(s.row, c.TimeNS+int64(i)*s.stepNS)
		s.row = appendValues(s.row, columns, i)
		if err := s.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendValues appends the values of row i to the line, nothing for a missing value.
func appendValues(row []byte, columns []series.Column, i int) []byte {
	for _, column := range columns {
		row = append(row, ',')
		if v := column.Values[i]; !series.IsMissing(v) {
			row = strconv.AppendFloat(row, float64(v), 'g', -1, 32)
		}
	}
	return row
}

// end flushes the buffered output.
func (s *csvSink) end() error { return s.w.Flush() }

// appendSeconds appends nanoseconds as decimal seconds, exactly and without trailing zeros.
func appendSeconds(dst []byte, ns int64) []byte {
	if ns < 0 {
		if ns == math.MinInt64 {
			ns++
		}
		dst, ns = append(dst, '-'), -ns
	}
	dst = strconv.AppendInt(dst, ns/1e9, 10)
	rest := ns % 1e9
	if rest == 0 {
		return dst
	}
	digits := strconv.AppendInt(nil, 1e9+rest, 10)[1:]
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return append(append(dst, '.'), digits...)
}
