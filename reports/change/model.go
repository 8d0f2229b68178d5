package change

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/table"
	"jobgait/reports/text"
)

// History is one series with its name and the origin of its runs. Histories of stored runs have Jobs; histories
// of files have Given and Order.
type History struct {
	table.Runs
	// Name is the printed name; if it is "" the ID is printed.
	Name string
	// Jobs holds the job id of each run; nil where no job id is known.
	Jobs []string
	// Pages holds the path of each run's HTML report, "" where it is unknown; nil where none is known. The file need not
	// exist.
	Pages []string
	// Lacking says why a run may have no value; "" if unknown.
	Lacking string
	// Support marks a further metric of runs for which another history is the leading one: it is drawn but not
	// reported.
	Support bool
}

// Of returns histories of the series read from a file. A lone series without a name is named after the file.
func Of(inputs []table.Runs, file string) []History {
	out := make([]History, len(inputs))
	for i, in := range inputs {
		out[i] = History{Runs: in}
		out[i].takeJobs()
		if len(inputs) == 1 && in.ID == "0" {
			out[i].Name = file
		}
	}
	return out
}

// takeJobs moves the job ids from the metadata to Jobs: they differ in every run and cannot explain a change.
func (h *History) takeJobs() {
	h.Meta = maps.Clone(h.Meta)
	for _, name := range []string{"job", "job_id", "jobid", "JobID"} {
		if jobs := h.Meta[name]; jobs != nil {
			h.Jobs = jobs
			delete(h.Meta, name)
		}
	}
}

// supports returns the further metrics of histories as separate histories, grouped by metric: metrics of the
// same run must not count as unrelated when shifts of the machine are searched.
func supports(hs []History) [][]History {
	var out []History
	for _, h := range hs {
		for _, name := range slices.Sorted(maps.Keys(h.Also)) {
			one := h
			one.Support, one.Y, one.Also = true, h.Also[name], nil
			one.Name, one.ID, one.Metric, one.Unit = h.Title(), h.ID+"/"+name, name, ""
			one.App = cmp.Or(h.App, h.Title())
			if strings.HasSuffix(name, "_s") {
				one.Unit = "s"
			}
			out = append(out, one)
		}
	}
	return byMetric(out)
}

// SplitLeadingMetric separates the histories of the leading metric from those of other metrics, for each user,
// application and shape. The iteration time leads, or the first metric without one. Histories without an application
// all lead. supporting has the other histories and the further metrics (Also) of the leading ones, grouped by metric;
// Support is set in them.
func SplitLeadingMetric(hs []History) (leading []History, supporting [][]History) {
	type key struct{ user, app, shape string }
	first := map[key]int{}
	for i, h := range hs {
		k := key{h.User, h.App, h.Shape}
		if j, ok := first[k]; h.App != "" &&
			(!ok || strings.HasPrefix(h.Metric, "step") && !strings.HasPrefix(hs[j].Metric, "step")) {
			first[k] = i
		}
	}
	var rest []History
	for i, h := range hs {
		j, ok := first[key{h.User, h.App, h.Shape}]
		if !ok || i == j || h.Metric == hs[j].Metric {
			leading = append(leading, h)
			continue
		}
		h.Support = true
		rest = append(rest, h)
	}
	supporting = byMetric(rest)
	return leading, append(supporting, supports(leading)...)
}

// byMetric groups histories by metric, in the order of their first appearance.
func byMetric(hs []History) [][]History {
	place := map[string]int{}
	var out [][]History
	for _, h := range hs {
		i, ok := place[h.Metric]
		if !ok {
			i = len(out)
			place[h.Metric], out = i, append(out, nil)
		}
		out[i] = append(out[i], h)
	}
	return out
}

// Add appends the histories of another report, which support those of r.
func (r *Report) Add(other Report) { r.Series = append(r.Series, other.Series...) }

// Values returns the number of runs that have a value.
func (h History) Values() int {
	n := 0
	for _, y := range h.Y {
		if !math.IsNaN(y) {
			n++
		}
	}
	return n
}

// Title returns the history's name, or its id, cleaned for printing.
func (h History) Title() string { return text.Clean(cmp.Or(h.Name, h.ID)) }

// Index returns the position of run k in the input.
func (h History) Index(k int) int {
	if h.Order == nil || k < 0 || k >= len(h.Order) {
		return k
	}
	return h.Order[k]
}

// Report is the judgement of many histories.
type Report struct {
	Method   changepoint.Method
	Series   []JudgedHistory
	Machine  []changepoint.MachineEvent
	Expected float64 // the number of events expected by chance alone; NaN if unknown
	// Own is the site's own rate of false alarms; nil where it was not requested or the histories are too few.
	Own     *changepoint.SiteRate
	options Options
}

// JudgedHistory is a history with its result and the judgement of it.
type JudgedHistory struct {
	History
	Result changepoint.SeriesResult
	Status Status
	// Events are the changes, newest first; the two ends of an excursion are one event.
	Events []ShownEvent
	// Unconfirmed is a deviation that is not yet a confirmed change. Watch is the sentence on it; "" if none
	// exists.
	Unconfirmed changepoint.Unconfirmed
	Watch       string
}

// Options say what is reported and how.
type Options struct {
	// MinEffectPct is the smallest change in percent that gives a history the status changed.
	MinEffectPct float64
	// Days, if above 0, leaves out events that were seen more than Days before Now.
	Days float64
	// Now is the time of the report in days since 1970; NaN stands for the newest run of all.
	Now float64
	// Years prints the year of every date: the newest run is so long ago that a date without its year would be
	// misread.
	Years bool
	Acks  Acks
	ASCII bool
	// Stored says that the runs come from jobgait's history: the text then names commands for a change, with the
	// database's name if it was given.
	Stored  bool
	History string
	// Site says that the histories are those of a whole site, for which the own rate of false alarms is computed.
	Site bool
	// Whose names the owner of the runs, where the histories' names do not.
	Whose string
}

// Default returns the usual options. A change below 2 % is listed but does not give a history the status
// changed: with many runs it may be certain, but it is too small to matter.
func Default() Options { return Options{MinEffectPct: 2, Now: math.NaN()} }

// Analyse looks for changes in all histories together. Histories that could not be read keep their place and
// have no results.
func Analyse(hs []History, m changepoint.Method, p changepoint.Params, o Options) Report {
	inputs := make([]table.Runs, len(hs))
	for i, h := range hs {
		inputs[i] = h.Runs
	}
	found := changepoint.Analyse(table.WithOwners(inputs), m, p)
	r := New(hs, m, found, o)
	if o.Site && m == changepoint.Sequential {
		r.Own = changepoint.MeasureSiteRate(found.Series, p)
	}
	return r
}

// New combines histories and the results of those that could be read, and judges them.
func New(hs []History, m changepoint.Method, found changepoint.Analysis, o Options) Report {
	if math.IsNaN(o.Now) {
		o.Now = Newest(hs)
	}
	r := Report{Method: m, Series: make([]JudgedHistory, len(hs)), Machine: found.Machine, Expected: found.Expected,
		options: o}
	next := 0
	for i, h := range hs {
		one := JudgedHistory{History: h, Result: changepoint.SeriesResult{ID: h.ID}}
		if !h.Bad {
			one.Result = found.Series[next]
			next++
		}
		one.judge(o)
		r.Series[i] = one
	}
	return r
}

// Newest returns the day of the last run of all histories; -Inf without a run.
func Newest(hs []History) float64 {
	day := math.Inf(-1)
	for _, h := range hs {
		if len(h.T) > 0 {
			day = math.Max(day, h.T[len(h.T)-1])
		}
	}
	return day
}

// byAge orders events, the newest first.
func byAge(a, b ShownEvent) int {
	return cmp.Or(cmp.Compare(b.First().T, a.First().T), cmp.Compare(a.First().Index, b.First().Index))
}

// shown leaves out events that are older than the requested days.
func (s JudgedHistory) shown(events []ShownEvent, o Options) []ShownEvent {
	return slices.DeleteFunc(events, func(e ShownEvent) bool { return !s.lately(e.Last(), o) })
}

// lately reports whether a change was seen within the reported days. It counts when it was seen, not when it
// began: runs of some days confirm it, and a mail of each day must not miss it.
func (s JudgedHistory) lately(c changepoint.Change, o Options) bool {
	seen := s.at(c.DetectedIndex)
	if math.IsNaN(seen) {
		seen = c.T
	}
	return !(o.Days > 0 && o.Now-seen > o.Days)
}
