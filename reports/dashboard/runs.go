package dashboard

import (
	"cmp"
	"fmt"
	"time"

	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// RunList is the newest runs and the newest failed runs of the days that the page covers, newest first.
type RunList struct {
	Newest, Failed []ListedRun
	// Total and TotalFailed are the numbers of runs in these days.
	Total, TotalFailed int
}

// ListedRun is one run in a list.
type ListedRun struct {
	JobID, User, App string
	Start            time.Time
	ElapsedS         float64
	Failed           bool
	Ended            string // how it ended, in words
	Finding          string // what its report says first beside that; "" for nothing
	Page             string // path of its report's HTML page; "" if unknown
}

// ListedRuns is the number of runs in each list of the page.
const ListedRuns = 12

// runRow is a run in a table of the page.
type runRow struct {
	JobID, Page, Who, Started, Elapsed, Ended, Finding string
	Failed                                             bool
}

// runTable is a table of runs.
type runTable struct {
	Title, Remark string
	Rows          []runRow
}

// runTables returns the tables of failed and of newest runs; a table without a run is left out.
func runTables(in Contents) []runTable {
	if in.Runs == nil {
		return nil
	}
	var out []runTable
	for _, t := range []struct {
		title string
		runs  []ListedRun
		total int
	}{{"Failed runs", in.Runs.Failed, in.Runs.TotalFailed}, {"Newest runs", in.Runs.Newest, in.Runs.Total}} {
		if len(t.runs) == 0 {
			continue
		}
		table := runTable{Title: t.title, Remark: fmt.Sprintf("all %d of the %s", t.total, daysText(in.Days))}
		switch {
		case t.total > len(t.runs):
			table.Remark = fmt.Sprintf("the newest %d of %s of the %s", len(t.runs), quantity.Count(t.total),
				daysText(in.Days))
		case t.total == 1:
			table.Remark = "the only one of the " + daysText(in.Days)
		}
		table.Remark += "; times in UTC"
		for _, r := range t.runs {
			table.Rows = append(table.Rows, in.newRunRow(r))
		}
		out = append(out, table)
	}
	return out
}

// daysText names the days that the page covers: "last 14 days", or "half year" for 0, which means no limit.
func daysText(days float64) string {
	switch {
	case days <= 0:
		return "half year"
	case days == 1:
		return "last day"
	}
	return fmt.Sprintf("last %g days", days)
}

// newRunRow returns the row of a run, with a link if its report can be read.
func (in Contents) newRunRow(r ListedRun) runRow {
	row := runRow{JobID: text.Clean(r.JobID), Page: in.link(r.Page), Who: text.Clean(cmp.Or(r.App, "-")),
		Started: r.Start.UTC().Format("2 Jan 15:04"), Elapsed: quantity.Duration(r.ElapsedS),
		Ended: text.Clean(r.Ended), Finding: text.Clean(r.Finding), Failed: r.Failed}
	if in.ShowUsers && r.User != "" {
		row.Who = withUser(r.User, cmp.Or(r.App, "-"))
	}
	return row
}

// link returns the URL of a report's page, "" if it cannot be read.
func (in Contents) link(page string) string {
	if in.Link == nil || page == "" {
		return ""
	}
	return in.Link(page)
}

// mostPanelRuns is the largest number of runs that are listed below a history.
const mostPanelRuns = 20

// panelRun is a run of a history in a list.
type panelRun struct{ JobID, Page, Date, Value string }

// addRuns lists the newest runs of the history, at most mostPanelRuns, newest first. It lists none for a further metric
// and if job ids are unknown.
func (p *panel) addRuns(in Contents, m metric) {
	s := m.JudgedHistory
	if s.Jobs == nil || s.Support {
		return
	}
	for k := len(s.Y) - 1; k >= 0 && len(p.Runs) < mostPanelRuns; k-- {
		run := panelRun{JobID: text.Clean(s.Jobs[k]), Date: s.Moment(k, in.Options), Value: s.Value(s.Y[k])}
		if k < len(s.Pages) {
			run.Page = in.link(s.Pages[k])
		}
		p.Runs = append(p.Runs, run)
	}
}
