package job

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/quantity"
)

// ranS returns the elapsed time without suspensions, in s.
func (r Report) ranS() float64 { return math.Max(0, r.Job.ElapsedS-r.Job.SuspendedS) }

// timePart is a part of the elapsed time in words, and its share.
type timePart struct {
	text  string
	share float64
}

// timeDivision says how the elapsed time divides into computing, waiting and sleeping, in whole percent; "" where that
// is unknown.
func (r Report) timeDivision() string {
	d := r.Resources.Time.Division
	if d == nil || r.partial() || !(r.ranS() > 0) {
		return ""
	}
	parts := []timePart{{"computing", d.Computing}}
	rest := []string{r.asleepWords(d.Asleep)} // what the rest may be
	if d.CPUWait != nil {
		parts = append(parts, timePart{"waiting for a CPU", *d.CPUWait})
	} else {
		rest = append(rest, "waiting for a CPU")
	}
	if d.Storage != nil {
		parts = append(parts, timePart{"waiting for storage", *d.Storage})
	} else {
		rest = append(rest, "waiting for storage")
	}
	parts = append(parts, timePart{strings.Join(rest, " or "), d.Asleep})
	var words []string
	for i, percent := range wholePercents(parts) {
		if percent > 0 {
			words = append(words, quantity.WholePercent(percent)+" "+parts[i].text)
		}
	}
	line := "of " + quantity.Duration(r.ranS())
	switch {
	case d.Part < 1:
		line = fmt.Sprintf("of the %s that were sampled, %s of the run", quantity.Duration(d.Part*r.ranS()),
			quantity.Share(d.Part))
	case r.Job.SuspendedS > 0:
		line += " without suspension"
	}
	if r.Nodes.Total > 1 {
		line += ", mean of its nodes"
	} else if n := r.activeTasks(); n >= severalTasks {
		line += ", mean of " + cpus(n) + " active tasks"
	}
	return line + ": " + strings.Join(words, ", ")
}

// severalTasks is the least mean number of active tasks that the division of the time names: its shares are means of
// these.
const severalTasks = 1.5

// activeTasks returns how many tasks of the run computed or waited for a CPU on average, 0 if either is unknown.
func (r Report) activeTasks() float64 {
	c := r.Resources.CPU
	if c.Busy == nil || c.Waiting == nil {
		return 0
	}
	return *c.Busy + *c.Waiting
}

// wholePercents returns the shares in whole percent that add up to 100: those with the largest remainders are rounded
// up.
func wholePercents(parts []timePart) []int {
	out, order, left := make([]int, len(parts)), make([]int, len(parts)), 100
	for i, p := range parts {
		out[i], order[i] = int(100*p.share), i
		left -= out[i]
	}
	remainder := func(i int) float64 { return 100*parts[i].share - float64(out[i]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	for _, i := range order[:min(max(0, left), len(order))] {
		out[i]++
	}
	return out
}

// noChange is the next step after a run with findings none of which advises anything.
const noChange = "No change is suggested."

// nextWithoutFinding returns what to do next after a run whose findings advise nothing: to begin with the code that
// takes the most time, or that no change is suggested. It returns "" if the run failed, was not sampled, or its samples
// are doubtful.
func (r Report) nextWithoutFinding() string {
	if r.failed() || len(r.doubts()) > 0 || !r.Quality.sampled() {
		return ""
	}
	if r.Code != nil {
		if lead := r.Code.leadingFunction(); lead != "" {
			return "To shorten the run, begin with " + lead + "."
		}
	}
	if len(r.Findings) > 0 {
		return noChange
	}
	return "Nothing stands out: no change is suggested."
}

// leadingFunction returns the name and the share of the function with the most CPU time among those with a name; "" if
// its share is below leadFunction.
func (c CodeShares) leadingFunction() string {
	for _, f := range c.Functions {
		if f.Share < leadFunction {
			return ""
		}
		if f.Name != "" {
			return fmt.Sprintf("%s, %s of the CPU time", shortName(string(f.Name), 40), c.share(f.Share))
		}
	}
	return ""
}

// brief returns what the page lists below the statements: what to do, where the time went, and the resources.
func (r Report) brief() []gauge {
	all := []gauge{{Name: "NEXT", Text: string(r.Next)}, {Name: "TIME", Text: r.timeDivision()},
		{Name: "CODE", Text: r.codeBrief()}, {Name: "PROGS", Text: r.programsBrief()},
		{Name: "PARTS", Text: r.courseLine()}}
	all = slices.DeleteFunc(all, func(g gauge) bool { return g.Text == "" })
	return append(all, r.gauges()...)
}
