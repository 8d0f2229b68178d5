package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/epilog/collect"
)

// State says how far a run has come on one node. A run passes the states in their order and skips those that
// transitions excludes for it: a node that does not collect goes from Collected to Archived. Every process may be
// killed at any moment. The next try, mostly of a sweep, begins at the last state that a file in the run directory
// proves and repeats the work from there; all work replaces what an earlier try left.
type State int

// The states, with the file in the run directory that proves each.
const (
	Running   State = iota // env.json: the Prolog has begun the run
	Ended                  // epilog.json: the end of the run is known (hook or sweep, WriteEnd)
	Analysed               // record.json.gz: this node's record is made from its profile
	Collected              // no file: this node's record is in the collection directory
	Merged                 // no file: the records of all nodes that reported are in memory, and the scheduler's answer
	Delivered              // reported.json, "without": the report is in its directory
	Archived               // archived: the profile is in the site's archive
	Stored                 // reported.json, "nodes": the run is in the history, or waits for the history's writer
	Forgotten              // collect.dir/reported: from how many nodes; the records of a complete run are removed
	Closed                 // done: nothing is left to do on this node; Retire then removes what is not kept
)

// String returns the state's name in lower case, as logs and tests print it.
func (s State) String() string {
	names := [...]string{"running", "ended", "analysed", "collected", "merged", "delivered", "archived", "stored",
		"forgotten", "closed"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("state %d", int(s))
	}
	return names[s]
}

// Two further files of the run directory are not states: tried (when the last try began, see retryDue) and lock (a
// process works on the run).
const (
	endFile      = "epilog.json"
	recordFile   = "record.json.gz"
	reportedFile = "reported.json"
	archivedFile = "archived"
	doneFile     = "done"
	triedFile    = "tried"
)

// transition leads a run from the states before it into one state.
type transition struct {
	to State
	// needed reports whether the run needs this transition.
	needed func(*progress) bool
	// work does the work of the state. An error ends the attempt.
	work func(Finisher, context.Context, *progress) error
	// prove writes the file that proves the state; nil where the work does that or no file proves it.
	prove func(*progress) error
}

// transitions is the table of all transitions that Finish makes. "Crash" says what the next try does if the process
// dies after the work and before the proof.
func transitions() []transition {
	return []transition{
		// Crash: the profile is analysed again.
		{to: Analysed, needed: ofThisNode, work: Finisher.analyseNode},
		// Crash: the record is written again under the same name. If the run was reported meanwhile, the next sweep that
		// finds the record 25 hours old removes it, or adopts the run if the report lacks this node.
		{to: Collected, needed: func(p *progress) bool {
			return ofThisNode(p) && !p.proved.Complete
		}, work: Finisher.collectRecord},
		// Crash: the records are gathered and the scheduler is queried again. For a late run (isLate) reported/ in the
		// collection directory is read too: if another node reported the run from as many nodes, the run skips to Closed.
		{to: Merged, needed: func(p *progress) bool {
			return p.collects && p.dir != "" && !p.proved.Complete
		}, work: Finisher.mergeRecords},
		// Crash: the run is put into the history again (one row) and the same report replaces the delivered one.
		{to: Delivered, needed: (*progress).needsReport, work: Finisher.deliverReport, prove: (*progress).proveDelivered},
		// Crash: the archive keeps the node's first files and replaces what it keeps of the run.
		{to: Archived, needed: func(*progress) bool { return true }, work: Finisher.archiveFiles},
		// Crash: the run is put into the history, or handed to its writer, again: one row, one job record.
		{to: Stored, needed: (*progress).hasUnreportedNodes, work: Finisher.storeRun, prove: (*progress).proveStored},
		// Crash: the same is written again, and removing files that are already gone is not an error.
		{to: Forgotten, needed: func(p *progress) bool {
			return p.collects && (p.hasUnreportedNodes() || p.stopsWaiting())
		}, work: Finisher.forgetRecords},
		// Crash before the proof: the two transitions before it are repeated without effect. Crash after it: files that
		// are not kept stay until a sweep trims the spool.
		{to: Closed, needed: func(p *progress) bool {
			return ofThisNode(p) && (!p.collects || p.stopsWaiting())
		}, work: Finisher.closeRun},
	}
}

// ofThisNode excludes adopted runs, which have no directory on this node.
func ofThisNode(p *progress) bool { return p.dir != "" }

// crashPoint is a point in a transition at which a test lets the process die.
type crashPoint int

const (
	beforeProof crashPoint = iota // the work is done, the proof is not written
	afterProof
)

// String returns the words for the point in messages of tests.
func (c crashPoint) String() string {
	if c == beforeProof {
		return "before its proof"
	}
	return "after its proof"
}

// progress is one run being finished on this node: what is known of it, and the results so far.
type progress struct {
	dir      job.RunDir // "" for an adopted run
	run      job.Run
	end      RunEnd
	nodes    []string       // of the job, in order
	collects bool           // this node is the job's first: it merges, reports and stores
	proved   deliveryRecord // what earlier tries have proved
	// nodesReportedElsewhere is the number of nodes in the last report that the collection directory knows of; 0 until
	// missingNodesWait after the run's end, because no other node reports the run before.
	nodesReportedElsewhere int
	// ownHistory says that this node writes the history itself (history.ingest = "here").
	ownHistory bool

	record    summary.NodeRecord
	store     collect.Store
	records   []summary.NodeRecord
	sum       summary.Summary
	reportDir string // where the report is, "" if the run has none
	compared  bool   // the report was compared with earlier runs, and this node's history has the run
	unfit     bool   // no history can take the run
	// historyFailure is why the history took neither the run nor the comparison; "" if it did or never can.
	historyFailure string

	// blocked is why states from blockedFrom on need another try; the states before them do not.
	blocked     error
	blockedFrom State
	// unproved is the error of writing the file that proves a state, nil if all were written.
	unproved error
}

// blockFrom records that the run cannot reach a state, or those after it, in this try, and why. Only the
// first call has an effect. It sets p.blocked and p.blockedFrom.
func (p *progress) blockFrom(from State, why error) {
	if p.blocked == nil {
		p.blocked, p.blockedFrom = why, from
	}
}

// hasUnreportedNodes reports whether this node collects the run and more nodes have reported than the last report has.
func (p *progress) hasUnreportedNodes() bool {
	return p.collects && p.reportedNodes() < p.sum.Reported()
}

// reportedNodes returns the number of nodes in the run's last report that is stored, by this node or another.
func (p *progress) reportedNodes() int { return max(p.proved.StoredNodes, p.nodesReportedElsewhere) }

// isLate reports whether another node can have adopted the run by now: it ended long ago, or its end was recorded only
// when the node or a sweep came back to it.
func (p *progress) isLate() bool {
	return p.dir == "" || p.end.Swept || p.end.BootID != p.run.BootID ||
		epoch(time.Now())-p.end.Real >= missingNodesWait.Seconds()
}

// readLastReport sets p.nodesReportedElsewhere from the collection directory, for a late run that began at start (UTC
// epoch seconds). The directory's account can only suppress reports of late runs by what it writes there, as it can by
// removing records.
func (p *progress) readLastReport(ctx context.Context, w collect.RecordRequest, start float64) error {
	last, err := p.store.LastReport(ctx, w)
	if err == nil && last.IsOf(start) {
		p.nodesReportedElsewhere = last.Nodes
	}
	return err
}

// needsReport reports whether a report is to be delivered: the run has news, and no report of as many nodes was
// delivered, or only one without the comparison with earlier runs that this node should make.
func (p *progress) needsReport() bool {
	delivered := p.proved.DeliveredNodes >= p.sum.Reported() && (p.proved.Compared || !p.ownHistory)
	return p.hasUnreportedNodes() && !delivered
}

// stopsWaiting reports whether the run no longer waits for records of missing nodes: all nodes have reported,
// missingNodesWait has passed since its end, or the run is adopted.
func (p *progress) stopsWaiting() bool {
	return p.dir == "" || p.proved.Complete || p.sum.Complete() ||
		epoch(time.Now())-p.sum.End >= missingNodesWait.Seconds()
}

// missingNodesWait is how long after its end a run waits for records of missing nodes.
const missingNodesWait = 24 * time.Hour

// advance takes a run through all transitions that are possible now. An error means that a later try is needed. If the
// proof that the report was delivered or stored cannot be written, it closes the run, so that later tries do not
// deliver the report again.
func (f Finisher) advance(ctx context.Context, p *progress) error {
	failed := f.runTransitions(ctx, p)
	if p.unproved == nil || Done(p.dir) {
		return failed
	}
	// Without the proof every sweep would deliver the report again: an empty file may still have room.
	f.Log("record that the report was delivered: %v: %s is closed all the same, else its report would be delivered again",
		p.unproved, filepath.Base(string(p.dir)))
	return errors.Join(failed, f.closeRun(ctx, p))
}

// runTransitions makes all transitions that the run needs, in order, up to a blocked state. It returns why a
// later try is needed, nil if none is.
func (f Finisher) runTransitions(ctx context.Context, p *progress) error {
	for _, t := range transitions() {
		if !t.needed(p) {
			continue
		}
		if p.blocked != nil && t.to >= p.blockedFrom {
			break
		}
		if err := t.work(f, ctx, p); err != nil {
			return errors.Join(p.blocked, err)
		}
		if t.prove != nil && p.dir != "" {
			f.notifyTest(t.to, beforeProof)
			if err := t.prove(p); err != nil {
				p.unproved = err
			}
		}
		f.notifyTest(t.to, afterProof)
	}
	return p.blocked
}

// notifyTest calls onCrashPoint, if a test has set it, with the point that the run has reached.
func (f Finisher) notifyTest(s State, m crashPoint) {
	if f.onCrashPoint != nil {
		f.onCrashPoint(s, m)
	}
}

// deliveryRecord is the content of reported.json: what earlier tries have delivered and stored.
type deliveryRecord struct {
	// Key, StoredNodes and Complete describe the run that was stored last: its key, from how many nodes, and
	// whether these are all. StoredNodes is 0 before the first.
	Key         run.Key `json:"key"`
	StoredNodes int     `json:"nodes"`
	Complete    bool    `json:"complete"`
	// DeliveredNodes is the number of nodes in the last report that is delivered and not yet stored, Dir the
	// directory of that report.
	DeliveredNodes int    `json:"without,omitempty"`
	Dir            string `json:"dir,omitempty"`
	// Compared says that this report was compared with earlier runs. Older versions do not write it.
	Compared bool `json:"compared,omitempty"`
	// HistoryFailure is the error of the history that prevented it, if a later try can succeed.
	HistoryFailure string `json:"history_failure,omitempty"`
}

// HistoryFailure returns why the delivered report of a run lacks the comparison with earlier runs and why the run is
// not in the history yet; "" if neither is the case.
func HistoryFailure(dir job.RunDir) string { return readDeliveryRecord(dir).HistoryFailure }

// readDeliveryRecord reads what earlier tries have proved; the zero value if there is nothing.
func readDeliveryRecord(dir job.RunDir) deliveryRecord {
	var m deliveryRecord
	if dir == "" || dir.ReadJSON(reportedFile, &m) != nil {
		return deliveryRecord{}
	}
	return m
}

// proveDelivered writes to reported.json that the report is delivered, where it is, and whether it was compared
// with earlier runs.
func (p *progress) proveDelivered() error {
	m := p.proved
	m.DeliveredNodes, m.Dir, m.Compared, m.HistoryFailure = p.sum.Reported(), p.reportDir, p.compared, p.historyFailure
	return p.dir.WriteJSON(reportedFile, m)
}

// proveStored writes to reported.json that the run is stored, from how many nodes, and whether these are all.
func (p *progress) proveStored() error {
	return p.dir.WriteJSON(reportedFile,
		deliveryRecord{Key: p.sum.Key, StoredNodes: p.sum.Reported(), Complete: p.sum.Complete()})
}

// StateOf returns the last state that a file in the run directory proves. It never returns Archived, whose
// file it does not read, nor Collected, Merged and Forgotten, which have no file.
func StateOf(dir job.RunDir) State {
	m := readDeliveryRecord(dir)
	switch {
	case Done(dir):
		return Closed
	case m.StoredNodes > 0 && m.StoredNodes >= m.DeliveredNodes:
		return Stored
	case m.DeliveredNodes > 0:
		return Delivered
	case fileExists(dir, recordFile):
		return Analysed
	case endKnown(dir):
		return Ended
	}
	return Running
}

// endKnown says whether the run's end is known on this node. A file that a crash left torn does not count: the end is
// written again, or the run would never be finished.
func endKnown(dir job.RunDir) bool {
	_, err := ReadEnd(dir)
	return err == nil
}

// Done says whether nothing is left to do for the run on this node. A run that is retired has no directory any more.
func Done(dir job.RunDir) bool {
	return dir != "" && (fileExists(dir, doneFile) || !fileExists(dir, "."))
}

// fileExists reports whether a run directory has a file of this name. Errors other than "not found" count as
// existing.
func fileExists(dir job.RunDir, name string) bool {
	_, err := os.Lstat(dir.Path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// closeRun closes the run on this node. It creates the file that marks the run as done, then removes the
// files that spool.keep does not keep, but not the directory: an Epilog that Slurm repeats must find that the
// run is over.
func (f Finisher) closeRun(_ context.Context, p *progress) error {
	if err := p.dir.Mark(doneFile); err != nil {
		return fmt.Errorf("mark the run as finished: %w", err)
	}
	if keep := f.Config.Spool.Keep; keep == "all" || p.collects && keep != "none" {
		return nil
	}
	for _, path := range []string{p.dir.ProfilePath(), p.dir.Path(recordFile), p.dir.AgentLogPath(),
		p.dir.Path(WorkerLog)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file of the finished run: %w", err)
		}
	}
	return nil
}
