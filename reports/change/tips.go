package change

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
)

// drawTips draws at most v.Strips invisible strips with tooltips over the newest v.Tips runs, over all runs if
// v.Tips is negative.
func (s JudgedHistory) drawTips(c *plot.Chart, v View, from, to float64) {
	n := len(s.Y)
	first := 0
	if v.Tips >= 0 {
		first = max(0, n-v.Tips)
	}
	if first >= n || v.Strips < 1 {
		return
	}
	stride := (n - first + v.Strips - 1) / v.Strips
	edges := []float64{from}
	if first > 0 {
		edges[0] = (s.T[first-1] + s.T[first]) / 2
	}
	var tips []string
	for k := first; k < n; k += stride {
		end := min(n, k+stride)
		tips = append(tips, s.tips(k, end, v.Options))
		if end < n {
			edges = append(edges, (s.T[end-1]+s.T[end])/2)
		} else {
			edges = append(edges, to)
		}
	}
	c.Strips(edges, tips)
}

// tips returns the tooltip of runs k to end-1: one line per run, with the commit where it differs from that of
// the run before, or a summary if there are many runs.
func (s JudgedHistory) tips(k, end int, o Options) string {
	const maxRuns = 8
	if end-k <= maxRuns {
		var lines []string
		for i := k; i < end; i++ {
			lines = append(lines, s.tip(i, o, i == k || s.commit(i) != s.commit(i-1)))
		}
		return strings.Join(lines, "\n")
	}
	lo, hi, have := math.Inf(1), math.Inf(-1), 0
	for _, y := range s.Y[k:end] {
		if !math.IsNaN(y) {
			lo, hi, have = math.Min(lo, y), math.Max(hi, y), have+1
		}
	}
	text := fmt.Sprintf("%s to %s: %s", s.Moment(k, o), s.Moment(end-1, o), quantity.Plural(end-k, "run"))
	if have > 0 {
		text += ", " + s.Value(lo) + " .. " + s.Value(hi)
	}
	return text
}

// tip returns the date, job, commit (if commit is set) and value of run k.
func (s JudgedHistory) tip(k int, o Options, commit bool) string {
	text := s.Moment(k, o)
	if s.Jobs != nil && s.Jobs[k] != "" {
		text += " #" + shortValue(s.Jobs[k])
	}
	if c := s.commit(k); commit && c != "" {
		text += " " + c
	}
	return text + " " + s.Value(s.Y[k])
}

// Moment returns the time of run k in few letters: 2 Jan 15:04, with the year if o.Years is set or the run is not
// recent, and without the time of day at midnight. For a history without dates it returns the run's position and day
// number.
func (s JudgedHistory) Moment(k int, o Options) string {
	if !s.Calendar {
		return "run " + fmt.Sprint(s.Index(k)) + " day " + fmt.Sprint(math.Floor(s.T[k]))
	}
	t := moment(s.T[k])
	layout := "2 Jan"
	if o.Years || !(o.Now-s.T[k] < nearDays) {
		layout = "2 Jan 2006"
	}
	if t.Hour() != 0 || t.Minute() != 0 {
		layout += " 15:04"
	}
	return t.Format(layout)
}

// commit returns the first letters of the field that identifies the code of run k: the first that has a value
// of commit, git_commit, build_id, binary and executable; "" if none has.
func (s JudgedHistory) commit(k int) string {
	const shortHash = 8
	for _, name := range []string{"commit", "git_commit", "build_id", "binary", "executable"} {
		if words := s.Meta[name]; k < len(words) && words[k] != "" {
			r := []rune(shortValue(words[k]))
			return string(r[:min(shortHash, len(r))])
		}
	}
	return ""
}
