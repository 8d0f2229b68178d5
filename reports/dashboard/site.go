package dashboard

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/reports/change"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// siteView holds what the page of a whole site shows beside its histories. Each number comes from a query of
// the history's catalogue (jobgait-history(5)); the section names the query.
type siteView struct {
	Slower                      []slowerRow
	Nodes                       []nodeRow
	Apps                        []appRow
	Waste, Accounts             []gauge
	Covered, NoReport, NoPeriod []gauge
	Jobs                        string // the number of jobs that the coverage is of
	SlowerMore, NodesMore       string
	AppsMore, AccountsMore      string
}

// slowerRow is an application that became slower.
type slowerRow struct {
	Who, By, Since, JobID, Jobs, Lost string
	Bar                               template.HTML
}

// appRow is an application with its node hours.
type appRow struct {
	Who, NodeHours, Jobs, Period string
	Bar                          template.HTML
	Cycle, Waiting, Memory, GPU  share
}

// share is a share in words and as a bar, which is empty where the share is unknown.
type share struct {
	Text string
	Bar  template.HTML
}

// gauge is a named bar with its text; Hint explains the name.
type gauge struct {
	Name, Hint, Text string
	Bar              template.HTML
}

// newSiteView returns the view of the site, nil for a page of less than a site.
func newSiteView(in Contents) *siteView {
	if in.Site == nil {
		return nil
	}
	s := *in.Site
	v := &siteView{SlowerMore: moreRowsText(s.Slower), AppsMore: moreRowsText(s.Applications),
		AccountsMore: moreRowsText(s.Accounts)}
	v.slower(s.Slower.Rows)
	v.apps(s.Applications.Rows)
	v.waste(s)
	v.coverage(s.Coverage)
	v.Nodes, v.NodesMore = nodeRows(in)
	return v
}

// moreRowsText says how many rows are left out.
func moreRowsText[T any](t history.FirstRows[T]) string {
	if t.More() <= 0 {
		return ""
	}
	return fmt.Sprintf("and %s more", quantity.Count(t.More()))
}

// slower adds the rows of applications that became slower.
func (v *siteView) slower(rows []history.SlowerHistory) {
	hi := maxKnown(rows, func(r history.SlowerHistory) *float64 { return r.LostNodeHours })
	for _, r := range rows {
		day, _, _ := strings.Cut(r.Start, "T")
		v.Slower = append(v.Slower, slowerRow{Who: withUser(r.User, change.Label(r.App, change.ShapeName(r.Shape))),
			By: quantity.Signed(r.EffectPct), Since: text.Clean(day),
			JobID: text.Clean(r.JobID), Jobs: quantity.Count(r.Jobs), Lost: quantity.Optional(r.LostNodeHours, hours),
			Bar: bar("value odd", r.LostNodeHours, hi, "node hours")})
	}
}

// apps adds the rows of applications.
func (v *siteView) apps(rows []history.ApplicationUse) {
	hi := maxKnown(rows, func(r history.ApplicationUse) *float64 { return r.NodeHours })
	for _, r := range rows {
		v.Apps = append(v.Apps, appRow{Who: withUser(r.User, r.App), NodeHours: quantity.Optional(r.NodeHours, hours),
			Jobs:   quantity.Count(r.Jobs),
			Period: quantity.Optional(r.PeriodS, quantity.Period), Bar: bar("value", r.NodeHours, hi, "node hours"),
			Cycle: percentOf(r.CyclePct, "value"), Waiting: percentOf(r.WaitingPct, "value odd"),
			Memory: percentOf(r.MemoryPct, "value"), GPU: percentOf(r.GPUPct, "value")})
	}
}

// waste adds the gauges of waste by finding and by account.
func (v *siteView) waste(s history.Site) {
	hi := maxKnown(s.Waste, func(r history.Waste) *float64 { return r.NodeHours })
	for _, r := range s.Waste {
		words := quantity.Optional(r.LostNodeHours, hours) + " of " + quantity.Optional(r.NodeHours, hours)
		v.Waste = append(v.Waste, gauge{Name: FindingName(r.Code), Hint: ruleOf(r.Code), Text: words,
			Bar: bar("value odd", r.LostNodeHours, hi, words+" node hours, in "+quantity.Plural(r.Jobs, "job"))})
	}
	hi = maxKnown(s.Accounts.Rows, func(r history.Account) *float64 { return &r.NodeHours })
	for _, r := range s.Accounts.Rows {
		words := hours(r.IdleNodeHours) + " of " + hours(r.NodeHours)
		v.Accounts = append(v.Accounts, gauge{Name: cmp.Or(text.Clean(r.Name), quantity.Missing), Text: words,
			Bar: bar("value odd", &r.IdleNodeHours, hi, words+" node hours, of "+quantity.Plural(r.Jobs, "job"))})
	}
}

// coverage adds how many jobs have a report and a period, and why the others have none.
func (v *siteView) coverage(rows []history.Coverage) {
	all, reported, periodic := 0, 0, 0
	noReport, noPeriod := map[string]int{}, map[string]int{}
	for _, r := range rows {
		all += r.Jobs
		if r.NoReport == "" {
			reported += r.Jobs
		} else {
			noReport[r.NoReport] += r.Jobs
		}
		if r.NoPeriod == "" {
			periodic += r.Jobs
		} else {
			noPeriod[r.NoPeriod] += r.Jobs
		}
	}
	if all == 0 {
		return
	}
	v.Jobs = quantity.Plural(all, "job")
	v.Covered = []gauge{counted("a report", "value", reported, all), counted("a period", "value", periodic, all)}
	v.NoReport, v.NoPeriod = reasons(noReport, all), reasons(noPeriod, all)
}

// reasons returns a gauge for each reason, that of most jobs first.
func reasons(jobs map[string]int, all int) []gauge {
	var out []gauge
	codes := make([]string, 0, len(jobs))
	for code := range jobs {
		codes = append(codes, code)
	}
	slices.SortFunc(codes, func(a, b string) int { return cmp.Or(cmp.Compare(jobs[b], jobs[a]), cmp.Compare(a, b)) })
	for _, code := range codes {
		name := reasonText(code)
		if code == quantity.Missing {
			name = "no reason noted"
		}
		out = append(out, counted(name, "value odd", jobs[code], all))
	}
	return out
}

// counted returns a gauge of n jobs out of of.
func counted(name, class string, n, of int) gauge {
	k := float64(n)
	text := fmt.Sprintf("%s, %s", quantity.Share(k/float64(of)), quantity.Plural(n, "job"))
	return gauge{Name: name, Text: text, Bar: bar(class, &k, float64(of), text)}
}

// maxKnown returns the largest known value, the end of a scale; 0 if none is known.
func maxKnown[T any](rows []T, of func(T) *float64) float64 {
	hi := 0.
	for _, r := range rows {
		if v := of(r); v != nil && quantity.Known(*v) {
			hi = max(hi, *v)
		}
	}
	return hi
}

// bar returns a bar of v on a scale to hi, "" where there is nothing to draw.
func bar(class string, v *float64, hi float64, tip string) template.HTML {
	if v == nil || !quantity.Known(*v) || !(hi > 0) {
		return ""
	}
	return template.HTML(plot.Meter(class, *v, hi, tip))
}

// percentOf returns a value in percent with a bar on a scale to 100.
func percentOf(v *float64, class string) share {
	text := quantity.Optional(v, quantity.Percent)
	return share{text, bar(class, v, 100, text)}
}
