package finish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/epilog/health"
)

// SweepCounts counts what a sweep did.
type SweepCounts struct {
	Finished int // runs that were left over and are finished now
	Waiting  int // runs that still miss something: other nodes, the job's end
	// Unclaimed counts runs in the collection directory whose collecting node died and that neither this node nor the
	// accounting knows: a node that ran them will adopt them.
	Unclaimed int
	Unread    int // records that were damaged and set aside, or are a newer version's
	Removed   int // finished runs removed for room
}

// Sweep finishes the runs that killed Epilogs, workers and agents left in this node's spool, except locked
// ones. It also stops the agents of jobs that are over, and keeps the spool within its size. It queries the
// scheduler about jobs without an end, and adopts runs, only if ask is set, as for a sweep by hand or timer.
// The sweep at the end of each job does not set it: on a shared node it would query every neighbour.
func (f Finisher) Sweep(ctx context.Context, ask bool) (did SweepCounts, err error) {
	f.unread = &atomic.Int64{}
	f.Config.Collect.WaitS = 0 // a node without a record is late by now
	dirs, err := job.Dirs(f.Spool)
	if err != nil {
		return did, err
	}
	failed := f.sweepRuns(ctx, dirs, ask, &did)
	if ask && !errors.Is(failed, errHangs) {
		orphans, err := runWithLimit(ctx, f.workerLimit(), f.adopt)
		did.Finished, did.Unclaimed = did.Finished+orphans.adopted, orphans.unclaimed
		failed = errors.Join(failed, err)
	}
	if dir := f.Config.Agent.LiveDir; dir != "" {
		failed = errors.Join(failed, live.RemoveOld(dir))
	}
	removed, bytes, err := f.trim()
	did.Removed, did.Unread = removed, int(f.unread.Load())
	f.addCounts(health.Counts{SpoolBytes: bytes})
	late := ctx.Err()
	if late != nil {
		late = fmt.Errorf("the sweep of %s was ended early: %w: the next sweep does the rest", f.Spool, late)
	}
	return did, errors.Join(failed, late, err)
}

// sweepRuns finishes each run as far as possible and counts it in did. It stops if ctx ends, the work on one
// hangs or the history is locked, because the others would wait as long; the next sweep takes them.
func (f Finisher) sweepRuns(ctx context.Context, dirs []job.RunDir, ask bool, did *SweepCounts) (failed error) {
	for _, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		if Done(dir) {
			continue
		}
		finished, err := runWithLimit(ctx, f.workerLimit(), func(ctx context.Context) (bool, error) {
			return f.sweepOne(ctx, dir, ask)
		})
		if err != nil {
			then := ""
			if !finished {
				then = ": the next sweep tries it again"
			}
			failed = errors.Join(failed, fmt.Errorf("finish the run of directory %s: %w%s", dir, err, then))
		}
		if finished {
			did.Finished++
		} else {
			did.Waiting++
		}
		if errors.Is(err, errHangs) || history.Locked(err) {
			break
		}
	}
	return failed
}

// workerLimit returns how long the work on one run may take.
func (f Finisher) workerLimit() time.Duration {
	return time.Duration(f.Config.Epilog.WorkerS) * time.Second
}

// errHangs is returned for work that does not end although its time is over: a file system hangs.
var errHangs = errors.New("no answer within the time limit: a file system probably hangs")

// hangGrace is how long work may take to end after its time limit before it counts as hanging. The program ends
// a little later (cutOff in program epilog).
const hangGrace = 2 * time.Second

// runWithLimit runs work with a time limit. If work has not returned hangGrace after the limit, it is abandoned
// and errHangs is returned, so that a hanging history or shared directory does not stop the sweep.
func runWithLimit[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ended := make(chan outcome, 1)
	go func() {
		value, err := work(ctx)
		ended <- outcome{value, err}
	}()
	select {
	case o := <-ended:
		return o.value, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-ended:
		return o.value, o.err
	case <-time.After(hangGrace):
		var none T
		return none, errHangs
	}
}

// HasUnfinished reports whether a node's spool holds runs that are not closed.
func HasUnfinished(spool string) (bool, error) {
	entries, err := os.ReadDir(spool)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		d := job.RunDir(filepath.Join(spool, e.Name()))
		return e.IsDir() && !Done(d) && fileExists(d, filepath.Base(d.EnvPath()))
	}), err
}

// sweepOne finishes one run as far as possible and reports whether it is closed. It stores the end of a run
// whose job turns out to be over, stops the run's agent, and retires a closed run. It skips runs whose job goes
// on, that ended recently, that were tried recently (unless ask is set), that are abandoned or locked.
func (f Finisher) sweepOne(ctx context.Context, dir job.RunDir, ask bool) (bool, error) {
	run, err := dir.ReadRun()
	if err != nil {
		return false, err
	}
	if !endKnown(dir) {
		if !f.jobIsOver(ctx, run, ask) {
			return false, nil
		}
		if err := WriteEnd(dir, endFromProfile(dir, run)); err != nil {
			return false, err
		}
	}
	if endedRecently(dir, run) || !ask && !retryDue(dir) || isAbandoned(dir, run) {
		return false, nil
	}
	if err := StopAgent(dir, run); err != nil {
		return false, err
	}
	lock, err := dir.TryLock()
	if errors.Is(err, job.ErrLocked) {
		return false, nil // its worker is at it
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Close() }()
	if Done(dir) {
		return true, nil
	}
	if err := recordTry(dir); err != nil {
		return false, err
	}
	err = f.Finish(ctx, dir)
	if run.RootPID != 0 && err != nil && HistoryFailure(dir) != "" { // little is left: the next `jobgait run` retries
		err = errors.Join(err, os.Remove(dir.Path(triedFile)))
	}
	finished := err == nil && Done(dir)
	if finished {
		err = f.Retire(dir)
	}
	return finished, err
}

// endedRecently reports whether the run ended less than recentEndS ago, so that its own worker may be about to
// begin. It is false for a delivered run of `jobgait run`, whose only worker has ended.
func endedRecently(dir job.RunDir, run job.Run) bool {
	if run.RootPID != 0 && StateOf(dir) == Delivered {
		return false
	}
	end, err := ReadEnd(dir)
	if err != nil || end.Swept || end.BootID != job.BootID() {
		return false
	}
	_, now := job.Clock()
	return now-end.Mono < recentEndS
}

// isAbandoned reports whether an unfinished run of several nodes ended more than abandonAfter ago. It is not finished
// any more, because the collection directory may have forgotten that another node reported it; trim removes it.
func isAbandoned(dir job.RunDir, run job.Run) bool {
	end, err := ReadEnd(dir)
	if err != nil || epoch(time.Now())-end.Real <= abandonAfter.Seconds() {
		return false
	}
	nodes, err := end.Nodes(run)
	return err == nil && len(nodes) > 1
}

// recentEndS is far more than a worker takes to begin, in seconds.
const recentEndS = 15

// recordTry writes the time of this try to the run directory before the try, so that a try counts even if it
// kills this process. If it fails, the caller does not try: without a file every sweep would deliver the report
// again.
func recordTry(dir job.RunDir) error {
	if err := dir.Mark(triedFile); err != nil {
		return fmt.Errorf("record the attempt to finish the run: %w", err)
	}
	return nil
}

// retryDue reports whether a run was never tried or its last try is more than retryInterval ago. Sweeps at
// the ends of other jobs retry only then; a sweep by hand or timer always does.
func retryDue(dir job.RunDir) bool {
	info, err := os.Lstat(dir.Path(triedFile))
	return err != nil || time.Since(info.ModTime()).Abs() > retryInterval
}

// retryInterval equals the interval of the sweep timer.
const retryInterval = 10 * time.Minute

// jobIsOver reports whether the job of a run without an end is over: the node was rebooted, the run is older
// than agent.max_hours, or it is older than minOverAgeS, no process of it is left and the scheduler reports its
// end or does not know it. The scheduler is queried only if ask is set; without a scheduler (jobgait run)
// missing processes suffice. Processes are found by their cgroups only, because other reads may hang.
func (f Finisher) jobIsOver(ctx context.Context, run job.Run, ask bool) bool {
	if run.BootID != job.BootID() {
		return true
	}
	_, now := job.Clock()
	age := now - run.StartMono
	if age < minOverAgeS {
		return false
	}
	if age > float64(f.Config.Agent.MaxHours)*3600 {
		return true
	}
	if !ask && run.RootPID == 0 || len(job.NewMembers("/proc", nil, run, scheduler.ForRun(run)).List()) > 0 {
		return false // a job with processes here runs, so the scheduler is not queried
	}
	if run.RootPID != 0 {
		return true
	}
	d, err := f.queryScheduler(ctx, run.Key.JobID)
	return errors.Is(err, job.ErrUnknown) || err == nil && d.Over
}

// minOverAgeS is the age in seconds below which a run of this boot is never over: the job's first process
// starts a little after the Prolog has returned.
const minOverAgeS = 30

// endFromProfile returns the end of a run without an Epilog: the time when its profile was last written, else
// now.
func endFromProfile(dir job.RunDir, run job.Run) RunEnd {
	e := RunEnd{Real: epoch(time.Now()), BootID: job.BootID(), Swept: true, Job: run.Job}
	_, e.Mono = job.Clock()
	if st, err := os.Stat(dir.ProfilePath()); err == nil {
		back := e.Real - epoch(st.ModTime())
		e.Real -= back
		e.Mono -= back
	}
	return e
}

// agentGrace is how long an agent has to seal its profile. It waits up to 350 ms for the last reading of GPUs, takes up
// to 300 ms where thousands of processes end at once, and more if it gets little CPU.
const agentGrace = time.Second

// StopAgent ends the agent of a run, if there is one: SIGTERM, and SIGKILL after agentGrace. What a killed
// agent had written is salvaged. It does nothing for a run of another boot and for one whose file with the
// process id cannot be read: the caller finds such an agent by the lock that it holds.
func StopAgent(dir job.RunDir, run job.Run) error {
	if run.BootID != job.BootID() {
		return nil
	}
	p, err := job.ReadProcess(dir.PIDPath())
	if err != nil {
		return nil
	}
	if _, err := p.Stop(agentGrace); err != nil {
		return fmt.Errorf("stop the agent %d: %w", p.PID, err)
	}
	return nil
}

// Find returns the directory of the job's run that has no end yet, the youngest if a crash left several, ""
// if no run is left. over reports whether a run directory or, if none is left, a retired run shows that this
// node has ended a run of the job with this restart count, so that a repeated Epilog has nothing to do.
func Find(spool string, key run.Key) (dir job.RunDir, run job.Run, over bool, err error) {
	dirs, err := job.DirsNamed(spool, dirPrefixOf(key))
	if err != nil {
		return "", run, false, err
	}
	for _, d := range dirs {
		r, err := d.ReadRun()
		if err != nil || r.Key.Sub != key.Sub {
			continue
		}
		if end, err := ReadEnd(d); err == nil {
			over = over || end.Restart == key.Restart
			continue
		}
		if dir == "" || r.StartReal > run.StartReal {
			dir, run = d, r
		}
	}
	if dir == "" && !over {
		over, err = isRetired(spool, key)
	}
	return dir, run, over, err
}

// dirPrefixOf returns the prefix that the names of all run directories of a job share.
func dirPrefixOf(key run.Key) string {
	return strings.TrimSuffix(run.Key{Cluster: key.Cluster, JobID: key.JobID}.String(), "r0")
}
