package export

import (
	"fmt"
	"io"
	"strconv"

	"jobgait/agent/profile"
)

// writeCPU writes the samples of equal CPU time (profile.CPUTimeCode) as CSV: the CPU time and the wall time, in
// seconds, at which each began, and its values, which are empty at a gap of the profile. It returns ErrColumn if the
// profile has none.
func writeCPU(w io.Writer, path string, o ExportOptions) (Caveats, error) {
	l, err := profile.Load(path)
	if err != nil {
		return Caveats{}, err
	}
	set := l.CPU.Set
	if set.Len() == 0 {
		return Caveats{}, fmt.Errorf("%w: the profile has no bins of CPU time: it has no code samples, is "+
			"longer than six hours, or its agent wrote no bins: use --csv", ErrColumn)
	}
	r := Caveats{RateHz: 1 / set.StepS, Rows: int64(set.Len()), Damage: l.Damage}
	chosen, err := o.chooseColumns(l.Header, set.Columns)
	if err != nil {
		return r, err
	}
	columns := pickColumns(nil, set.Columns, chosen)
	s := csvSink{w: newBuffer(w), row: []byte("cpu_s,t_s")}
	for _, c := range columns {
		s.row = append(append(s.row, ','), c.Name...)
	}
	for i := 0; ; i++ {
		if err := s.flush(); err != nil {
			return r, err
		}
		if i == set.Len() {
			return r, s.end()
		}
		s.row = appendSeconds(s.row, int64(float64(i)*set.StepS*1e9+0.5))
		s.row = strconv.AppendFloat(append(s.row, ','), l.CPU.WallS[i], 'f', 6, 64)
		s.row = appendValues(s.row, columns, i)
	}
}
