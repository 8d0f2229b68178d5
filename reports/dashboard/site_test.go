package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/reports/pagetest"
)

// ofASite is a page of a site of which all is known, and one row each of which nothing is.
func ofASite() Contents {
	in := site(1, 24)
	in.Site = &history.Site{
		Slower: history.FirstRows[history.SlowerHistory]{Of: 14, Rows: []history.SlowerHistory{
			{User: "alice", App: "nemo", Shape: "4n 256t 1c", EffectPct: 20, Start: "2026-11-16T08:00:00", JobID: "812361",
				Jobs: 10, LostNodeHours: ptr(16.)},
			{User: "bob", App: "lmp melt", Shape: "1n 4t 1c", EffectPct: 3, Start: "2026-11-17T08:00:00", JobID: "812365_7",
				Jobs: 1}}},
		Nodes: history.FirstRows[history.SickNode]{Of: 1,
			Rows: []history.SickNode{{Node: "dahu-3", Jobs: 20, Missing: 5, Died: 2,
				JobIDs: []string{"1", "2", "3", "4", "5", "6", "7"}}}},
		Applications: history.FirstRows[history.ApplicationUse]{Of: 93_412, Rows: []history.ApplicationUse{
			{User: "alice", App: "nemo", NodeHours: ptr(12345.), Jobs: 30, CyclePct: ptr(97.), PeriodS: ptr(2.01),
				WaitingPct: ptr(7.8), MemoryPct: ptr(64.), GPUPct: ptr(71.)},
			{User: "bob", App: "lmp melt", Jobs: 1}}},
		Accounts: history.FirstRows[history.Account]{Of: 2,
			Rows: []history.Account{{Name: "ice", Jobs: 12, NodeHours: 84, IdleNodeHours: 60},
				{Jobs: 1, NodeHours: 2, IdleNodeHours: 1}}},
		Waste: []history.Waste{{Code: "cpus_idle", Jobs: 7, NodeHours: ptr(14.), LostNodeHours: ptr(8.5)},
			{Code: "memory_unused", Jobs: 2, NodeHours: ptr(4.)}},
		Coverage: []history.Coverage{{Jobs: 26}, {Jobs: 5, NoPeriod: "not_significant"},
			{Jobs: 2, NoPeriod: "not_sampled", NoReport: "not_sampled"}, {Jobs: 1, NoReport: "-"}},
	}
	return in
}

func siteOf(t *testing.T, in Contents) string {
	return between(t, page(t, in), `<div class="title"><h2>Slower since when`, `<div class="title"><h2>Histories`)
}

func TestSiteGolden(t *testing.T) {
	pagetest.Golden(t, "site.html", []byte(siteOf(t, ofASite())))
	for _, svg := range pagetest.Pictures(siteOf(t, ofASite())) {
		pagetest.Picture(t, svg)
	}
}

// What is not known is "-" and has no bar.
func TestUnknownOfASite(t *testing.T) {
	text := siteOf(t, ofASite())
	row := between(t, text, "bob / lmp melt</td>", "</tr>")
	if strings.Contains(row, "<rect class=\"value") || strings.Contains(row, ">0") {
		t.Error(row)
	}
	if _, app, ok := strings.Cut(text, "<h2>Applications"); !ok ||
		strings.Count(between(t, app, "bob / lmp melt</td>", "</tr>"), ">-</td>") != 6 {
		t.Error(app)
	}
	if !strings.Contains(text, "- of 4.00") {
		t.Error("no - of memory_unused")
	}
}

// A node is sick where jobs of several histories take longer, with those jobs; nodes
// without records come after it.
func TestSickNodes(t *testing.T) {
	in := ofASite()
	for i := range in.Report.Series {
		s := &in.Report.Series[i]
		s.Result.SlowNodes = []changepoint.SlowNode{{Node: "dahu-12", EffectPct: 9 - float64(i), P: .004}}
		s.Nodes = make([][]string, len(s.Jobs))
		s.Nodes[3], s.Nodes[5] = []string{"dahu-1", "dahu-12"}, []string{"dahu-12"}
	}
	rows, left := nodeRows(in)
	got := fmt.Sprint(rows, left)
	if want := "[{dahu-12 jobs take up to 9.0 % longer, in 2 histories 812360, 812354, 812360, 812354} {dahu-3 no " +
		"record of 5 of 20 jobs; the agent died in 2 of 20 jobs 1, 2, 3, 4 and 3 more}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Nodes of two clusters may have one name: they are two, and called by both.
func TestNodesOfTwoClusters(t *testing.T) {
	in := ofASite()
	in.Site.Nodes = history.FirstRows[history.SickNode]{Of: 2,
		Rows: []history.SickNode{{Cluster: "east", Node: "n1", Jobs: 4, Missing: 2},
			{Cluster: "west", Node: "n1", Jobs: 4, Missing: 3}}}
	for i := range in.Report.Series {
		in.Report.Series[i].Result.SlowNodes = nil
	}
	if rows, left := nodeRows(in); len(rows) != 2 || rows[0].Node != "west / n1" || rows[1].Node != "east / n1" ||
		left != "" {
		t.Error(rows, left)
	}
}
