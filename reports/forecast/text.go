// Package forecast prints, as text or JSON, what earlier runs say of a planned one: expected elapsed time with its
// interval, the chance to exceed the time limit, memory on each node, the numbers of nodes that pay, and the lines to
// write into the batch script. A forecast.PlannedRun comes in. Where runs are missing it prints what is missing and
// nothing else.
package forecast

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"jobgait/analysis/forecast"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// Text writes the forecast as text. zone is the time zone of printed dates.
func Text(w io.Writer, a forecast.PlannedRun, zone *time.Location) error {
	p := &text.Page{}
	head := text.Clean(a.App)
	if a.Nodes > 0 {
		head += " on " + quantity.Plural(a.Nodes, "node")
	}
	if a.Size != "" {
		head += ", size " + text.Clean(a.Size)
	}
	if a.Missing != "" {
		p.Text("", strings.TrimSpace(head+": missing for an answer: "+a.Missing+"."))
		return p.Print(w)
	}
	source := fmt.Sprintf(": from %s, the newest of %s", quantity.Plural(a.Runs, "run"),
		time.Unix(int64(a.Newest), 0).In(zone).Format(time.DateOnly))
	if a.Extrapolated {
		source = fmt.Sprintf(": from the scaling law of %s on other numbers of nodes", quantity.Plural(a.Runs, "run"))
	}
	p.Text("", head+source+".")
	p.Line(fmt.Sprintf("elapsed  %s, 95 %% interval %s .. %s", clock(a.Elapsed.Value), clock(a.Elapsed.Lo),
		clock(a.Elapsed.Hi)))
	if a.LimitS != nil && a.AtRisk != nil {
		p.Line(fmt.Sprintf("limit    %s: exceeded with a chance of %s", clock(*a.LimitS), chance(*a.AtRisk)))
	}
	if m := a.Memory; m != nil {
		p.Line(fmt.Sprintf("memory   %s on each node, at most %s (97.5 %%)", quantity.Amount(m.Value, "B"),
			quantity.Amount(m.Hi, "B")))
		if r := a.Request; r != nil {
			p.Line(fmt.Sprintf("request  %s on each node: exceeded with a chance of %s", quantity.Amount(r.Bytes, "B"),
				chance(r.AtRisk)))
		}
	}
	if len(a.Counts) > 0 {
		f := a.Fastest()
		line := fmt.Sprintf("nodes    fastest on %d (%s)", f.Nodes, clock(f.ElapsedS))
		var list []string
		for _, n := range a.Efficient() {
			list = append(list, fmt.Sprint(n))
		}
		p.Text("", line+"; efficiency above 70 % on "+strings.Join(list, ", "))
	}
	p.Line(directives(a))
	return p.Print(w)
}

// directives returns the #SBATCH options to write into the script.
func directives(a forecast.PlannedRun) string {
	line := "#SBATCH --time=" + clock(a.AskS)
	if a.AskBytes != nil {
		mb := int64(math.Ceil(*a.AskBytes / (1 << 20)))
		if mb%1024 == 0 {
			return fmt.Sprintf("%s --mem=%dG", line, mb/1024)
		}
		return fmt.Sprintf("%s --mem=%dM", line, mb)
	}
	return line
}

// clock prints seconds as the scheduler's time limits: [days-]hours:minutes:seconds.
func clock(s float64) string {
	n := int64(math.Round(s))
	days := ""
	if n >= 86400 {
		days = fmt.Sprintf("%d-", n/86400)
	}
	return fmt.Sprintf("%s%02d:%02d:%02d", days, n/3600%24, n/60%60, n%60)
}

// chance prints a probability; values below one in a thousand are printed as "below 0.1 %" and those above
// 0.999 as "above 99.9 %", because the error model is not that accurate.
func chance(p float64) string {
	switch {
	case p < 0.001:
		return "below 0.1 %"
	case p > 0.999:
		return "above 99.9 %"
	}
	return quantity.Share(p)
}
