package history

import (
	"context"
	"database/sql"
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// previous is a stored run with the same key as a run that is put.
type previous struct {
	runID          int64
	reuse          int
	nodesReported  int
	nnodes         *int
	start          *float64
	schedulerStart *int64
	state          *string
	exitCode       *int
	exitSignal     *int
	jobName        *string
	account        *string
	partition      *string
	qos            *string
	stdout         *string
	reportDir      *string
}

// previousRuns returns the stored runs with the key of s.
func previousRuns(ctx context.Context, tx *sql.Conn, s summary.Summary) ([]previous, error) {
	var found []previous
	err := eachRow(ctx, tx, `
		SELECT run_id, reuse, nodes_reported, nnodes, start_s, scheduler_start,
			(SELECT text FROM internal_word WHERE word_id = state_id), exit_code, exit_signal, job_name,
			(SELECT text FROM internal_word WHERE word_id = account_id),
			(SELECT text FROM internal_word WHERE word_id = partition_id),
			(SELECT text FROM internal_word WHERE word_id = qos_id),
			replace((SELECT text FROM internal_word WHERE word_id = stdout_id), char(1), display_id),
			replace((SELECT text FROM internal_word WHERE word_id = report_dir_id), char(1), display_id)
		FROM internal_run WHERE job_id = ? AND restart = ? AND sluid = ? AND sub = ?
			AND cluster_id = (SELECT cluster_id FROM internal_cluster WHERE name = ?)
		ORDER BY reuse`, func(rows *sql.Rows) error {
		var p previous
		err := rows.Scan(&p.runID, &p.reuse, &p.nodesReported, &p.nnodes, &p.start, &p.schedulerStart,
			&p.state, &p.exitCode, &p.exitSignal, &p.jobName, &p.account, &p.partition, &p.qos, &p.stdout,
			&p.reportDir)
		found = append(found, p)
		return err
	}, s.Key.JobID, s.Key.Restart, note.Clean(s.Key.SLUID, maxName), s.Key.Sub, note.Clean(s.Key.Cluster, maxName))
	return found, err
}

// Two summaries with one key are of one run if the scheduler gives both the same start, to the second that it
// prints. Where it gives none, the starts that the Prologs saw decide. On several nodes the earliest may arrive
// late (a Prolog runs with the node's first step), but no cluster reuses an id within a day. A run of one node
// has one Prolog, whose time is fixed, so a machine that counts its jobs from 1 again is recognized at once.
const (
	schedulerToleranceS = 1
	oneNodeToleranceS   = 1
	toleranceS          = 86400
)

// isSameRun reports whether p and s are the same run, given that their keys are equal. If both have the
// scheduler's start time, these must agree within schedulerToleranceS; else the node's start times within
// oneNodeToleranceS, for two complete runs on one node, or toleranceS. A run without a start time counts as
// the same.
func (p previous) isSameRun(s summary.Summary) bool {
	if a, b := p.schedulerStart, s.Job.SchedulerStart; a != nil && b != nil {
		return math.Abs(float64(*a-*b)) <= schedulerToleranceS
	}
	if p.start == nil || s.Start <= 0 {
		return true
	}
	tolerance := float64(toleranceS)
	if n := nnodes(s); p.nnodes != nil && n != nil && *p.nnodes == 1 && *n == 1 &&
		p.nodesReported == 1 && s.Reported() == 1 {
		tolerance = oneNodeToleranceS
	}
	return p.distance(s) <= tolerance
}

// sameRun returns which of the found runs s is, if any, the one with the nearest start, and the number that
// distinguishes s from them if it is a different run.
func sameRun(found []previous, s summary.Summary) (same *previous, reuse int) {
	for i, p := range found {
		if p.isSameRun(s) && (same == nil || p.distance(s) < same.distance(s)) {
			same = &found[i]
		}
		reuse = max(reuse, p.reuse+1)
	}
	return same, reuse
}

// distance returns the distance of the starts in whole seconds.
func (p previous) distance(s summary.Summary) float64 {
	if p.start == nil {
		return 0
	}
	return math.Abs(*p.start - math.Floor(s.Start))
}

// inherit copies to s the fields that are known of p and not of s, and reports whether there were any. A later
// merge has more nodes, but may have less from the scheduler, which forgets a job within minutes.
func (p previous) inherit(s *summary.Summary) bool {
	changed := false
	for _, t := range []struct {
		to   *string
		from *string
	}{
		{&s.State, p.state}, {&s.Job.Name, p.jobName}, {&s.Job.Account, p.account},
		{&s.Job.Partition, p.partition}, {&s.Job.QOS, p.qos}, {&s.Job.StdOut, p.stdout},
	} {
		if *t.to == "" && t.from != nil {
			*t.to, changed = *t.from, true
		}
	}
	if s.Job.SchedulerStart == nil && p.schedulerStart != nil {
		s.Job.SchedulerStart, changed = p.schedulerStart, true
	}
	if s.Exit == nil && p.exitCode != nil && p.exitSignal != nil {
		s.Exit, changed = &run.Exit{Code: *p.exitCode, Signal: *p.exitSignal}, true
	}
	return changed
}
