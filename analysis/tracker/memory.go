package tracker

import "jobgait/analysis/series"

// RecentSamples holds the last samples of all columns on several scales: the last minute at full rate, and the
// last 10 and 100 minutes as means of 10 and 100 samples.
type RecentSamples struct {
	columns []series.Column // without values
	stepS   float64
	scales  [scales]ring
	// waitS is the wait for CPUs, in seconds over all tasks, that belongs to the next sample; waitKnown reports whether
	// any wait was measured.
	waitS     float64
	waitKnown bool
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
	// openWaitS is the wait for CPUs, in seconds, during the samples in sum, waitS that during each mean.
	openWaitS float64
	waitS     []float32
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
		m.scales[i].add(x, m.waitS)
	}
	m.waitS = 0
}

// AddCPUWait stores that the job's tasks wanted a CPU and did not run for waitS seconds, summed over the tasks, before
// the next sample.
func (m *RecentSamples) AddCPUWait(waitS float64) { m.waitS, m.waitKnown = m.waitS+waitS, true }

// CPUWaitS returns the wait for CPUs, in seconds over all tasks, during the samples of a scale; nil if it was not
// measured.
func (m *RecentSamples) CPUWaitS(scale int) *float64 {
	if !m.waitKnown {
		return nil
	}
	sum := 0.0
	for _, s := range m.scales[scale].waitS {
		sum += float64(s)
	}
	return &sum
}

// add adds a sample, during which tasks waited for CPUs for waitS seconds, to the open mean, and stores the mean when
// it is complete.
func (r *ring) add(x []float32, waitS float64) {
	r.openWaitS += waitS
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
	if r.n < remembers {
		r.waitS = append(r.waitS, float32(r.openWaitS))
	} else {
		r.waitS[r.at] = float32(r.openWaitS)
	}
	r.at = (r.at + 1) % remembers
	r.open, r.openWaitS = 0, 0
	r.n = min(r.n+1, remembers)
}

// Replace replaces column j by another one, whose past values are 0.
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

// Set returns a copy of the last samples of a scale, the oldest first.
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
