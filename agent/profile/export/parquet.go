package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// groupS is how many seconds a row group has: it is what is held in memory.
const groupS = 60

// parquetSink writes a Parquet file: t_s, then a column for each of the
// profile's, missing values as null. It is the smallest such file: one page a
// column and row group, plain values, zstd. See the format's document
// (parquet-format, README and parquet.thrift).
//
// It is our own, and the library reads it back in the test: linked into the
// program the library reads random numbers before main (in versions with
// protobuf, also its own executable), and where there are no descriptors left
// that ends `jobgait run` before the user's command has begun.
type parquetSink struct {
	w      io.Writer
	zstd   *zstd.Encoder
	stepNS int64
	names  []string
	rows   int // of a group
	times  []float64
	values [][]float32
	at     int64 // bytes written
	groups []rowGroup
	keys   [][2]string
	page   []byte
	packed []byte
}

// rowGroup is what the end of the file says of one.
type rowGroup struct {
	rows   int
	chunks []chunk
}

// chunk is a column of a row group: where its page is, and its size with header.
type chunk struct {
	offset        int64
	packed, plain int
}

// Parquet's numbers for what is used of it.
const (
	parquetMagic  = "PAR1"
	parquetFloat  = 4
	parquetDouble = 5
	parquetPlain  = 0
	parquetRLE    = 3
	parquetZstd   = 6
	required      = 0
	optional      = 1
)

func (s *parquetSink) begin(h profile.Header, _ int64, columns []series.Column) (err error) {
	s.stepNS, s.rows = h.StepNS, int(max(1, groupS*1e9/h.StepNS))
	if s.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return fmt.Errorf("begin zstd: %w", err)
	}
	s.keys = [][2]string{{"jobgait.node", h.Node}, {"jobgait.key", h.Key.String()},
		{"jobgait.step_s", strconv.FormatFloat(float64(h.StepNS)/1e9, 'g', -1, 64)}, {"jobgait.unit:t_s", "s"}}
	s.names = []string{"t_s"}
	for _, c := range columns {
		s.names = append(s.names, c.Name)
		s.keys = append(s.keys, [2]string{"jobgait.unit:" + c.Name, c.Unit}, [2]string{"jobgait.scope:" + c.Name, string(c.Scope)})
	}
	for _, c := range h.Columns {
		if c.Hz > 0 {
			s.keys = append(s.keys, [2]string{"jobgait.hz:" + c.Name, strconv.FormatFloat(c.Hz, 'g', -1, 64)})
		}
	}
	s.values = make([][]float32, len(columns))
	return s.write([]byte(parquetMagic))
}

func (s *parquetSink) write(b []byte) error {
	n, err := s.w.Write(b)
	s.at += int64(n)
	return err
}

func (s *parquetSink) add(c profile.Chunk, columns []series.Column) error {
	for i := range columns[0].Values {
		s.times = append(s.times, float64(c.TimeNS+int64(i)*s.stepNS)/1e9)
		for k, column := range columns {
			s.values[k] = append(s.values[k], column.Values[i])
		}
		if len(s.times) == s.rows {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the rows that there are as a group.
func (s *parquetSink) flush() error {
	g := rowGroup{rows: len(s.times)}
	s.page = s.page[:0]
	for _, t := range s.times {
		s.page = binary.LittleEndian.AppendUint64(s.page, math.Float64bits(t))
	}
	if err := s.writePage(&g); err != nil {
		return err
	}
	for k, v := range s.values {
		s.page = appendOptional(s.page[:0], v)
		if err := s.writePage(&g); err != nil {
			return err
		}
		s.values[k] = v[:0]
	}
	s.times = s.times[:0]
	s.groups = append(s.groups, g)
	return nil
}

// appendOptional appends which values are there (definition levels: runs of 1 and
// 0, behind their length), then those.
func appendOptional(b []byte, values []float32) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	for i := 0; i < len(values); {
		n, level := i, byte(0)
		if values[i] == values[i] {
			level = 1
		}
		for n < len(values) && (values[n] == values[n]) == (level == 1) {
			n++
		}
		b = append(binary.AppendUvarint(b, uint64(n-i)<<1), level)
		i = n
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	for _, v := range values {
		if v == v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

// writePage writes the page as the next column of a group.
func (s *parquetSink) writePage(g *rowGroup) error {
	s.packed = s.zstd.EncodeAll(s.page, s.packed[:0])
	var h thrift
	h.open()
	h.i32(1, 0) // a data page
	h.i32(2, len(s.page))
	h.i32(3, len(s.packed))
	h.structure(5)
	h.i32(1, g.rows)
	h.i32(2, parquetPlain)
	h.i32(3, parquetRLE)
	h.i32(4, parquetRLE)
	h.shut()
	h.shut()
	g.chunks = append(g.chunks, chunk{s.at, len(h.b) + len(s.packed), len(h.b) + len(s.page)})
	if err := s.write(h.b); err != nil {
		return err
	}
	return s.write(s.packed)
}

// end writes the last rows, and what a reader begins with.
func (s *parquetSink) end() error {
	if len(s.times) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	footer := s.footer()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return s.write(append(footer, parquetMagic...))
}

// footer is FileMetaData.
func (s *parquetSink) footer() []byte {
	var t thrift
	rows := int64(0)
	for _, g := range s.groups {
		rows += int64(g.rows)
	}
	t.open()
	t.i32(1, 1)
	s.schema(&t)
	t.i64(3, rows)
	t.list(4, thriftStruct, len(s.groups))
	for _, g := range s.groups {
		s.group(&t, g)
	}
	t.list(5, thriftStruct, len(s.keys))
	for _, k := range s.keys {
		t.open()
		t.text(1, k[0])
		t.text(2, k[1])
		t.shut()
	}
	t.text(6, "jobgait")
	t.shut()
	return t.b
}

// schema lists the root and its leaves.
func (s *parquetSink) schema(t *thrift) {
	t.list(2, thriftStruct, 1+len(s.names))
	t.open()
	t.text(4, "profile")
	t.i32(5, len(s.names))
	t.shut()
	for i, name := range s.names {
		t.open()
		t.i32(1, parquetType(i))
		t.i32(3, repetition(i))
		t.text(4, name)
		t.shut()
	}
}

// group is RowGroup, with a ColumnChunk for each column.
func (s *parquetSink) group(t *thrift, g rowGroup) {
	size := int64(0)
	t.open()
	t.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		size += int64(c.plain)
		t.open()
		t.i64(2, c.offset)
		t.structure(3)
		t.i32(1, parquetType(i))
		t.list(2, thriftI32, 2)
		t.b = binary.AppendVarint(binary.AppendVarint(t.b, parquetPlain), parquetRLE)
		t.list(3, thriftBinary, 1)
		t.bytes(s.names[i])
		t.i32(4, parquetZstd)
		t.i64(5, int64(g.rows))
		t.i64(6, int64(c.plain))
		t.i64(7, int64(c.packed))
		t.i64(9, c.offset)
		t.shut()
		t.shut()
	}
	t.i64(2, size)
	t.i64(3, int64(g.rows))
	t.shut()
}

// The first column is the time, which is always there.
func parquetType(column int) int {
	if column == 0 {
		return parquetDouble
	}
	return parquetFloat
}

func repetition(column int) int {
	if column == 0 {
		return required
	}
	return optional
}
