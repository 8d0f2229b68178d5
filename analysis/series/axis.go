package series

// Axis is what the samples of a set are equidistant in.
type Axis string

const (
	Wall Axis = "wall" // elapsed time; also the zero value
	CPU  Axis = "cpu"  // CPU time that the job used
)

// Ends returns the wall times at which samples first to first+length-1 of a set
// begin and end, in seconds since the run began.
func (s Set) Ends(first, length int) (fromS, toS float64) {
	if s.WallS != nil {
		return s.WallS[first], s.WallS[first+length]
	}
	return s.StartS + float64(first)*s.StepS, s.StartS + float64(first+length)*s.StepS
}

// On returns the sets of the same run on another axis that came with the set.
func (s Set) On(axis Axis) []Set {
	var out []Set
	for _, o := range s.Also {
		if o.Axis == axis {
			out = append(out, o)
		}
	}
	return out
}

// Coarser returns a set of counts with k samples in one; what is left over at the
// end is left out.
func (s Set) Coarser(k int) Set {
	out := s
	n := s.Len() / k
	out.StepS = float64(k) * s.StepS
	out.Columns = make([]Column, len(s.Columns))
	for j, c := range s.Columns {
		v := make(Values, n)
		for i := range v {
			for _, x := range c.Values[i*k : (i+1)*k] {
				v[i] += x
			}
		}
		out.Columns[j] = c
		out.Columns[j].Values = v
	}
	if s.WallS != nil {
		out.WallS = make([]float64, n+1)
		for i := range out.WallS {
			out.WallS[i] = s.WallS[i*k]
		}
	}
	return out
}
