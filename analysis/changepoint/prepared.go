package changepoint

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"jobgait/analysis/changepoint/machine"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

const (
	// fewestRuns is the least number of runs of a history that is analysed: three runs of a new level after two of
	// an old one.
	fewestRuns = 5
	// longGapDays is the number of days without a run from which a note is made: in a year, compiler, file system
	// and network change.
	longGapDays = 365
	// mostValue and mostDays bound what can be a measurement: ratios and days
	// beyond them have no place in a float64 or an int.
	mostValue = 1e100
	mostDays  = 1e9
)

// preparedSeries is a history prepared for the methods: the logarithms x of the runs that have a value, in time
// order. at maps them to the indexes of the input.
type preparedSeries struct {
	*Series
	at      []int
	x       []float64
	moments []int // numbers the times of the runs
	day     []int
	notes   []note.Note
	// quiet reports that the history has too few runs, or all the same value, so that no change can be found.
	quiet bool
	// machine holds the shifts of the machine; nil if none exists.
	machine *machine.Member
}

// prepare selects the usable runs of a series, sorts them by time and joins the tasks of each job array to one
// run. It adds notes about runs that it leaves out and about missing data, and marks a series that cannot be
// analysed as quiet; it never fails.
func prepare(s *Series) preparedSeries {
	r := preparedSeries{Series: s}
	missing, unusable := 0, 0
	last := math.Inf(-1)
	unsorted := false
	for i, y := range s.Y {
		t := s.Time(i)
		switch {
		case math.IsNaN(y):
			missing++
			continue
		case !s.Usable(i):
			unusable++
			continue
		}
		unsorted = unsorted || t < last
		last = t
		r.at = append(r.at, i)
	}
	if unsorted {
		slices.SortStableFunc(r.at, func(a, b int) int { return cmp.Compare(s.Time(a), s.Time(b)) })
		r.notes = append(r.notes, note.New(note.Unsorted,
			"the %d runs were not in the order of their times: they were sorted before use; the input is unchanged", len(r.at)))
	}
	if missing > 0 {
		r.notes = append(r.notes, note.New(note.MissingRuns, "%d of %d runs have no value and are left out", missing,
			len(s.Y)))
	}
	if unusable > 0 {
		r.notes = append(r.notes, note.New(note.UnusableValue,
			"%d of %d runs are left out: their value is not positive and finite, or their time is unknown", unusable, len(s.Y)))
	}
	values := r.joinArrays()
	for k, i := range r.at {
		r.x = append(r.x, math.Log(values[k]))
		r.day = append(r.day, int(math.Floor(s.Time(i))))
	}
	r.moments = make([]int, len(r.at))
	for k := 1; k < len(r.at); k++ {
		r.moments[k] = r.moments[k-1]
		if s.Time(r.at[k]) != s.Time(r.at[k-1]) {
			r.moments[k]++
		}
	}
	r.noteLimits()
	return r
}

// joinArrays replaces the tasks of each job array by its first task and returns the value of each kept run: of
// an array, the median of its tasks.
func (r *preparedSeries) joinArrays() []float64 {
	values := make([]float64, 0, len(r.at))
	first := map[string]int{}
	tasks := map[int][]float64{}
	kept := r.at[:0]
	for _, i := range r.at {
		if array := arrayOf(r.Series, i); array != "" {
			k, ok := first[array]
			if !ok {
				k = len(kept)
				first[array] = k
			}
			tasks[k] = append(tasks[k], r.Y[i])
			if ok {
				continue
			}
		}
		kept, values = append(kept, i), append(values, r.Y[i])
	}
	joined := 0
	for k, y := range tasks {
		if values[k] = robust.Median(y); len(y) > 1 {
			joined++
		}
	}
	if joined > 0 {
		r.notes = append(r.notes, note.New(note.ArrayTasks,
			"tasks of one job array count as one run, with the median of their values (%s)",
			quantity.Plural(joined, "job array")))
	}
	r.at = kept
	return values
}

// arrayOf returns the job array of run i, "" if none exists or it is unknown.
func arrayOf(s *Series, i int) string {
	if len(s.Array) != len(s.Y) {
		return ""
	}
	return s.Array[i]
}

// Usable reports whether run i has a positive value and a time in the range of measurements.
func (s *Series) Usable(i int) bool {
	return s.Y[i] >= 1/mostValue && s.Y[i] <= mostValue && math.Abs(s.Time(i)) <= mostDays
}

// Time returns the time of run i in days, its index if no times are given, or NaN if the times end before run
// i.
func (s *Series) Time(i int) float64 {
	switch {
	case s.T == nil:
		return float64(i)
	case i >= len(s.T):
		return math.NaN()
	}
	return s.T[i]
}

// noteLimits adds notes about what prevents changes from being detected or dated, and sets quiet.
func (r *preparedSeries) noteLimits() {
	switch {
	case len(r.x) < fewestRuns:
		r.quiet = true
		r.notes = append(r.notes, note.New(note.FewRuns, "no change is searched for: %s, at least %d are needed",
			quantity.Plural(len(r.x), "usable run"), fewestRuns))
		return
	case slices.Min(r.x) == slices.Max(r.x):
		r.quiet = true
		r.notes = append(r.notes, note.New(note.AllEqual, "all %d runs have the same value: there is no change to find",
			len(r.x)))
	}
	repeated, gap, where := 0, 0.0, 0
	for k := 1; k < len(r.at); k++ {
		d := r.Time(r.at[k]) - r.Time(r.at[k-1])
		if d == 0 {
			repeated++
		}
		if d > gap {
			gap, where = d, k
		}
	}
	if repeated > 0 {
		r.notes = append(r.notes, note.New(note.RepeatedTimes,
			"%s with the time of the run before: runs of one time are analysed in the order of the input",
			quantity.Plural(repeated, "run")))
	}
	if gap > longGapDays {
		r.notes = append(r.notes, note.New(note.LongGap,
			"no run in the %.1f years before %s: a change found at that run happened at some time in these years",
			gap/365.25, r.momentText(where)))
	}
}

// column returns the elements of a list for the kept runs; nil if the list does not have one element for each
// run of the input.
func column[V any](r *preparedSeries, all []V) []V {
	if all == nil || len(all) != len(r.Y) {
		return nil
	}
	kept := make([]V, len(r.at))
	for k, i := range r.at {
		kept[k] = all[i]
	}
	return kept
}

// startDays returns the starts of the kept runs in days since 1970, nil if unknown.
func (r *preparedSeries) startDays() []float64 {
	days := slices.Clone(column(r, r.Start))
	for k := range days {
		days[k] /= 24 * 60 * 60
	}
	return days
}

// sinceText returns "since" and the time of kept run k, for a note.
func (r *preparedSeries) sinceText(k int) string { return "since " + r.momentText(k) }

// momentText returns the time of kept run k as text: when it began, in UTC, if that is known; else its time in the
// input, as a date if times are dated, else as a number; without times its index in the input.
func (r *preparedSeries) momentText(k int) string {
	i := r.at[k]
	switch {
	case len(r.Start) == len(r.Y) && math.Abs(r.Start[i]) < 1e11:
		return time.Unix(int64(math.Floor(r.Start[i])), 0).UTC().Format(minuteLayout)
	case r.T == nil:
		return "run " + strconv.Itoa(i)
	case !r.Dated:
		return "t = " + strconv.FormatFloat(r.Time(i), 'f', -1, 64)
	}
	day := math.Floor(r.Time(i))
	at := time.Unix(int64(day)*86400+int64(math.Round((r.Time(i)-day)*86400)), 0).UTC()
	if r.Time(i) == day {
		return at.Format(time.DateOnly)
	}
	return at.Format(minuteLayout)
}

// minuteLayout is the format of a date with the time of day to the minute, UTC.
const minuteLayout = "2006-01-02 15:04"
