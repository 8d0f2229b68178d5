package history

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// A page of the site shows the results of the catalogue's queries.
func TestSiteIsTheCatalogue(t *testing.T) {
	db := site(t)
	s, err := db.Site(t.Context(), siteNowS)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "site.txt", shownSite(s))
	list := queries(t)
	for name, rows := range map[string]int{"month_slower": len(s.Slower.Rows), "week_sick_nodes": len(s.Nodes.Rows),
		"month_applications": len(s.Applications.Rows),
		"month_accounts":     len(s.Accounts.Rows), "week_waste": len(s.Waste), "week_coverage": len(s.Coverage)} {
		if n := strings.Count(dump(t, db.sql, list[name]), "\n\n"); n != rows || rows == 0 {
			t.Errorf("%s has %d rows, told are %d", name, n, rows)
		}
	}
}

// shownSite is a site with its numbers.
func shownSite(s Site) string {
	num := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprint(*v)
	}
	var b strings.Builder
	for _, r := range s.Slower.Rows {
		fmt.Fprintln(&b, "slower", r.User, r.App, r.Shape, r.EffectPct, r.JobID, r.Jobs, num(r.LostNodeHours))
	}
	for _, r := range s.Nodes.Rows {
		fmt.Fprintln(&b, "node", r.Cluster, r.Node, r.Jobs, r.Missing, r.Died, r.JobIDs)
	}
	for _, r := range s.Applications.Rows {
		fmt.Fprintln(&b, "application", r.User, r.App, num(r.NodeHours), r.Jobs, num(r.CyclePct), num(r.PeriodS),
			num(r.WaitingPct), num(r.MemoryPct), num(r.GPUPct))
	}
	for _, r := range s.Accounts.Rows {
		fmt.Fprintln(&b, "account", r.Name, r.Jobs, r.NodeHours, r.IdleNodeHours)
	}
	for _, r := range s.Waste {
		fmt.Fprintln(&b, "waste", r.Code, r.Jobs, num(r.NodeHours), num(r.LostNodeHours))
	}
	for _, r := range s.Coverage {
		fmt.Fprintf(&b, "coverage %d %q %q\n", r.Jobs, r.NoReport, r.NoPeriod)
	}
	return b.String()
}

// A site without runs shows nothing, and a run with hardly any data gives no numbers.
func TestSiteOfNothing(t *testing.T) {
	db := open(t)
	s, err := db.Site(t.Context(), siteNowS)
	if text := shownSite(s); err != nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
	bare := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: 7},
		Job: run.Job{User: "dora", UID: 9}, Start: siteNowS - 7200, End: siteNowS - 3600}
	mustPut(t, db, bare, Ingest{})
	if s, err = db.Site(t.Context(), siteNowS); err != nil || strings.Contains(shownSite(s), "NaN") {
		t.Errorf("%s, %v", shownSite(s), err)
	}
	if len(s.Coverage) != 1 || s.Coverage[0] != (Coverage{1, "not_sampled", "not_sampled"}) {
		t.Errorf("%+v", s.Coverage)
	}
}

// Two sites are merged: rows of both, ten of a kind, and sums of sums.
func TestJoinedSites(t *testing.T) {
	s, err := site(t).Site(t.Context(), siteNowS)
	if err != nil {
		t.Fatal(err)
	}
	both := JoinSites([]Site{s, s})
	if both.Applications.Of != 2*s.Applications.Of ||
		len(both.Applications.Rows) != min(SiteRows, 2*len(s.Applications.Rows)) || both.Applications.More() < 0 {
		t.Errorf("%d of %d", len(both.Applications.Rows), both.Applications.Of)
	}
	if len(both.Waste) != len(s.Waste) || both.Waste[0].Jobs != 2*s.Waste[0].Jobs ||
		*both.Waste[0].LostNodeHours != 2**s.Waste[0].LostNodeHours {
		t.Errorf("%+v, of one %+v", both.Waste[0], s.Waste[0])
	}
	if len(both.Coverage) != len(s.Coverage) || both.Coverage[0].Jobs != 2*s.Coverage[0].Jobs {
		t.Errorf("%+v", both.Coverage)
	}
}

// Queries use the codes of reports: a renamed code would count nothing.
func TestCodesOfTheSiteAreThere(t *testing.T) {
	rules := map[string]bool{}
	for _, r := range finding.Rules() {
		rules[r.Code] = true
	}
	list := queries(t)
	for name, codes := range map[string][]string{"week_waste": {"no_period", "not_sampled", "partly_sampled"},
		"week_crowded":   {"crowded"},
		"week_throttled": {"throttled", "stolen"}, "week_memory_near": {"memory_near_limit", "out_of_memory"}} {
		for _, code := range codes {
			if !rules[code] || !strings.Contains(list[name], "'"+code+"'") {
				t.Errorf("%s is no finding, or not in %s", code, name)
			}
		}
	}
	for _, code := range []note.Code{note.NoReportDir, note.NoAgent, note.AgentDied, note.NoProfile, note.ProfileBad,
		note.SpoolFull, note.SpoolFailed,
		note.CollectFailed, note.Requeued, note.Idle, note.TooShort, note.NoVariance, note.NoValley, note.NotTracked,
		note.NotSignificant,
		note.LowCoverage, note.NodesDisagree, note.OnlyClocks, note.NoPerf, note.SlowProc} {
		if !strings.Contains(list["week_coverage"], "'"+string(code)+"'") {
			t.Errorf("%s is not in week_coverage", code)
		}
	}
}

// A view in a foreign file may run forever.
func TestAskEnds(t *testing.T) {
	db := open(t)
	a, err := db.Select(t.Context(), "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c")
	if !errors.Is(err, errManyRows) {
		t.Errorf("%d rows, %v", len(a.Rows), err)
	}
}
