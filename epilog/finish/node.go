package finish

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/profile"
	"jobgait/agent/stack"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/stacks"
	"jobgait/analysis/summary"
)

// nodeRecord makes this node's record from its profile and stores it in the run
// directory. One that is there is taken: the profile does not change any more. A
// spool that does not take it costs the next try an analysis, and not the report.
func (f Finisher) nodeRecord(dir job.RunDir, run job.Run, end End) (summary.NodeRecord, error) {
	if r, err := readRecord(dir.Path(recordFile)); err == nil && r.Key == run.Key && r.Node == run.Node {
		return r, nil
	}
	r, err := analysed(dir, run, end)
	if err != nil {
		return r, err
	}
	packed, err := summary.Encode(r)
	if err == nil {
		err = dir.WriteFile(recordFile, packed)
	}
	if err != nil {
		f.Log("job %d: %v", run.Key.JobID, err)
		r.Notes = append(r.Notes, note.New(note.SpoolFailed, "this node's spool did not take its record: %v", reason(err)))
	}
	f.count(sampled(r))
	return r.Normal(), nil
}

// analysed is the record of a node that its files say today.
func analysed(dir job.RunDir, run job.Run, end End) (summary.NodeRecord, error) {
	r := summary.NodeRecord{
		Schema: summary.RecordSchema, Key: run.Key, Job: run.Job, Node: run.Node,
		Start: run.StartReal, End: math.Max(end.Real, run.StartReal), ElapsedS: elapsed(run, end), Exit: end.Exit,
	}
	if end.Requeued {
		r.Notes = append(r.Notes, note.New(note.Requeued, "the scheduler stopped this run and queued the job again"))
	}
	r, err := fromProfile(dir, run, r, end)
	r.Quality.PrologS = dir.PrologTime()
	return r, err
}

// readRecord reads what nodeRecord stored.
func readRecord(path string) (summary.NodeRecord, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return summary.NodeRecord{}, err
	}
	text, err := summary.Unpack(packed)
	if err != nil {
		return summary.NodeRecord{}, err
	}
	r, err := summary.DecodeNode(text)
	return r, cmp.Or(err, r.Valid(epoch(time.Now())))
}

// reason is what the system says, without paths: a user reads it.
func reason(err error) error {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e
	}
	return job.Cause(err)
}

// fromProfile adds what the samples say.
func fromProfile(dir job.RunDir, run job.Run, r summary.NodeRecord, end End) (summary.NodeRecord, error) {
	if details, err := dir.ReadDetails(); err == nil {
		r.Job = details.Complete(run, scheduler.OfRun(run))
	}
	if end.NoAgent {
		r.Notes = append(r.Notes, note.New(note.NoAgent, "no Prolog ran here, so nothing was sampled"))
		return unsampled(r), nil
	}
	loaded, err := profile.Load(dir.Profile())
	if err != nil {
		code := note.ProfileBad
		if errors.Is(err, fs.ErrNotExist) {
			code = note.NoProfile
		}
		r.Notes = append(r.Notes, note.New(code, "nothing can be said of this node: %v", job.Cause(err)))
		return unsampled(r), nil
	}
	if loaded.Set.Len() > 0 && loaded.Set.StartS > lateStart {
		r.Notes = append(r.Notes, note.New(note.AgentLate, "sampling began %.1f s after the job", loaded.Set.StartS))
	}
	p := summary.Default()
	p.Periods.NodeScope = run.Exclusive
	if r.Job.NNodes > 1 && !end.collects(run) {
		p.Bins, p.Lengths = otherBins, otherLengths
	} else {
		known, asked, err := knownIn(dir)
		if err != nil {
			r.Notes = append(r.Notes, note.New(note.NamesPartial, "the function names could not be read: %v",
				job.Cause(err)))
		}
		if p.Code = codeIn(dir.Profile(), loaded, known); asked {
			r.Notes = append(r.Notes, codeNotes(loaded.Places, known)...)
		}
	}
	p.GPUs = growthIn(dir.Profile(), loaded)
	loaded.Totals = withUsed(loaded.Totals, end.Used)
	r, err = fromLoaded(r, loaded, p)
	var read stacks.Record
	if r.Silence != nil && dir.ReadJSON(stack.RecordFile, &read) == nil {
		r.Silence.WithStacks(read.Clean())
	}
	return r, err
}

// withUsed replaces the agent's totals by the Epilog's, which cover the end of the run.
func withUsed(totals, used []run.Counter) []run.Counter {
	for _, u := range used {
		i := slices.IndexFunc(totals, func(c run.Counter) bool { return c.Name == u.Name && c.Scope == u.Scope })
		if i < 0 {
			totals = append(totals, u)
		} else {
			totals[i].Total = max(totals[i].Total, u.Total)
		}
	}
	return totals
}

// fromLoaded adds what a profile says to a node's record.
func fromLoaded(r summary.NodeRecord, loaded profile.Loaded, p summary.AnalysisParams) (summary.NodeRecord, error) {
	r.Quality, r.Counters = loaded.Quality, loaded.Totals
	r.Notes = append(r.Notes, loaded.Header.Notes...)
	r.Job = r.Job.WithFields(map[string]string{run.FieldCPUModel: loaded.Header.CPUModel})
	if text := loaded.Damage.Text; text != "" {
		r.Notes = append(r.Notes, note.New(note.ProfileBad, "%s", text))
	}
	if r.Job.Executable == "" {
		r.Job.Executable = loaded.Program()
	}
	switch script := loaded.Script(); {
	case script != "":
		r.Job.Script = script
	case r.Job.Executable != "" && !job.Interprets(r.Job.Executable): // it only started that
		r.Job.Script = ""
	}
	if f := loaded.Footer; f != nil {
		r.Notes = append(r.Notes, f.Notes...)
		r.Programs = f.Programs[:min(len(f.Programs), run.MostPrograms)]
		r.Job = r.Job.WithFields(map[string]string{run.FieldBuildID: f.BuildID})
	} else {
		r.Notes = append(r.Notes, note.New(note.AgentDied,
			"the agent did not end in order: %.0f s of %.0f s were saved", loaded.End(), r.ElapsedS))
	}
	r.Suspended = loaded.Suspended()
	if e, ok := loaded.Stalled(); ok {
		r.Silence = &summary.Silence{SinceS: e.SinceS, Doing: note.Clean(e.Text, 80), NoLoop: e.NoLoop}
	}
	r = r.WithGPUs(loaded.Slow, loaded.Windows, boards(loaded.Footer))
	p.Windows = loaded.Windows
	r, err := summary.Analyse(r, loaded.Set, p)
	r.Timeline = r.Timeline.WithSlow(loaded.Slow)
	return r.WithLimits(loaded.Slow), err
}

// growthIn is how columns of a profile grew.
func growthIn(path string, l profile.Loaded) summary.GPUGrowth {
	return func(columns []string) iter.Seq[anatomy.Growth] { return l.Growth(path, columns) }
}

// boards returns the GPUs that were read, as recorded by an agent that ended in order.
func boards(f *profile.Footer) []run.GPUDevice {
	if f == nil {
		return nil
	}
	return f.GPUs
}

// lateStart is how many seconds after the Prolog the first sample may come
// before it is worth a note.
const lateStart = 2.0

// otherBins and otherLengths are the sizes of the timeline and of the lengths of
// iterations of nodes that do not collect: their records stay small, so that a
// job of thousands of nodes can be merged.
const otherBins, otherLengths = 120, 60

// unsampled completes the record of a node without samples.
func unsampled(r summary.NodeRecord) summary.NodeRecord {
	r.Quality.Scope = "none"
	return r.Normal()
}

// elapsed is the monotonic time of the run; the clocks of day only if the node
// was rebooted in between.
func elapsed(run job.Run, end End) float64 {
	if run.BootID == end.BootID && run.BootID != "" {
		return math.Max(0, end.Mono-run.StartMono)
	}
	return math.Max(0, end.Real-run.StartReal)
}
