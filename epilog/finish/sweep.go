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

// Swept counts what a sweep did.
type Swept struct {
	Finished int // runs that were left over and are finished now
	Waiting  int // runs that still miss something: other nodes, the job's end
	// Unclaimed are runs in the collection directory whose collector died and that
	// this node did not see: a node that did will adopt them.
	Unclaimed int
	Unread    int // records that were damaged and set aside, or are a newer version's
	Removed   int // finished runs removed for room
}

// Sweep picks up what killed Epilogs, workers and agents left on this node: only directories of this node
// without a lock. It also ends the agents of jobs that are gone, and keeps the spool within its size. It
// queries the scheduler about jobs without an end only if ask is set: a sweep by hand or by a timer does; the
// one at the end of each job does not, because on a shared node it would query every neighbour.
func (f Finisher) Sweep(ctx context.Context, ask bool) (did Swept, err error) {
	f.unread = &atomic.Int64{}
	f.Config.Collect.WaitS = 0 // a node without a record is late by now
	dirs, err := job.Dirs(f.Spool)
	if err != nil {
		return did, err
	}
	failed := f.sweepRuns(ctx, dirs, ask, &did)
	if ask && !errors.Is(failed, errHangs) {
		orphans, err := inTime(ctx, f.workerLimit(), f.adopt)
		did.Finished, did.Unclaimed = did.Finished+orphans.adopted, orphans.unclaimed
		failed = errors.Join(failed, err)
	}
	if dir := f.Config.Agent.LiveDir; dir != "" {
		failed = errors.Join(failed, live.Clear(dir))
	}
	removed, bytes, err := f.trim()
	did.Removed, did.Unread = removed, int(f.unread.Load())
	f.count(health.Did{SpoolBytes: bytes})
	return did, errors.Join(failed, ctx.Err(), err)
}

// sweepRuns takes each run as far as it goes. Where the work on one does not end in time, or the history is locked, the
// others would wait as long: they are left to the next sweep.
func (f Finisher) sweepRuns(ctx context.Context, dirs []job.RunDir, ask bool, did *Swept) (failed error) {
	for _, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		if Done(dir) {
			continue
		}
		finished, err := inTime(ctx, f.workerLimit(), func(ctx context.Context) (bool, error) {
			return f.sweepOne(ctx, dir, ask)
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("sweep %s: %w", dir, err))
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

// workerLimit is how long the work on one run may take.
func (f Finisher) workerLimit() time.Duration {
	return time.Duration(f.Config.Epilog.WorkerS) * time.Second
}

// errHangs is returned for work that does not end although its time is over: a file system hangs.
var errHangs = errors.New("not done in time and abandoned: a file system hangs")

// settle is how long work may take to end after its time. The program ends a little later (cutOff in program epilog).
const settle = 2 * time.Second

// inTime does work with a limit of time and leaves it behind if it hangs (errHangs): the spool must stay within its
// bounds although the history or a shared directory hangs.
func inTime[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T, error) {
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
	case <-time.After(settle):
		var none T
		return none, errHangs
	}
}

// Left is whether a node's spool holds runs that are not finished.
func Left(spool string) (bool, error) {
	entries, err := os.ReadDir(spool)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		d := job.RunDir(filepath.Join(spool, e.Name()))
		return e.IsDir() && !Done(d) && exists(d, filepath.Base(d.Env()))
	}), err
}

// sweepOne takes one run as far as it goes, and says whether it is finished.
func (f Finisher) sweepOne(ctx context.Context, dir job.RunDir, ask bool) (bool, error) {
	run, err := dir.ReadRun()
	if err != nil {
		return false, err
	}
	if !endKnown(dir) {
		if !f.gone(ctx, run, ask) {
			return false, nil
		}
		if err := WriteEnd(dir, sweptEnd(dir, run)); err != nil {
			return false, err
		}
	}
	if fresh(dir, run) || !ask && !due(dir) {
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
	if err := tried(dir); err != nil {
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

// fresh says whether the run ended so recently that its own worker, and those of its other nodes, may be about to
// begin. A run of `jobgait run` has one worker, which has ended if the report is delivered and the directory is not
// locked.
func fresh(dir job.RunDir, run job.Run) bool {
	if run.RootPID != 0 && StateOf(dir) == Delivered {
		return false
	}
	end, err := ReadEnd(dir)
	if err != nil || end.Swept || end.BootID != job.BootID() {
		return false
	}
	_, now := job.Clock()
	return now-end.Mono < freshS
}

// freshS is far more than a worker takes to begin, in seconds.
const freshS = 15

// tried notes that a run is tried now: first, so that a try that ends this process, for
// want of memory say, counts. Where no file can be made, be it one without a byte, nothing
// says what was delivered: the run's worker has tried once, and sweeps would again and again.
func tried(dir job.RunDir) error {
	if err := os.WriteFile(dir.Path(triedFile), nil, 0o600); err != nil {
		return fmt.Errorf("not tried, because no attempt can be recorded: %w", err)
	}
	return nil
}

// due is whether the sweeps at the ends of other jobs may try a run again that could not
// be finished: they must not all pay for it. A sweep by hand or by a timer tries each time.
func due(dir job.RunDir) bool {
	info, err := os.Lstat(dir.Path(triedFile))
	return err != nil || time.Since(info.ModTime()).Abs() > tryAgain
}

// tryAgain is as long as the timer waits between two sweeps.
const tryAgain = 10 * time.Minute

// gone is whether the job of a run without an end is over: the scheduler says
// so, or the node was rebooted since, or no job may be that old. Without a
// scheduler (jobgait run) it is over when the command is. Processes are known here by
// their cgroups only: a sweep asks none for what may hang.
func (f Finisher) gone(ctx context.Context, run job.Run, ask bool) bool {
	if run.BootID != job.BootID() {
		return true
	}
	_, now := job.Clock()
	age := now - run.StartMono
	if age < youngest {
		return false
	}
	if age > float64(f.Config.Agent.MaxHours)*3600 {
		return true
	}
	if !ask && run.RootPID == 0 || len(job.NewMembers("/proc", nil, run, scheduler.OfRun(run)).List()) > 0 {
		return false // who has processes here need not be asked for
	}
	if run.RootPID != 0 {
		return true
	}
	d, err := f.question(ctx, run.Key.JobID)
	return errors.Is(err, job.ErrUnknown) || err == nil && d.Over
}

// youngest is the age in seconds from which a run may be called gone: the job's
// first process comes a little after the Prolog has returned.
const youngest = 30

// sweptEnd is the end of a run that no Epilog saw: the time of its last sample.
func sweptEnd(dir job.RunDir, run job.Run) End {
	e := End{Real: epoch(time.Now()), BootID: job.BootID(), Swept: true, Job: run.Job}
	_, e.Mono = job.Clock()
	if st, err := os.Stat(dir.Profile()); err == nil {
		back := e.Real - epoch(st.ModTime())
		e.Real -= back
		e.Mono -= back
	}
	return e
}

// agentGrace is how long an agent has to seal its profile. It takes up to 300 ms where thousands of processes end at
// once, and more if it gets little CPU.
const agentGrace = time.Second

// StopAgent ends the agent of a run, if there is one: SIGTERM, and SIGKILL after agentGrace. What a killed
// agent had written is salvaged. A process of another boot does not count, and one whose file a crash left
// unreadable is found by the lock that it holds.
func StopAgent(dir job.RunDir, run job.Run) error {
	if run.BootID != job.BootID() {
		return nil
	}
	p, err := job.ReadProcess(dir.PID())
	if err != nil {
		return nil
	}
	if _, err := p.Stop(agentGrace); err != nil {
		return fmt.Errorf("stop the agent %d: %w", p.PID, err)
	}
	return nil
}

// Find returns the directory of the run of a job that is not ended yet, the youngest if a crash left several.
// Without one, over reports whether this node ended a run of the job, so that a repeated Epilog has nothing to
// do.
func Find(spool string, key run.Key) (dir job.RunDir, run job.Run, over bool, err error) {
	dirs, err := job.DirsNamed(spool, prefixOf(key))
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

// prefixOf is how the directories of all runs of a job begin.
func prefixOf(key run.Key) string {
	return strings.TrimSuffix(run.Key{Cluster: key.Cluster, JobID: key.JobID}.String(), "r0")
}
