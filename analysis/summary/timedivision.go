package summary

import (
	"math"
	"slices"

	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
)

// TimeDivision divides the elapsed time of a run, without suspensions, by what its tasks (processes and threads) did.
// Each moment is divided among computing, waiting for a CPU and waiting for storage, in proportion to the numbers of
// tasks in these states. A moment with no task in any of them counts as asleep: all tasks waited for a time, a message,
// a lock or another program.
// The values are shares, 0 to 1, that add up to 1. A run on several nodes has the mean of its nodes.
//
// CPUWait and Storage are nil where they were not measured; that time is in Asleep. CPU time that a hypervisor took is
// in Computing. Waiting for storage is uninterruptible sleep (state D), as on disks, NFS and Lustre. Part is the share
// of the elapsed time that was sampled and is divided; it is 1 from mostOfRun on.
type TimeDivision struct {
	Part      float64  `json:"part"`
	Computing float64  `json:"computing"`
	CPUWait   *float64 `json:"cpu_wait"`
	Storage   *float64 `json:"storage"`
	Asleep    float64  `json:"asleep"`
}

// divisionS is the length, in s, of the parts of a run in which the means of waiting are compared with those of
// computing. Waiting is read about twice a second, CPUs in use are sampled: in shorter parts they do not match.
// Tasks that wait and sleep in turns within one part count as if they did not do so at the same time.
const divisionS = 2.0

// leastPart is the least share of the elapsed time that is divided.
const leastPart = 0.5

// WithTimeDivision returns the record with its elapsed time divided. The time stays undivided where the busy CPUs are
// unknown or less than leastPart of it was sampled.
func (r NodeRecord) WithTimeDivision() NodeRecord {
	r.Time = nil
	busy, ran := r.busyCPUs(), r.ElapsedS-r.SuspendedS
	shape := r.cpuCurve()
	if busy == nil || !(ran > 0) || shape.known*r.Timeline.StepS < leastPart*ran {
		return r
	}
	wait := meanTasks(r.Counters, ran, run.CPUWait)
	storage := meanTasks(r.Counters, ran, run.StorageWait)
	if r.SuspendedS > 0 {
		storage = nil // frozen tasks have the state of tasks that wait for storage
	}
	n := len(shape.values)
	r.Time = divide(shape.scaledTo(*busy), r.curve(run.CPUWait).filledToMean(wait, n),
		r.curve(run.StorageWait).filledToMean(storage, n), r.partLength())
	r.Time.raiseActive(r.MostActiveS/ran, *busy, valueOrZero(wait))
	r.Time.Part = shape.known * r.Timeline.StepS / ran
	if r.Time.Part >= mostOfRun {
		r.Time.Part = 1
	}
	if wait == nil {
		r.Time.CPUWait = nil
	}
	if storage == nil {
		r.Time.Storage = nil
	}
	return r
}

// raiseActive raises the shares of computing and waiting for a CPU so that together they are at least what one thread
// ran or waited, least: a run is not asleep while any thread does either. Short bursts of samples, as in a virtual
// machine whose host is busy, make the measured share too small. The missing part is divided in proportion to the mean
// numbers of tasks that ran and that waited.
func (d *TimeDivision) raiseActive(least, ran, waited float64) {
	missing := math.Min(1, least) - d.Computing - *d.CPUWait
	if !(missing > 0) || !(ran+waited > 0) {
		return
	}
	d.Computing += missing * ran / (ran + waited)
	*d.CPUWait += missing * waited / (ran + waited)
	d.Asleep = math.Max(0, d.Asleep-missing)
	*d.Storage = math.Max(0, math.Min(*d.Storage, 1-d.Computing-*d.CPUWait-d.Asleep))
}

// partLength returns the number of bins of the timeline in a part of divisionS.
func (r NodeRecord) partLength() int { return max(1, int(math.Ceil(divisionS/r.Timeline.StepS))) }

// divide divides the time of a run by what its tasks did, in parts of the given number of bins. busy, wait and storage
// are mean numbers of tasks in bins of equal length. Bins in which busy is NaN are left out; in the others a missing
// wait or storage is 0. It returns nil if no bin is left.
func divide(busy, wait, storage []float64, part int) *TimeDivision {
	var d TimeDivision
	var cpuWait, storageWait, bins float64
	for from := 0; from < len(busy); from += part {
		var ran, active, waited, blocked mean
		for i := from; i < min(from+part, len(busy)); i++ {
			if math.IsNaN(busy[i]) {
				continue
			}
			ran.add(busy[i])
			active.add(math.Min(1, busy[i]))
			waited.add(quantity.OrZero(wait[i]))
			blocked.add(quantity.OrZero(storage[i]))
		}
		all := ran.sum + waited.sum + blocked.sum
		bins += ran.n
		if all <= 0 {
			continue
		}
		used := math.Min(ran.n, active.sum+waited.sum+blocked.sum)
		d.Computing += used * ran.sum / all
		cpuWait += used * waited.sum / all
		storageWait += used * blocked.sum / all
	}
	if bins == 0 {
		return nil
	}
	d.Computing, cpuWait, storageWait = d.Computing/bins, cpuWait/bins, storageWait/bins
	d.CPUWait, d.Storage = &cpuWait, &storageWait
	d.Asleep = math.Max(0, 1-d.Computing-cpuWait-storageWait)
	return &d
}

// curve is a column of the timeline; known is the number of its bins with a value.
type curve struct {
	values []float64
	known  float64
}

// cpuCurve returns the CPUs in use over the run: by samples of code, else by /proc.
func (r NodeRecord) cpuCurve() curve {
	if c := r.curve(busyColumn); c.known > 0 {
		return c
	}
	return r.curve("proc_cpu")
}

// curve returns the means of a column of the timeline; an empty curve if there is no such column. Times, in ns/s,
// become numbers of tasks. It leaves out the bins in the middle of which the job was suspended: their zeros are no
// sleep.
func (r NodeRecord) curve(name string) (c curve) {
	i := slices.IndexFunc(r.Timeline.Columns, func(c TimelineColumn) bool { return c.Name == name })
	if i < 0 {
		return c
	}
	unit := 1.0
	if r.Timeline.Columns[i].Unit == "ns/s" {
		unit = 1e-9
	}
	for k, v := range r.Timeline.Columns[i].Mean {
		at := r.Timeline.StartS + (float64(k)+0.5)*r.Timeline.StepS
		if slices.ContainsFunc(r.Suspended, func(s run.Interval) bool { return s.StartS <= at && at < s.EndS }) {
			continue
		}
		c.values = append(c.values, unit*float64(v))
		if !math.IsNaN(float64(v)) {
			c.known++
		}
	}
	return c
}

// scaledTo returns the values with the given mean; a curve that is 0 throughout becomes constant.
func (c curve) scaledTo(to float64) []float64 {
	var all mean
	for _, v := range c.values {
		if !math.IsNaN(v) {
			all.add(v)
		}
	}
	out := make([]float64, len(c.values))
	for i, v := range c.values {
		switch {
		case all.sum > 0:
			out[i] = v * to / (all.sum / all.n)
		case math.IsNaN(v):
			out[i] = v
		default:
			out[i] = to
		}
	}
	return out
}

// filledToMean returns n values with the given mean, zeros if that is nil. Missing values, as at the end of a run, get
// what the others lack of the total. Without a curve of that length the values are constant.
func (c curve) filledToMean(to *float64, n int) []float64 {
	if to == nil {
		return make([]float64, n)
	}
	if len(c.values) != n || c.known == 0 {
		c = curve{values: make([]float64, n), known: float64(n)}
	}
	rest, missing := *to*float64(n), float64(n)-c.known
	for _, v := range c.values {
		rest -= quantity.OrZero(v)
	}
	if missing == 0 || rest < 0 {
		return c.scaledTo(*to)
	}
	out := slices.Clone(c.values)
	for i, v := range out {
		if math.IsNaN(v) {
			out[i] = rest / missing
		}
	}
	return out
}

// meanTasks returns the mean number of tasks that the named counter of the job, in ns, stands for over ran seconds; nil
// unless it was counted for the whole run.
func meanTasks(counters []run.Counter, ran float64, name string) *float64 {
	for _, c := range counters {
		if c.Name == name && c.Scope == "job" && c.Part() == 1 {
			m := c.Total / 1e9 / ran
			return &m
		}
	}
	return nil
}

// meanTimeDivision returns the mean of the nodes' divisions; nil unless all nodes have one. A part that is unknown on a
// node is unknown for the run.
func meanTimeDivision(records []NodeRecord, nodes int) *TimeDivision {
	if len(records) < nodes || len(records) == 0 {
		return nil
	}
	n := float64(len(records))
	d := TimeDivision{Part: 1}
	cpuWait, storage, waitKnown, storageKnown := 0.0, 0.0, true, true
	for _, r := range records {
		if r.Time == nil {
			return nil
		}
		d.Part = min(d.Part, r.Time.Part)
		d.Computing += r.Time.Computing / n
		if waitKnown = waitKnown && r.Time.CPUWait != nil; waitKnown {
			cpuWait += *r.Time.CPUWait / n
		}
		if storageKnown = storageKnown && r.Time.Storage != nil; storageKnown {
			storage += *r.Time.Storage / n
		}
	}
	d.Asleep = 1 - d.Computing
	if waitKnown {
		d.CPUWait = &cpuWait
		d.Asleep -= cpuWait
	}
	if storageKnown {
		d.Storage = &storage
		d.Asleep -= storage
	}
	d.Asleep = math.Max(0, d.Asleep)
	return &d
}

// valueOrZero returns a number, 0 for nil.
func valueOrZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
