package finish

import (
	"path/filepath"
	"slices"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/epilog/health"
)

// Notes that a site's administrator counts: each is a part of a run that jobgait did
// not see, or a run that it did not tell of as it should.
var (
	nodeFailures = []note.Code{note.NoAgent, note.AgentDied, note.AgentLate, note.ProfileBad, note.NoProfile,
		note.SpoolFull,
		note.SpoolFailed, note.LostSamples, note.InsideJob, note.BudgetExceeded, note.Unreadable}
	runFailures = []note.Code{note.HistoryFailed, note.CollectFailed, note.NoScheduler, note.MissingNodes}
)

// failed counts the codes of a list among notes, each once a run.
func failed(notes []note.Note, list []note.Code) map[string]int64 {
	counts := map[string]int64{}
	for _, n := range notes {
		if slices.Contains(list, n.Code) {
			counts[string(n.Code)] = 1
		}
	}
	return counts
}

// sampled is what a node's record adds to the counts of its node.
func sampled(r summary.NodeRecord) health.Did {
	did := health.Did{Runs: 1, Failures: failed(r.Notes, nodeFailures)}
	seen := 0.0
	if q := r.Quality; r.Sampled() && q.RateHz > 0 {
		seen = float64(q.Samples-q.Missing) / q.RateHz
		did.AvailableS = r.ElapsedS * float64(q.CPUs)
		did.CostS = did.AvailableS * q.OverheadPct / 100
	}
	did.SampledS = min(seen, r.ElapsedS)
	did.LostS = r.ElapsedS - did.SampledS
	return did
}

// countReport counts a report that went to dir. One that the user's directories did not take is in the spool.
func (f Finisher) countReport(s summary.Summary, dir string) {
	did := health.Did{Reports: 1, Failures: failed(s.Notes, runFailures)}
	if strings.HasPrefix(dir, f.Spool+"/") {
		did.Failures[string(note.NoReportDir)] = 1
	}
	f.count(did)
	if f.Info != nil {
		f.Info("job %d: %s, %s, report in %s", s.Key.JobID, quantity.Plural(len(s.Nodes), "node"),
			quantity.Plural(len(s.Notes), "note"), dir)
	}
}

// count adds to what this node has done, where somebody reads that.
func (f Finisher) count(did health.Did) {
	dir := f.Config.Health.Textfile
	if dir == "" {
		return
	}
	err := job.RequireRootOwned(dir)
	if err == nil {
		did, err = health.Add(f.Spool, did)
	}
	if err == nil {
		err = health.Write(dir, filepath.Base(f.Spool), did)
	}
	if err != nil {
		f.Log("%v", err)
	}
}
