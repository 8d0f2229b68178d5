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
	Forgotten              // no file: the nodes' records are removed from the collection directory
	Closed                 // done: nothing is left to do on this node; Retire then removes what is not kept
)

// Two further files of the run directory are not states: tried (when the last try began, see due) and lock (a
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
	// due says whether the run needs this transition.
	due func(*progress) bool
	// work does what the state stands for. An error ends the try.
	work func(Finisher, context.Context, *progress) error
	// prove writes the file that proves the state; nil where the work does that or no file proves it.
	prove func(*progress) error
}

// transitions is the table of all transitions that Finish makes. "Crash" says what the next try does if the process
// dies after the work and before the proof.
func transitions() []transition {
	return []transition{
		// Crash: the profile is analysed again.
		{to: Analysed, due: ofThisNode, work: Finisher.analyseNode},
		// Crash: the record is written again under the same name.
		{to: Collected, due: func(p *progress) bool {
			return ofThisNode(p) && !p.before.Complete
		}, work: Finisher.collectRecord},
		// Crash: the records are gathered and the scheduler is queried again.
		{to: Merged, due: func(p *progress) bool {
			return p.collects && p.dir != "" && !p.before.Complete
		}, work: Finisher.mergeRecords},
		// Crash: the run is put into the history again (one row) and the same report replaces the delivered one.
		{to: Delivered, due: (*progress).needsReport, work: Finisher.deliverReport, prove: (*progress).proveDelivered},
		// Crash: the archive keeps the node's first files and replaces what it keeps of the run.
		{to: Archived, due: func(*progress) bool { return true }, work: Finisher.archiveFiles},
		// Crash: the run is put into the history, or handed to its writer, again: one row, one job record.
		{to: Stored, due: (*progress).hasNews, work: Finisher.storeRun, prove: (*progress).proveStored},
		// Crash: removing what is gone is no error.
		{to: Forgotten, due: func(p *progress) bool { return p.collects && p.finished() }, work: Finisher.forgetRecords},
		// Crash before the proof: the two transitions before it are repeated without effect. Crash after it: files that
		// are not kept stay until a sweep trims the spool.
		{to: Closed, due: func(p *progress) bool {
			return ofThisNode(p) && (!p.collects || p.finished())
		}, work: Finisher.closeRun},
	}
}

// ofThisNode excludes adopted runs, which have no directory on this node.
func ofThisNode(p *progress) bool { return p.dir != "" }

// moment is a point in a transition at which the process may die.
type moment int

const (
	worked moment = iota // the work is done, the proof is not written
	proved
)

// progress is one run on its way through the states.
type progress struct {
	dir      job.RunDir // "" for an adopted run
	run      job.Run
	end      End
	nodes    []string // of the job, in order
	collects bool     // this node is the job's first: it merges, reports and stores
	before   mark     // what earlier tries have proved
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
	// unproved is why the spool took no proof.
	unproved error
}

// block keeps the run from a state and those after it in this try. The first reason is kept.
func (p *progress) block(from State, why error) {
	if p.blocked == nil {
		p.blocked, p.blockedFrom = why, from
	}
}

// hasNews says whether more nodes have reported than the stored run has.
func (p *progress) hasNews() bool { return p.collects && p.before.Nodes < p.sum.Reported() }

// needsReport says whether a report is to be delivered: not if one of as many nodes is there, unless it lacks the
// comparison with earlier runs that this node should have made.
func (p *progress) needsReport() bool {
	delivered := p.before.Without >= p.sum.Reported() && (p.before.Compared || !p.ownHistory)
	return p.hasNews() && !delivered
}

// finished says whether records of missing nodes are no longer waited for.
func (p *progress) finished() bool {
	return p.dir == "" || p.before.Complete || p.sum.Complete() || epoch(time.Now())-p.sum.End >= giveUp.Seconds()
}

// giveUp is how long records of missing nodes are waited for.
const giveUp = 24 * time.Hour

// advance takes a run through its transitions as far as it can go. An error means that a later try is needed.
func (f Finisher) advance(ctx context.Context, p *progress) error {
	failed := f.transit(ctx, p)
	if p.unproved == nil || Done(p.dir) {
		return failed
	}
	// Without the proof every sweep would deliver the report again: an empty file may still have room.
	f.Log("%v: %s is closed", p.unproved, filepath.Base(string(p.dir)))
	return errors.Join(failed, f.closeRun(ctx, p))
}

func (f Finisher) transit(ctx context.Context, p *progress) error {
	for _, t := range transitions() {
		if !t.due(p) {
			continue
		}
		if p.blocked != nil && t.to >= p.blockedFrom {
			break
		}
		if err := t.work(f, ctx, p); err != nil {
			return errors.Join(p.blocked, err)
		}
		if t.prove != nil && p.dir != "" {
			f.pass(t.to, worked)
			if err := t.prove(p); err != nil {
				p.unproved = err
			}
		}
		f.pass(t.to, proved)
	}
	return p.blocked
}

// pass tells a test which point the run has reached.
func (f Finisher) pass(s State, m moment) {
	if f.passed != nil {
		f.passed(s, m)
	}
}

// mark is reported.json: what earlier tries have delivered and stored.
type mark struct {
	// Key, Nodes and Complete describe the run that was stored last: from how many nodes, and whether these are all.
	// Nodes is 0 before the first.
	Key      run.Key `json:"key"`
	Nodes    int     `json:"nodes"`
	Complete bool    `json:"complete"`
	// Without is from how many nodes the last report was made that is delivered and not yet stored, Dir where it is.
	Without int    `json:"without,omitempty"`
	Dir     string `json:"dir,omitempty"`
	// Compared says that this report was compared with earlier runs. Older versions do not write it.
	Compared bool `json:"compared,omitempty"`
	// HistoryFailure is the error of the history that prevented it, if a later try can succeed.
	HistoryFailure string `json:"history_failure,omitempty"`
}

// HistoryFailure returns why the delivered report of a run lacks the comparison with earlier runs and why the run is
// not in the history yet; "" if neither is the case.
func HistoryFailure(dir job.RunDir) string { return readMark(dir).HistoryFailure }

// readMark reads what earlier tries have proved; the zero value if there is nothing.
func readMark(dir job.RunDir) mark {
	var m mark
	if dir == "" || dir.ReadJSON(reportedFile, &m) != nil {
		return mark{}
	}
	return m
}

func (p *progress) proveDelivered() error {
	m := p.before
	m.Without, m.Dir, m.Compared, m.HistoryFailure = p.sum.Reported(), p.reportDir, p.compared, p.historyFailure
	return p.dir.WriteJSON(reportedFile, m)
}

func (p *progress) proveStored() error {
	return p.dir.WriteJSON(reportedFile, mark{Key: p.sum.Key, Nodes: p.sum.Reported(), Complete: p.sum.Complete()})
}

// StateOf returns the last state that a file in the run directory proves.
func StateOf(dir job.RunDir) State {
	m := readMark(dir)
	switch {
	case Done(dir):
		return Closed
	case m.Nodes > 0 && m.Nodes >= m.Without:
		return Stored
	case m.Without > 0:
		return Delivered
	case exists(dir, recordFile):
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
func Done(dir job.RunDir) bool { return dir != "" && (exists(dir, doneFile) || !exists(dir, ".")) }

func exists(dir job.RunDir, name string) bool {
	_, err := os.Lstat(dir.Path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// closeRun closes the run on this node. It removes what is not kept, but not the directory: an Epilog that Slurm
// repeats must find that the run is over.
func (f Finisher) closeRun(_ context.Context, p *progress) error {
	if err := os.WriteFile(p.dir.Path(doneFile), nil, 0o600); err != nil {
		return fmt.Errorf("close the run: %w", err)
	}
	if keep := f.Config.Spool.Keep; keep == "all" || p.collects && keep != "none" {
		return nil
	}
	for _, path := range []string{p.dir.Profile(), p.dir.Path(recordFile), p.dir.AgentLog(), p.dir.Path(WorkerLog)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear the finished run: %w", err)
		}
	}
	return nil
}
