package periodicity

import (
	"cmp"
	"math"
	"slices"
)

// paperRun is a run of consecutive instances of one length group.
type paperRun struct {
	in    []Instance
	shape []float64 // the mean over the run at paperPoints points
}

// paperLeader is the largest run of its kind: runs that resemble a rotation of
// it take its phase.
type paperLeader struct {
	shape  []float64
	length int
	group  int
}

const (
	// paperPoints is the resolution at which runs are compared.
	paperPoints = 128
	// paperSameShape and paperSameMultiple are the largest differences of a run to a
	// rotation of a leader, and to one of its multiples.
	paperSameShape, paperSameMultiple = 0.40, 0.25
	// paperSameLength is by how much the length of a multiple may be off.
	paperSameLength = 0.06
	paperMaxFold    = 8
)

// paperGroups divides the instances by length: the chain of sorted lengths breaks at
// a gap of more than 2 samples and 5 %. Runs are then moved to the
// phase of the largest run like them, and runs that are m times an other one are
// cut into m and join it. Groups below minCoverage are dropped.
func paperGroups(cut paperCut) [][]Instance {
	in := slices.Clone(cut.in)
	slices.SortFunc(in, func(a, b Instance) int {
		return cmp.Or(cmp.Compare(a.Length, b.Length), cmp.Compare(a.First, b.First))
	})
	var groups [][]Instance
	for i := 0; i < len(in); {
		j := i + 1
		for j < len(in) && in[j].Length-in[j-1].Length <= max(2, in[j-1].Length*5/100) {
			j++
		}
		groups = append(groups, in[i:j])
		i = j
	}
	var out [][]Instance
	for _, g := range paperAlign(cut.x, groups) {
		if paperEnough(g, len(cut.x)) {
			out = append(out, g)
		}
	}
	return out
}

// paperAlign returns the groups with their runs moved to common phases: each run, the largest of its group first, takes
// the phase of the leader that it resembles most, and joins the group of that, cut into m equal parts if it is m times
// as long. A run that resembles none becomes a leader. Overlapping instances are shortened or left out.
func paperAlign(x []float64, groups [][]Instance) [][]Instance {
	out := make([][]Instance, len(groups))
	var leaders []paperLeader
	for g, in := range groups {
		runs := paperRuns(x, in)
		slices.SortStableFunc(runs, func(a, b paperRun) int { return cmp.Compare(len(b.in), len(a.in)) })
		for _, r := range runs {
			l, m, shift, ok := r.follow(leaders)
			if !ok {
				l, m, shift = paperLeader{shape: r.shape, length: r.in[0].Length, group: g}, 1, 0
				leaders = append(leaders, l)
			}
			moved := paperFold(r.move(shift, len(x)), m)
			out[l.group] = append(out[l.group], moved...)
		}
	}
	for g := range out {
		out[g] = paperApart(out[g])
	}
	return out
}

// follow returns the leader that a run resembles most, the number m of the leader's periods in one instance of the run,
// and the rotation of the run, in points, at which it does. ok is false if it resembles none closely enough, or none
// has an m-th of its length.
func (r paperRun) follow(leaders []paperLeader) (best paperLeader, fold, shift int, ok bool) {
	least := math.Inf(1)
	for _, l := range leaders {
		ratio := float64(r.in[0].Length) / float64(l.length)
		m := max(1, int(math.Round(ratio)))
		limit := paperSameShape
		if m > 1 {
			limit = paperSameMultiple
		}
		if m > paperMaxFold || math.Abs(ratio/float64(m)-1) > paperSameLength {
			continue
		}
		tiled := make([]float64, paperPoints)
		for i := range tiled {
			tiled[i] = l.shape[i*m%paperPoints]
		}
		for s := range paperPoints {
			if d := paperCircular(tiled, r.shape, s); d < least && d <= limit {
				least, best, fold, shift, ok = d, l, m, s, true
			}
		}
	}
	return best, fold, shift, ok
}

// move returns the instances of a run moved by shift points of paperPoints of an instance: later, or earlier by the
// rest of an instance if that is less. Instances that then reach beyond the n samples of the profile are dropped.
func (r paperRun) move(shift, n int) []Instance {
	var out []Instance
	if shift > paperPoints/2 {
		shift -= paperPoints
	}
	by := int(math.Round(float64(shift) / paperPoints * float64(r.in[0].Length)))
	for _, i := range r.in {
		i.First += by
		if i.First >= 0 && i.First+i.Length <= n {
			out = append(out, i)
		}
	}
	return out
}

// paperFold divides every instance into m equal ones.
func paperFold(in []Instance, m int) []Instance {
	if m == 1 {
		return in
	}
	var out []Instance
	for _, i := range in {
		for k := range m {
			a, b := k*i.Length/m, (k+1)*i.Length/m
			out = append(out, Instance{First: i.First + a, Length: b - a})
		}
	}
	return out
}

// paperApart sorts instances by time and shortens the second of two that overlap by the overlap. It leaves out
// instances of which the overlap is more than a tenth of what would remain.
func paperApart(in []Instance) []Instance {
	slices.SortFunc(in, func(a, b Instance) int { return cmp.Compare(a.First, b.First) })
	var out []Instance
	end := 0
	for _, i := range in {
		if over := end - i.First; over > 0 {
			i.First, i.Length = end, i.Length-over
			if over > i.Length/10 {
				continue
			}
		}
		out = append(out, i)
		end = i.First + i.Length
	}
	return out
}

// paperRunMax is the number of instances after which a run is given a phase of
// its own: with a long window the grid runs on over what is between two regions.
const paperRunMax = 8

// paperRuns divides instances into runs of at most paperRunMax instances that follow each other, with the mean
// shape of each run.
func paperRuns(x []float64, in []Instance) []paperRun {
	in = slices.Clone(in)
	slices.SortFunc(in, func(a, b Instance) int { return cmp.Compare(a.First, b.First) })
	var runs []paperRun
	for a := 0; a < len(in); {
		b := a + 1
		for b < len(in) && b-a < paperRunMax && in[b].First == in[b-1].First+in[b-1].Length {
			b++
		}
		r := paperRun{in: in[a:b], shape: make([]float64, paperPoints)}
		for _, i := range r.in {
			for k := range r.shape {
				r.shape[k] += paperPoint(x[i.First:i.First+i.Length], k) / float64(len(r.in))
			}
		}
		runs = append(runs, r)
		a = b
	}
	return runs
}

// paperPoint returns the interpolated value of an instance at point k of paperPoints.
func paperPoint(x []float64, k int) float64 {
	u := (float64(k)+0.5)*float64(len(x))/paperPoints - 0.5
	i := int(math.Floor(u))
	f := u - float64(i)
	a, b := max(i, 0), min(i+1, len(x)-1)
	return x[a]*(1-f) + x[b]*f
}
