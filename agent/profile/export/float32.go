package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"

	"jobgait/agent/profile"
	"jobgait/analysis/series"
)

// floatSink writes one column on the whole grid as little-endian float32, NaN where the profile has no value.
type floatSink struct {
	w    *bufio.Writer
	next int64 // slot to be written
	buf  []byte
}

// maxSlots limits the length of a grid, in slots: 192 h at 2 kHz. A damaged profile may claim far more.
const maxSlots = 192 * 3600 * 2000

// begin returns an error for a grid of more than maxSlots.
func (s *floatSink) begin(_ profile.Header, slots int64, _ []series.Column) error {
	if slots > maxSlots {
		return fmt.Errorf("cannot export %d slots as float32, whose limit is 192 h: export it with --csv", slots)
	}
	return nil
}

// add writes NaN for the slots between the last chunk and this one, then the values of the first of the columns.
func (s *floatSink) add(c profile.Chunk, columns []series.Column) error {
	for ; s.next < c.Slot; s.next++ {
		if err := s.put(series.Missing()); err != nil {
			return err
		}
	}
	for _, v := range columns[0].Values {
		if err := s.put(v); err != nil {
			return err
		}
	}
	s.next += int64(len(columns[0].Values))
	return nil
}

// put writes one value.
func (s *floatSink) put(v float32) error {
	s.buf = binary.LittleEndian.AppendUint32(s.buf[:0], math.Float32bits(v))
	_, err := s.w.Write(s.buf)
	return err
}

// end flushes the buffered output.
func (s *floatSink) end() error { return s.w.Flush() }
