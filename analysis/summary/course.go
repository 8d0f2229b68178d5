package summary

import (
	"math"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// Stretch is a part of a run without cycles that differs from the parts before and after it: in how many CPUs were busy
// or in which code ran. Lead is the function with most of its samples, or, without a name, the library; LeadShare is
// its share of the samples of the stretch, 0 where code was not sampled.
type Stretch struct {
	StartS    float64          `json:"start_s"`
	EndS      float64          `json:"end_s"`
	BusyCPUs  float64          `json:"busy_cpus"`
	Lead      anatomy.Function `json:"lead"`
	LeadShare float64          `json:"lead_share"`
}

const (
	// courseBins is the number of bins in which a run is compared with itself, leastStretch the least number of bins of a
	// stretch, leastBinS the least length of a bin in seconds.
	courseBins, leastStretch = 60, 4
	leastBinS                = 0.1
	// mostLeft is the largest part of the variance that may be left after the run was divided into two, mostLeftOfTwo
	// that after it was divided into three. The best of all divisions of equal noise leaves .8.
	mostLeft, mostLeftOfTwo = 0.5, 0.6
	// leadingFunction is the least share of a stretch at which its main function is named, else its main library is.
	leadingFunction = 0.2
)

// courseOf returns the two or three stretches of a run that differ; one stretch if it looks alike throughout, nil if
// that is unknown, as of a short run or one with a gap in its samples. t resolves columns of code; it is nil where code
// was not sampled.
func courseOf(set series.Set, t *anatomy.Tally) []Stretch {
	n := min(courseBins, set.Len(), int(float64(set.Len())*set.StepS/leastBinS))
	if n < 2*leastStretch {
		return nil
	}
	busy := meansOfParts(set, busyColumn, n)
	if busy == nil {
		busy = meansOfParts(set, "proc_cpu", n)
	}
	if busy == nil || slices.ContainsFunc(busy, math.IsNaN) {
		return nil // a gap in the samples would look like a part without work
	}
	rows, names := courseRows(set, t, n)
	if len(rows) == 0 { // no code was sampled
		rows, names = [][]float64{busy}, []anatomy.Function{{}}
	}
	cuts := divideCourse(rows, n)
	length := float64(set.Len()) * set.StepS / float64(n)
	var out []Stretch
	for i, from := range append([]int{0}, cuts...) {
		to := n
		if i < len(cuts) {
			to = cuts[i]
		}
		s := Stretch{StartS: set.StartS + float64(from)*length, EndS: set.StartS + float64(to)*length,
			BusyCPUs: meanInParts(busy[from:to])}
		s.Lead, s.LeadShare = leadOf(rows, names, from, to)
		out = append(out, s)
	}
	return out
}

// limitNames removes from the stretches the names of code that the disclosure level does not allow: none, those of
// functions, or all.
func limitNames(course []Stretch, d run.DisclosureLevel) (out []Stretch) {
	for _, s := range course {
		switch d {
		case run.AllNames:
		case run.Libraries:
			s.Lead.Name, s.Lead.Start = "", 0
		default:
			s.Lead, s.LeadShare = anatomy.Function{}, 0
		}
		out = append(out, s)
	}
	return out
}

// meansOfParts returns the means of a column in n parts of the run, NaN for a part without a value; nil without the
// column.
func meansOfParts(set series.Set, name string, n int) []float64 {
	c, ok := set.Column(name)
	if !ok {
		return nil
	}
	values := make([]float64, len(c.Values))
	for i, v := range c.Values {
		values[i] = float64(v)
	}
	_, mean, _ := series.Parts(values, n)
	return mean
}

// codeMeans returns the means of a column of code in n parts of the run, 0 for a part without a value, in which the
// code did not run; nil without the column.
func codeMeans(set series.Set, name string, n int) []float64 {
	mean := meansOfParts(set, name, n)
	for i, v := range mean {
		if math.IsNaN(v) {
			mean[i] = 0
		}
	}
	return mean
}

// courseRows returns the means in n parts of the run of the samples of each function, and the functions of the rows;
// nil where no code was sampled.
func courseRows(set series.Set, t *anatomy.Tally, n int) (rows [][]float64, names []anatomy.Function) {
	at := map[anatomy.Function]int{}
	var rest []float64
	for _, c := range set.Columns {
		if t == nil || !strings.HasPrefix(c.Name, "code:") {
			continue
		}
		if c.Name == series.OtherCode {
			rest = codeMeans(set, c.Name, n)
			continue
		}
		f := anatomy.Function{Library: anatomy.Unresolved}
		if p, ok := t.Column(c.Name); ok {
			f = anatomy.Function{Library: p.Library, Name: p.Name}
		} else if c.Name == series.KernelCode {
			f.Library = anatomy.KernelCode
		}
		mean := codeMeans(set, c.Name, n)
		i, known := at[f]
		if !known {
			at[f] = len(rows)
			rows, names = append(rows, mean), append(names, f)
			continue
		}
		for k, v := range mean {
			rows[i][k] += v
		}
	}
	if len(rows) > 0 && rest != nil {
		return addRest(rows, names, rest, t)
	}
	return rows, names
}

// addRest adds a row for each library, for its samples in pages that have no column of their own. Of these only the sum
// in each part is known, rest: each library has as large a part of it at all times.
func addRest(rows [][]float64, names []anatomy.Function, rest []float64, t *anatomy.Tally) ([][]float64,
	[]anatomy.Function) {
	total, resolved := meanInParts(rest), map[string]float64{}
	for i, row := range rows {
		total += meanInParts(row)
		resolved[names[i].Library] += meanInParts(row)
	}
	for _, l := range t.Result().Run.Libraries {
		part := l.Share*total - resolved[l.Name]
		if !(part > 0) || !(meanInParts(rest) > 0) {
			continue
		}
		row := make([]float64, len(rest))
		for k, v := range rest {
			row[k] = v * min(1, part/meanInParts(rest))
		}
		rows, names = append(rows, row), append(names, anatomy.Function{Library: l.Name})
	}
	return rows, names
}

// divideCourse returns where the second and the third stretch begin, in parts of the run; nil where no division
// explains enough.
func divideCourse(rows [][]float64, n int) []int {
	sums := sumParts(rows, n)
	// Of equal values the rounded sums leave a spread that is not exactly 0.
	one, rounding := sums.spread(0, n), 1e-12*sums.squares[n]
	if !(one > rounding) {
		return nil
	}
	two, three := math.Inf(1), math.Inf(1)
	var second, third []int
	for a := leastStretch; a <= n-leastStretch; a++ {
		first := sums.spread(0, a)
		if s := first + sums.spread(a, n); s < two {
			two, second = s, []int{a}
		}
		for b := a + leastStretch; b <= n-leastStretch; b++ {
			if s := first + sums.spread(a, b) + sums.spread(b, n); s < three {
				three, third = s, []int{a, b}
			}
		}
	}
	switch {
	case three+rounding <= mostLeftOfTwo*min(two, mostLeft*one):
		return third
	case two <= mostLeft*one:
		return second
	}
	return nil
}

// partSums holds running sums over the parts of a run: rows[i][k] is the sum of row i before part k, squares[k] the sum
// of the squares of all rows before part k. So the spread of a stretch takes one step for each row.
type partSums struct {
	rows    [][]float64
	squares []float64
}

// sumParts returns the running sums of rows of n parts.
func sumParts(rows [][]float64, n int) partSums {
	s := partSums{make([][]float64, len(rows)), make([]float64, n+1)}
	for i, row := range rows {
		s.rows[i] = make([]float64, n+1)
		for k, v := range row {
			s.rows[i][k+1] = s.rows[i][k] + v
		}
	}
	for k := range n {
		s.squares[k+1] = s.squares[k]
		for _, row := range rows {
			s.squares[k+1] += row[k] * row[k]
		}
	}
	return s
}

// spread returns the sum of the squared distances of the parts from..to from their mean, over all rows.
func (s partSums) spread(from, to int) float64 {
	sum := s.squares[to] - s.squares[from]
	for _, row := range s.rows {
		d := row[to] - row[from]
		sum -= d * d / float64(to-from)
	}
	return sum
}

// leadOf returns the function with most samples in the parts from..to and its share, or its library if no function has
// leadingFunction of them; nothing where code was not sampled.
func leadOf(rows [][]float64, names []anatomy.Function, from, to int) (lead anatomy.Function, share float64) {
	functions, libraries, total := map[anatomy.Function]float64{}, map[anatomy.Function]float64{}, 0.0
	for i, row := range rows {
		if names[i] == (anatomy.Function{}) {
			return lead, 0
		}
		m := meanInParts(row[from:to])
		total += m
		libraries[anatomy.Function{Library: names[i].Library}] += m
		if names[i].Name != "" {
			functions[names[i]] += m
		}
	}
	if !(total > 0) {
		return lead, 0
	}
	largest := func(of map[anatomy.Function]float64) (best anatomy.Function, most float64) {
		for f, v := range of {
			if f.Library != anatomy.Unresolved && (v > most || v == most && f.Library+f.Name < best.Library+best.Name) {
				best, most = f, v
			}
		}
		return best, most / total
	}
	if lead, share = largest(functions); share >= leadingFunction {
		return lead, share
	}
	return largest(libraries)
}

// meanInParts returns the mean of values, of which there is at least one.
func meanInParts(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
