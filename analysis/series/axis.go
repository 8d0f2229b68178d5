package series

import "slices"

// Axis is the quantity in which the samples of a set are equidistant.
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

// On returns the sets in s.Also, which hold the same run on other axes, that have the given axis.
func (s Set) On(axis Axis) []Set {
	var out []Set
	for _, o := range s.Also {
		if o.Axis == axis {
			out = append(out, o)
		}
	}
	return out
}

// Coarser returns a set of counts with k samples added up to one; an incomplete last one is dropped. A sum
// over a missing sample is missing.
func (s Set) Coarser(k int) Set {
	out := s
	n := s.Len() / k
	out.StepS = float64(k) * s.StepS
	out.Columns = make([]Column, len(s.Columns))
	for j, c := range s.Columns {
		v := make(Values, n)
		for i := range v {
			v[i] = sum(c.Values[i*k : (i+1)*k])
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

// sum returns the sum of the values, computed as four sums side by side for speed.
func sum(x Values) float32 {
	var s0, s1, s2, s3 float32
	for ; len(x) >= 4; x = x[4:] {
		s0, s1, s2, s3 = s0+x[0], s1+x[1], s2+x[2], s3+x[3]
	}
	for _, v := range x {
		s0 += v
	}
	return s0 + s1 + s2 + s3
}

// Piece is a stretch of wall time, FromS to ToS, that begins at AtS in a set from
// which other stretches were left out.
type Piece struct{ FromS, ToS, AtS float64 }

// Within returns the samples of a set on another axis than wall time that begin within one of the pieces, with their
// wall times shifted from FromS to AtS of that piece. The pieces must be in ascending order.
func (s Set) Within(pieces []Piece) Set {
	out := s
	out.Columns = slices.Clone(s.Columns)
	for j := range out.Columns {
		out.Columns[j].Values = nil
	}
	out.WallS = nil
	end := 0.0
	for _, p := range pieces {
		a, _ := slices.BinarySearch(s.WallS, p.FromS)
		b, _ := slices.BinarySearch(s.WallS, p.ToS)
		if b = min(b, s.Len()); a >= b {
			continue
		}
		for j, c := range s.Columns {
			out.Columns[j].Values = append(out.Columns[j].Values, c.Values[a:b]...)
		}
		for _, w := range s.WallS[a:b] {
			out.WallS = append(out.WallS, w-p.FromS+p.AtS)
		}
		end = min(s.WallS[b], p.ToS) - p.FromS + p.AtS
	}
	out.WallS = append(out.WallS, end)
	return out
}

// Smoothed returns a set in which each count is the mean of the known ones among the k counts around it.
// Missing counts stay missing.
func (s Set) Smoothed(k int) Set {
	if k < 2 {
		return s
	}
	out := s
	out.Columns = slices.Clone(s.Columns)
	for j, c := range s.Columns {
		out.Columns[j].Values = c.Values.smoothed(k)
	}
	return out
}

// smoothed returns for each value the mean of the known ones among the k values around it; missing values stay missing.
func (v Values) smoothed(k int) Values {
	out := make(Values, len(v))
	sum, n, next := 0.0, 0, 0
	for i, x := range v {
		for ; next < min(len(v), i+k-k/2); next++ {
			if y := v[next]; !IsMissing(y) {
				sum += float64(y)
				n++
			}
		}
		if a := i - k/2 - 1; a >= 0 && !IsMissing(v[a]) {
			sum -= float64(v[a])
			n--
		}
		if out[i] = x; !IsMissing(x) {
			out[i] = float32(sum) / float32(n)
		}
	}
	return out
}
