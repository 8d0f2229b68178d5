package tracker

import "jobgait/analysis/series"

// RecentSamples holds the last samples of all columns on several scales: the last minute at full rate, and the
// last 10 and 100 minutes as means of 10 and 100 samples.
type RecentSamples struct {
	columns []series.Column // without values
	stepS   float64
	scales  [scales]ring
}

const (
	scales    = 3
	coarser   = 10    // of a scale to the next
	remembers = 12000 // samples of each scale: a minute at 200 Hz
)

// ring holds the last means, each over a fixed number of samples.
type ring struct {
	merge, n int // samples in one, and those that came
	open     int // samples in sum
	sum      []float32
	values   [][]float32
	at       int // where the next goes
}

// NewMemory returns an empty memory for columns, which have no values yet, with samples of stepS seconds.
func NewMemory(columns []series.Column, stepS float64) *RecentSamples {
	m := &RecentSamples{columns: columns, stepS: stepS}
	merge := 1
	for i := range m.scales {
		m.scales[i] = ring{merge: merge, sum: make([]float32, len(columns)), values: make([][]float32, len(columns))}
		merge *= coarser
	}
	return m
}

// Add stores a sample of all columns; NaN is a missing value.
func (m *RecentSamples) Add(x []float32) {
	for i := range m.scales {
		m.scales[i].add(x)
	}
}

// add adds a sample to the open mean, and stores the mean when it is complete.
func (r *ring) add(x []float32) {
	for j, v := range x {
		r.sum[j] += v
	}
	if r.open++; r.open < r.merge {
		return
	}
	for j := range r.sum {
		v := r.sum[j] / float32(r.merge)
		if r.n < remembers {
			r.values[j] = append(r.values[j], v)
		} else {
			r.values[j][r.at] = v
		}
		r.sum[j] = 0
	}
	r.at = (r.at + 1) % remembers
	r.open = 0
	r.n = min(r.n+1, remembers)
}

// Replace replaces column j by another one without values.
func (m *RecentSamples) Replace(j int, c series.Column) {
	m.columns[j] = c
	for i := range m.scales {
		clear(m.scales[i].values[j])
		m.scales[i].sum[j] = 0
	}
}

// Seconds returns how far, in seconds, a scale's memory reaches back.
func (m *RecentSamples) Seconds(scale int) float64 {
	r := &m.scales[scale]
	return float64(r.n*r.merge) * m.stepS
}

// Set returns a copy of the last samples of a scale.
func (m *RecentSamples) Set(scale int) series.Set {
	r := &m.scales[scale]
	s := series.Set{StepS: m.stepS * float64(r.merge)}
	for j, c := range m.columns {
		v := make(series.Values, 0, r.n)
		if r.n == remembers {
			v = append(v, r.values[j][r.at:]...)
			v = append(v, r.values[j][:r.at]...)
		} else {
			v = append(v, r.values[j]...)
		}
		c.Values = v
		s.Columns = append(s.Columns, c)
	}
	return s
}
