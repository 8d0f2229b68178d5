package export

import (
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// groupS is how many seconds a row group has: it is what is held in memory.
const groupS = 60

// parquetSink writes a file with a column for each of the profile's.
type parquetSink struct {
	w      io.Writer
	file   *parquet.Writer
	stepNS int64
	inRow  []int // place of each column in a row, behind that of the time
	timeAt int
	rows   []parquet.Row
	cells  []parquet.Value
}

func (s *parquetSink) begin(h profile.Header, _ int64, columns []series.Column) error {
	s.stepNS = h.StepNS
	group := parquet.Group{"t_s": parquet.Leaf(parquet.DoubleType)}
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(max(1, groupS*1e9/h.StepNS)), parquet.Compression(&parquet.Zstd),
		parquet.KeyValueMetadata("jobgait.node", h.Node), parquet.KeyValueMetadata("jobgait.key", h.Key.String()),
		parquet.KeyValueMetadata("jobgait.step_s", strconv.FormatFloat(float64(h.StepNS)/1e9, 'g', -1, 64)),
		parquet.KeyValueMetadata("jobgait.unit:t_s", "s"),
	}
	for _, c := range columns {
		group[c.Name] = parquet.Optional(parquet.Leaf(parquet.FloatType))
		options = append(options, parquet.KeyValueMetadata("jobgait.unit:"+c.Name, c.Unit),
			parquet.KeyValueMetadata("jobgait.scope:"+c.Name, string(c.Scope)))
	}
	for _, c := range h.Columns {
		if c.Hz > 0 {
			options = append(options, parquet.KeyValueMetadata("jobgait.hz:"+c.Name, strconv.FormatFloat(c.Hz, 'g', -1, 64)))
		}
	}
	schema := parquet.NewSchema("profile", group)
	place := map[string]int{}
	for i, path := range schema.Columns() {
		place[path[0]] = i
	}
	s.timeAt = place["t_s"]
	for _, c := range columns {
		s.inRow = append(s.inRow, place[c.Name])
	}
	s.file = parquet.NewWriter(s.w, append(options, schema)...)
	return nil
}

func (s *parquetSink) add(c profile.Chunk, columns []series.Column) error {
	n, width := len(columns[0].Values), 1+len(columns)
	if len(s.cells) < n*width {
		s.cells, s.rows = make([]parquet.Value, n*width), make([]parquet.Row, n)
	}
	for i := range n {
		row := s.cells[i*width : (i+1)*width]
		row[s.timeAt] = parquet.DoubleValue(float64(c.TimeNS+int64(i)*s.stepNS)/1e9).Level(0, 0, s.timeAt)
		for k, column := range columns {
			at := s.inRow[k]
			if v := column.Values[i]; v == v {
				row[at] = parquet.FloatValue(v).Level(0, 1, at)
			} else {
				row[at] = parquet.NullValue().Level(0, 0, at)
			}
		}
		s.rows[i] = row
	}
	_, err := s.file.WriteRows(s.rows[:n])
	return err
}

func (s *parquetSink) end() error { return s.file.Close() }
