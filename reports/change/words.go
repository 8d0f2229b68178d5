package change

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/table"
	"jobgait/reports/text"
)

// bounds returns the interval of the size of an effect, with the effect's sign removed: a run that is 10 % faster is
// faster by 8 .. 12 %. ok is false for an unknown or infinite interval.
func bounds(effect float64, lo, hi *float64) (from, to float64, ok bool) {
	if lo == nil || hi == nil || math.IsNaN(*lo+*hi) || math.IsInf(*lo, 0) || math.IsInf(*hi, 0) {
		return 0, 0, false
	}
	if effect < 0 {
		return -*hi, -*lo, true
	}
	return *lo, *hi, true
}

// Value prints a value of the metric with its unit.
func (h History) Value(v float64) string {
	s := quantity.Figures(v, 4)
	if h.Unit != "" && quantity.Known(v) {
		s += " " + text.Clean(h.Unit)
	}
	return s
}

// Spread prints a level with its standard deviation, which has two significant figures; only the level if the deviation
// is unknown or 0.
func (h History) Spread(mean, sd float64) string {
	if !(sd > 0) || math.IsInf(sd, 0) || math.IsNaN(mean) {
		return h.Value(mean)
	}
	decimals := min(9, max(0, 1-int(math.Floor(math.Log10(sd)))))
	words := strconv.FormatFloat(mean, 'f', decimals, 64) + " +- " + strconv.FormatFloat(sd, 'f', decimals, 64)
	if h.Unit != "" {
		words += " " + text.Clean(h.Unit)
	}
	return words
}

// nearDays is the age in days up to which a date is printed without its year.
const nearDays = 300

// date prints a day of the history: a date, without the year if that is clear, or the day's number if the
// history is not in calendar dates.
func (h History) date(day float64, o Options) string {
	if math.IsNaN(day) {
		return quantity.Missing
	}
	if !h.Calendar {
		return "day " + strconv.FormatFloat(math.Floor(day), 'f', 0, 64)
	}
	t := moment(day)
	if o.needsNoYear(day) {
		return t.Format("2 January")
	}
	return t.Format("2 January 2006")
}

// needsNoYear reports whether a date is printed without its year.
func (o Options) needsNoYear(day float64) bool {
	ago := o.Now - day
	return !o.Years && ago >= -1 && ago < nearDays
}

// NeedsYear reports whether dates need their year because the newest run is long ago; now is in days since
// 1970.
func NeedsYear(hs []History, now float64) bool { return now-Newest(hs) >= nearDays }

// moment returns the time of days since 1970; values outside of the calendar become 1970.
func moment(day float64) time.Time {
	const lastDay = 2_932_896
	if !(math.Abs(day) <= lastDay) {
		day = 0
	}
	whole := math.Floor(day)
	return time.Unix(int64(whole)*daySeconds+int64(math.Round((day-whole)*daySeconds)), 0).UTC()
}

// when prints the time of run k as the input gives it; without that, to the minute, or as a number if the history is
// not in calendar dates.
func (h History) when(k int) string {
	if k < 0 || k >= len(h.T) {
		return quantity.Missing
	}
	if h.Given != nil {
		if m := h.Given[k]; m.Text != "" || !h.Calendar {
			return text.Clean(m.String())
		}
	}
	if !h.Calendar {
		return strconv.FormatFloat(h.T[k], 'f', -1, 64)
	}
	return moment(h.T[k]).Format("2006-01-02 15:04 UTC")
}

// intervalText says from when to when, in epoch seconds; an end of nil means that it continues.
func intervalText(start float64, end *float64) string {
	const minute, clock = "2006-01-02 15:04", "15:04"
	from := moment(start / daySeconds)
	if end == nil {
		return "since " + from.Format(minute)
	}
	switch to := moment(*end / daySeconds); {
	case from.Format(minute) == to.Format(minute):
		return "at " + from.Format(minute)
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return "from " + from.Format(minute) + " to " + to.Format(clock)
	default:
		return "from " + from.Format(minute) + " to " + to.Format(minute)
	}
}

const daySeconds = 86400

// falseAlarmText says in how many runs chance alone gives one event like this; "" if that is unknown. per1000
// is the number of such events in 1000 runs without a change.
func falseAlarmText(per1000 *float64) string {
	if per1000 == nil || !(*per1000 > 0) || math.IsInf(*per1000, 0) {
		return ""
	}
	n := 1000 / *per1000
	if n < 10 {
		return "chance alone gives one like it in fewer than 10 runs"
	}
	step := math.Pow(10, math.Floor(math.Log10(n)))
	return fmt.Sprintf("chance alone gives one like it in about %s runs", quantity.Count(int64(math.Round(n/step)*step)))
}

// timeOf returns the time of a change as the input gives it; without that, as a date, or as a number if the history is
// not in calendar dates; nil if it is unknown.
func (h History) timeOf(c changepoint.Change) *table.Moment {
	m := table.Moment{Number: c.T}
	switch {
	case h.Given != nil && c.Index >= 0 && c.Index < len(h.Given):
		m = h.Given[c.Index]
	case math.IsNaN(c.T) || math.IsInf(c.T, 0):
		return nil
	case h.Calendar:
		m = table.Moment{Text: moment(c.T).Format(time.RFC3339)}
	}
	return &m
}

// Date prints the day of run k.
func (h History) Date(k int, o Options) string { return h.date(h.at(k), o) }

// shownDigits is the number of printed digits of a fingerprint, enough to distinguish the arguments of one
// user.
const shownDigits = 6

// ShapeName prints a shape in words: 2 nodes, 64 tasks, size L. It leaves out unknown parts, and returns an
// unknown shape as it is.
func ShapeName(shape string) string {
	shape = text.Clean(shape)
	l, ok := history.LayoutOf(shape)
	if !ok {
		return shape
	}
	var words []string
	for _, w := range []struct {
		n         int
		one, rest string
	}{{l.Nodes, "node", ""}, {l.Tasks, "task", ""}, {l.CPUs, "CPU", " a task"}} {
		if w.n > 0 {
			words = append(words, quantity.Plural(w.n, w.one)+w.rest)
		}
	}
	if l.Arguments != "" {
		words = append(words, "arguments "+text.Prefix(l.Arguments, shownDigits))
	}
	if l.Size != "" {
		words = append(words, "size "+l.Size)
	}
	return strings.Join(words, ", ")
}

// Label joins the words that name a history, without empty ones.
func Label(words ...string) string {
	var said []string
	for _, w := range words {
		if w = text.Clean(w); w != "" {
			said = append(said, w)
		}
	}
	return strings.Join(said, ", ")
}
