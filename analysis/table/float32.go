package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// sampleColumn is the name of a column that has none.
const sampleColumn = "value"

// maxSamples bounds the values of a file: 2 GiB of float32, a day of 30 columns at 200 Hz.
const maxSamples = 1 << 29

// readFloat32 reads little-endian float32 samples, all of one column, at the rate o.RateHz; without a rate the error is
// ErrNoRate. NaN and infinite values become missing ones; a note counts the infinite ones.
func readFloat32(r io.Reader, o SampleOptions) (Samples, error) {
	if !(o.RateHz > 0) {
		return Samples{}, fmt.Errorf("%s: read the samples: %w", o.Name, ErrNoRate)
	}
	name := o.Columns.Value
	if name == "" {
		name = sampleColumn
	}
	values := make(series.Values, 0, min(max(o.Size/4, 0), int64(o.maxValues())))
	buf := make([]byte, 1<<16)
	infinite := 0
	for {
		n, err := io.ReadFull(r, buf)
		if n%4 != 0 {
			return Samples{}, fmt.Errorf("%s: read: %d bytes are neither CSV nor float32 samples: want a multiple of 4 bytes",
				o.Name, 4*len(values)+n)
		}
		if len(values)+n/4 > o.maxValues() {
			return Samples{}, fmt.Errorf("%s: read: the file has more than %d samples: %w", o.Name, o.maxValues(), errTooLarge)
		}
		for b := buf[:n]; len(b) >= 4; b = b[4:] {
			v := math.Float32frombits(binary.LittleEndian.Uint32(b))
			if v-v != 0 { // infinite or NaN
				if !series.IsMissing(v) {
					infinite++
				}
				v = series.Missing()
			}
			values = append(values, v)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return Samples{}, fmt.Errorf("%s: read the samples: %w", o.Name, err)
		}
	}
	column := series.Column{Name: name, Scope: series.JobScope, Values: values}
	t := Samples{Set: series.Set{StepS: 1 / o.RateHz, Columns: []series.Column{column}},
		Offsets: []float64{0}}
	if infinite > 0 {
		t.Notes = append(t.Notes, note.New(note.ValuesInfinite, "the file has %s: treated as missing",
			quantity.Plural(infinite, "infinite value")))
	}
	return t, nil
}
