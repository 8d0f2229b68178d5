package history

import (
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// found applies the rules of analysis/finding to the resources and the end of a run. Reports know more of a run:
// a test there compares their findings with the stored ones.
func found(s summary.Summary) []finding.Finding {
	u := s.Resources()
	r := finding.RunFacts{Batch: true, ElapsedS: s.ElapsedS, NNodes: s.Job.NNodes, State: s.State, Ended: s.State,
		Sampled:  true,
		Periodic: len(s.Patterns) > 0,
		NoPeriod: "nothing repeats", InOrder: s.State == "" || s.State == "COMPLETED", ImbalancePct: s.ImbalancePct,
		LimitS: s.Job.TimeLimitS,
		CPU: finding.CPU{Allocated: u.CPU.Allocated, Busy: u.CPU.Busy, Waiting: u.CPU.Waiting,
			Throttled: u.CPU.Throttled, Stolen: u.CPU.Stolen, Others: u.CPU.Others},
		Memory: finding.MemoryFacts{Peak: u.Memory.PeakBytes, Requested: u.Memory.RequestedBytes,
			OOMKills: u.Memory.OOMKills}}
	if e := s.Exit; e != nil && *e != (run.Exit{}) {
		r.ExitSignal, r.InOrder = e.Signal, false
	}
	return finding.Of(r, nil)
}

// codesOf lists the stored findings of a job.
func codesOf(t *testing.T, db *DB, jobID int) string {
	t.Helper()
	query := fmt.Sprintf("SELECT Code FROM job_findings WHERE JobID = '%d' ORDER BY Position", jobID)
	return strings.Join(strings.Fields(strings.ReplaceAll(dump(t, db.sql, query), "Code", "")), " ")
}

// TestFindingsFollowTheRun checks that findings are replaced with the run, follow a state that the scheduler
// reports later, and are removed with the run.
func TestFindingsFollowTheRun(t *testing.T) {
	db := open(t)
	s := oneNode(7)
	s.State, s.Exit = "", nil
	s.Job.NCPUs, s.Nodes[0].BusyCPUs = ptr(64), ptr(1.0)
	mustPut(t, db, s, Ingest{NowS: t0, Findings: found})
	if got := codesOf(t, db, 7); got != "cpus_idle" {
		t.Errorf("first: %q", got)
	}
	s.Nodes[0].BusyCPUs = ptr(63.0)
	mustPut(t, db, s, Ingest{NowS: t0, Findings: found})
	if got := codesOf(t, db, 7); got != "" {
		t.Errorf("replaced: %q", got)
	}
	list, err := db.UnsettledRuns(t.Context(), 0, 2, false)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := db.PutStates(t.Context(), []RunEnd{{list[0].RunID, "TIMEOUT", nil}}, t0, found); err != nil {
		t.Fatal(err)
	}
	if got := codesOf(t, db, 7); got != "time_limit" {
		t.Errorf("state learned: %q", got)
	}
	if _, err := db.sql.Exec("DELETE FROM internal_run"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "internal_run_finding"); n != 0 {
		t.Errorf("%d findings of no run", n)
	}
}

// TestFindingsAreBounded: of each run 32 findings at most, of each 400 bytes of evidence.
func TestFindingsAreBounded(t *testing.T) {
	db := open(t)
	many := func(summary.Summary) (all []finding.Finding) {
		nodes := make([]string, 10_000)
		for i := range nodes {
			nodes[i] = fmt.Sprintf("node%05d", i)
		}
		for i := range 100 {
			all = append(all, finding.Finding{Code: fmt.Sprintf("code%d", i%3), Level: finding.Info,
				Evidence: map[string]any{"share": 1.0 / 3, "nodes": nodes}})
		}
		all[1].Evidence = map[string]any{"why": strings.Repeat("x", 1000)}
		return all
	}
	mustPut(t, db, oneNode(1), Ingest{NowS: t0, Findings: many})
	if n := count(t, db, "internal_run_finding"); n != mostFindings {
		t.Errorf("%d findings", n)
	}
	if n := count(t, db, "internal_finding_code"); n != 3 {
		t.Errorf("%d codes", n)
	}
	want := `{"nodes":["node00000","node00001","node00002","node00003","node00004","node00005","node00006",` +
		`"node00007"],"share":0.3333}`
	var first string
	var long *string
	if err := db.sql.QueryRow("SELECT evidence FROM internal_run_finding WHERE position = 0").Scan(&first); err != nil ||
		first != want {
		t.Errorf("%s, %v", first, err)
	}
	if err := db.sql.QueryRow("SELECT evidence FROM internal_run_finding WHERE position = 1").Scan(&long); err != nil ||
		long != nil {
		t.Errorf("%v, %v", long, err)
	}
}
