package series

import (
	"encoding/json"
	"math"
	"strconv"
)

// Values are samples; NaN is a missing one. In JSON a missing sample is null,
// and values carry six significant digits.
type Values []float32

// MarshalJSON writes the values as an array, never null, with 6 significant figures. Missing and infinite
// values are null.
func (v Values) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2+8*len(v))
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, f, 'g', 6, 32)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Values) UnmarshalJSON(b []byte) error {
	var raw []*float32
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	out := make(Values, len(raw))
	for i, p := range raw {
		out[i] = Missing()
		if p != nil {
			out[i] = *p
		}
	}
	*v = out
	return nil
}

// Missing returns NaN, the value of a sample that was not taken.
func Missing() float32 { return float32(math.NaN()) }

// IsMissing reports whether a value is that of a sample that was not taken.
func IsMissing(v float32) bool { return math.IsNaN(float64(v)) }
