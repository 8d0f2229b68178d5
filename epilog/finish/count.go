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

// Note codes that are counted for the site's administrator. nodeFailures are parts of a run that were not
// sampled; runFailures are runs with an incomplete report.
var (
	nodeFailures = []note.Code{note.NoAgent, note.AgentDied, note.AgentLate, note.ProfileBad, note.NoProfile,
		note.SpoolFull,
		note.SpoolFailed, note.LostSamples, note.InsideJob, note.BudgetExceeded, note.Unreadable}
	runFailures = []note.Code{note.HistoryFailed, note.CollectFailed, note.NoScheduler, note.MissingNodes}
)

// countCodes returns 1 for each code of the list that occurs among the notes.
func countCodes(notes []note.Note, list []note.Code) map[string]int64 {
	counts := map[string]int64{}
	for _, n := range notes {
		if slices.Contains(list, n.Code) {
			counts[string(n.Code)] = 1
		}
	}
	return counts
}

// countsOfNode returns what one node's record adds to the health counters of its node: one run, seconds sampled
// and lost, CPU cost and failures.
func countsOfNode(r summary.NodeRecord) health.Counts {
	did := health.Counts{Runs: 1, Failures: countCodes(r.Notes, nodeFailures)}
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

// countReport counts and logs a report that was written to dir. A report in the spool also counts as a failure
// to deliver.
func (f Finisher) countReport(s summary.Summary, dir string) {
	did := health.Counts{Reports: 1, Failures: countCodes(s.Notes, runFailures)}
	if strings.HasPrefix(dir, f.Spool+"/") {
		did.Failures[string(note.NoReportDir)] = 1
	}
	f.addCounts(did)
	if f.Info != nil {
		f.Info("job %d: %s, %s, report in %s", s.Key.JobID, quantity.Plural(len(s.Nodes), "node"),
			quantity.Plural(len(s.Notes), "note"), dir)
	}
}

// addCounts adds to the node's health counters and rewrites their textfile, if health.textfile names a
// directory. It only logs errors.
func (f Finisher) addCounts(did health.Counts) {
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
		f.Log("update the metrics in %s (health.textfile): %v: they lack the newest counts", dir, err)
	}
}
