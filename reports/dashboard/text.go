package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/application"
	"jobgait/analysis/finding"
	"jobgait/analysis/quantity"
	"jobgait/reports/change"
	"jobgait/reports/text"
)

// appName returns the name of a history's application, or of the history without one.
func appName(s change.JudgedHistory) string {
	if s.App != "" {
		return text.Clean(s.App)
	}
	return s.Title()
}

// metricName returns the name of a history's metric for people, by default "time".
func metricName(s change.JudgedHistory) string {
	if m, ok := application.MetricOf(s.Metric); ok {
		return m.Description
	}
	return text.Clean(cmp.Or(s.Metric, "time"))
}

// shapeNames returns the names of the application's shapes without the words that all of them have; "" for a lone
// shape.
func (a app) shapeNames() []string {
	words := make([][]string, len(a.Shapes))
	count := map[string]int{}
	for i, h := range a.Shapes {
		words[i] = strings.Split(cmp.Or(change.ShapeName(h.Name), "any shape"), ", ")
		for _, w := range words[i] {
			count[w]++
		}
	}
	names := make([]string, len(a.Shapes))
	for i := range words {
		names[i] = strings.Join(slices.DeleteFunc(words[i], func(w string) bool { return count[w] == len(a.Shapes) }), ", ")
	}
	return names
}

// ownerAndLabel returns the name of a history in a list, with its user if there are several.
func ownerAndLabel(s change.JudgedHistory, severalUsers bool) string {
	if severalUsers && s.User != "" {
		return text.Clean(s.User) + " / " + label(s)
	}
	return label(s)
}

// label returns application, shape and metric of a history, as far as they are known.
func label(s change.JudgedHistory) string {
	if s.Metric == "" {
		return change.Label(appName(s), change.ShapeName(s.Shape))
	}
	return change.Label(appName(s), change.ShapeName(s.Shape), metricName(s))
}

// unchangedRemark returns the remark on the histories without a change, with the number of those that have too few runs
// to be judged.
func unchangedRemark(unknown int) string {
	if unknown == 0 {
		return "none of that size"
	}
	return "none of that size; " + quantity.Count(unknown) + " more have too few runs"
}

// omissionText says what the page leaves out; "" if it leaves out nothing.
func (d detail) omissionText(in Contents) string {
	total, pairs := len(in.Report.Series), min(len(in.Pairs), in.Limits.Pairs)
	var parts []string
	if n := len(in.Report.Machine); n > maxShadedShifts {
		parts = append(parts, fmt.Sprintf("of %d shifts of the machine the newest %d are shaded", n, maxShadedShifts))
	}
	switch d.curves {
	case noCurves:
		parts = append(parts, "evidence and normal plots are left out")
	case changedCurves:
		parts = append(parts, "evidence and normal plots are those of histories that changed")
	}
	switch {
	case d.tips == 0:
		parts = append(parts, "tooltips are left out")
	case d.tips > 0:
		parts = append(parts, fmt.Sprintf("tooltips are those of the newest %d runs", d.tips))
	}
	if d.histories >= 0 && d.histories < total {
		parts = append(parts, fmt.Sprintf("%d of %d histories are drawn, those that are slower now or changed first",
			d.histories, total))
	}
	if in.NoFurther {
		parts = append(parts, "further metrics are left out")
	}
	if d.pairs < pairs {
		parts = append(parts, fmt.Sprintf("%d of %d comparisons are shown", d.pairs, pairs))
	}
	if len(parts) == 0 {
		return ""
	}
	return "To keep the page small, " + strings.Join(parts, "; ") + "."
}

// text returns a sentence on what is wrong with the node.
func (n sickNode) text() string {
	var parts []string
	if n.histories > 0 {
		text := fmt.Sprintf("jobs take %s longer, in one history", quantity.Percent(n.effectPct))
		if n.histories > 1 {
			text = fmt.Sprintf("jobs take up to %s longer, in %s", quantity.Percent(n.effectPct),
				quantity.Plural(n.histories, "history"))
		}
		parts = append(parts, text)
	}
	if r := n.records; r != nil && r.Missing > 0 {
		parts = append(parts, fmt.Sprintf("no record of %d of %s", r.Missing, quantity.Plural(r.Jobs, "job")))
	}
	if r := n.records; r != nil && r.Died > 0 {
		parts = append(parts, fmt.Sprintf("the agent died in %d of %s", r.Died, quantity.Plural(r.Jobs, "job")))
	}
	return strings.Join(parts, "; ")
}

// firstJobs names the first jobs of a list and counts the rest.
func firstJobs(jobs []string) string {
	const maxJobs = 4
	var names []string
	for _, j := range jobs[:min(len(jobs), maxJobs)] {
		names = append(names, text.Clean(j))
	}
	text := strings.Join(names, ", ")
	if k := len(jobs) - len(names); k > 0 {
		text += fmt.Sprintf(" and %s more", quantity.Count(k))
	}
	return text
}

// ruleOf returns the rule of a finding, "" for a code without one.
func ruleOf(code string) string {
	rules := finding.Rules()
	i := slices.IndexFunc(rules, func(r finding.Rule) bool { return r.Code == code })
	if i < 0 {
		return ""
	}
	return rules[i].When
}

// withUser returns a name with its user.
func withUser(user, name string) string {
	return text.Clean(user) + " / " + text.Clean(name)
}

// hours prints node hours.
func hours(h float64) string { return quantity.Figures(h, 3) }
