package history

import (
	"strings"
	"testing"

	"jobgait/analysis/run"
)

// TestWantedCPUsAreNotIdle queries the idle CPUs of two jobs that kept one of eight CPUs busy: the tasks of one
// waited for five more.
func TestWantedCPUsAreNotIdle(t *testing.T) {
	db := open(t)
	for id, waitedS := range map[int64]float64{71: 0, 72: 5 * 7200} {
		s := oneNode(id)
		s.Start, s.End, s.ElapsedS = siteNowS-86400, siteNowS-86400+7200, 7200
		s.Job.NCPUs, s.Nodes[0].BusyCPUs, s.Job.Account = ptr(8), ptr(1.0), "account of "+run.JobID(id).String()
		s.Counters = []run.Counter{{Name: "proc_wait", Unit: "ns", Scope: "job", Total: waitedS * 1e9}}
		mustPut(t, db, s, Ingest{NowS: siteNowS})
	}
	got := dump(t, db.sql, queries(t)["week_idle"])
	if !strings.Contains(got, "71") || strings.Contains(got, "72") {
		t.Errorf("idle CPUs:\n%s", got)
	}
	waste := dump(t, db.sql, queries(t)["month_accounts"]) // as the dashboard shows it
	if !strings.Contains(waste, "account of 71") || strings.Contains(waste, "account of 72") {
		t.Errorf("idle node hours:\n%s", waste)
	}
}
