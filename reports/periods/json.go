package periods

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"jobgait/analysis/series"
	"jobgait/reports/text"
)

// numbers are values in the units of the input: shift is the offset that the reader subtracted.
type numbers struct {
	v     series.Values
	shift float64
}

// MarshalJSON writes the values, each plus n.shift, as an array; a missing value is null.
func (n numbers) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2+10*len(n.v))
	b = append(b, '[')
	for i, x := range n.v {
		if i > 0 {
			b = append(b, ',')
		}
		switch f := float64(x); {
		case math.IsNaN(f) || math.IsInf(f, 0):
			b = append(b, "null"...)
		case n.shift == 0:
			b = strconv.AppendFloat(b, f, 'g', -1, 32)
		default:
			b = strconv.AppendFloat(b, f+n.shift, 'g', 12, 64) // float32 gives six behind the shift's
		}
	}
	return append(b, ']'), nil
}

// JSON writes the report on one line.
func (r Detection) JSON(w io.Writer) error {
	b := bufio.NewWriter(w)
	err := json.NewEncoder(b).Encode(r)
	if err == nil {
		err = b.Flush()
	}
	return text.JSONError("the periods", err)
}
