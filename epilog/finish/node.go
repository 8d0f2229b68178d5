package finish

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"math"
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

// nodeRecord returns this node's record: the one stored in the run directory by an earlier try, else one made
// from the profile and stored there. A record that was made now is added to the node's health counters. If it
// cannot be stored, the record gets a note and the next try analyses again.
func (f Finisher) nodeRecord(dir job.RunDir, run job.Run, end RunEnd) (summary.NodeRecord, error) {
	if r, err := readRecord(dir.Path(recordFile)); err == nil && r.Key == run.Key && r.Node == run.Node {
		return r, nil
	}
	r, err := recordFromFiles(dir, run, end)
	if err != nil {
		return r, err
	}
	packed, err := summary.Encode(r)
	if err == nil {
		err = dir.WriteFile(recordFile, packed)
	}
	if err != nil {
		f.Log("job %d: write this node's record to the spool: %v: it goes into the report all the same", run.Key.JobID, err)
		r.Notes = append(r.Notes, note.New(note.SpoolFailed,
			"this node's record could not be written to its spool, but its values are in this report: %v",
			systemError(err)))
	}
	f.addCounts(countsOfNode(r))
	return r.Normal(), nil
}

// recordFromFiles makes a node's record from the profile and the other files of its run directory.
func recordFromFiles(dir job.RunDir, run job.Run, end RunEnd) (summary.NodeRecord, error) {
	r := summary.NodeRecord{
		Schema: summary.RecordSchema, Key: run.Key, Job: run.Job, Node: run.Node,
		Start: run.StartReal, End: math.Max(end.Real, run.StartReal), ElapsedS: elapsed(run, end), Exit: end.Exit,
	}
	if end.Requeued {
		r.Notes = append(r.Notes, note.New(note.Requeued, "the scheduler stopped this run and queued the job again"))
	}
	r, err := addProfile(dir, run, r, end)
	r.Quality.PrologS = dir.PrologTime()
	return r, err
}

// maxRecordBytes limits the packed record of a node that is read: one with the most patterns has 100 KB.
const maxRecordBytes = 32 << 20

// readRecord reads and validates the record that nodeRecord stored.
func readRecord(path string) (summary.NodeRecord, error) {
	packed, _, err := job.ReadPlain(path, maxRecordBytes)
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

// systemError returns the system call's error number inside err, else the cause of err, without paths, for a
// text that users read.
func systemError(err error) error {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e
	}
	return job.Cause(err)
}

// addProfile adds to a node's record what its profile and details contain, or a note that says why there is no
// usable profile.
func addProfile(dir job.RunDir, run job.Run, r summary.NodeRecord, end RunEnd) (summary.NodeRecord, error) {
	if details, err := dir.ReadDetails(); err == nil {
		r.Job = details.Complete(run, scheduler.ForRun(run))
	}
	if end.NoAgent {
		r.Notes = append(r.Notes, note.New(note.NoAgent,
			"no Prolog ran on this node, so nothing was sampled: jobgait doctor says why"))
		return withoutSamples(r), nil
	}
	loaded, err := profile.Load(dir.ProfilePath())
	if err != nil {
		code := note.ProfileBad
		if errors.Is(err, fs.ErrNotExist) {
			code = note.NoProfile
		}
		r.Notes = append(r.Notes, note.New(code, "this node has no results, because its profile cannot be read: %v",
			job.Cause(err)))
		return withoutSamples(r), nil
	}
	if loaded.Set.Len() > 0 && loaded.Set.StartS > lateStartS {
		r.Notes = append(r.Notes, note.New(note.AgentLate,
			"sampling began %.1f s after the job: the profile lacks this time", loaded.Set.StartS))
	}
	p := summary.Default()
	p.Periods.NodeScope = run.Exclusive
	if r.Job.NNodes > 1 && !end.collects(run) {
		p.Bins, p.Lengths = otherBins, otherLengths
	} else {
		known, asked, err := readFunctionNames(dir)
		if err != nil {
			r.Notes = append(r.Notes, note.New(note.NamesPartial,
				"samples in code have no names of functions: the agent's file of names could not be read: %v",
				job.Cause(err)))
		}
		if p.Code = codeSamples(dir.ProfilePath(), loaded, known); asked {
			r.Notes = append(r.Notes, codeNotes(loaded.Places, known)...)
		}
	}
	p.GPUs = gpuGrowth(dir.ProfilePath(), loaded)
	loaded.Totals = withUsed(loaded.Totals, end.Used)
	r, err = addLoadedProfile(r, loaded, p)
	var read stacks.Record
	if r.Silence != nil && dir.ReadJSON(stack.RecordFile, &read) == nil {
		r.Silence.WithStacks(read.Clean())
	}
	return r, err
}

// withUsed raises, in place, the agent's totals to the Epilog's where these are higher, because they cover
// the end of the run, and adds counters that the agent does not have.
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

// addLoadedProfile adds to a node's record the quality, counters, notes, GPUs and the analysis of a loaded
// profile.
func addLoadedProfile(r summary.NodeRecord, loaded profile.LoadedProfile, p summary.AnalysisParams) (summary.NodeRecord,
	error) {
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
	case r.Job.Executable != "" && !job.IsInterpreter(r.Job.Executable): // it only started that
		r.Job.Script = ""
	}
	if f := loaded.Footer; f != nil {
		r.Notes = append(r.Notes, f.Notes...)
		r.Programs = f.Programs[:min(len(f.Programs), run.MostPrograms)]
		r.Job = r.Job.WithFields(map[string]string{run.FieldBuildID: f.BuildID})
		r.Sleeps, r.ThreadWork, r.MostActiveS = f.Sleeps, f.ThreadWork, f.MostActiveS
		if f.NodeMemoryBytes > 0 {
			r.NodeMemoryBytes = &f.NodeMemoryBytes
		}
	} else {
		r.Notes = append(r.Notes, note.New(note.AgentDied,
			"the agent was killed or failed: %.0f s of %.0f s of the run are in the profile", loaded.EndS(), r.ElapsedS))
	}
	r.Suspended = loaded.Suspensions()
	if e, ok := loaded.StalledSince(); ok {
		r.Silence = &summary.Silence{SinceS: e.SinceS, Doing: note.Clean(e.Text, 80), NoLoop: e.NoLoop}
	}
	r = r.WithGPUs(loaded.SlowSet, loaded.Windows, gpuDevices(loaded.Footer))
	p.Windows = loaded.Windows
	r, err := summary.Analyse(r, loaded.Set, p)
	r.Timeline = r.Timeline.WithSlow(loaded.SlowSet)
	return r.WithLimits(loaded.SlowSet).WithTimeDivision(), err
}

// gpuGrowth returns a function that iterates over the growth of given columns of the profile at path.
func gpuGrowth(path string, l profile.LoadedProfile) summary.GPUGrowth {
	return func(columns []string) iter.Seq[anatomy.Growth] { return l.Growth(path, columns) }
}

// gpuDevices returns the GPUs listed in a profile's footer, nil if the agent wrote none.
func gpuDevices(f *profile.Footer) []run.GPUDevice {
	if f == nil {
		return nil
	}
	return f.GPUs
}

// lateStartS is how many seconds after the Prolog the first sample may come without a note.
const lateStartS = 2.0

// otherBins and otherLengths limit the number of timeline bins and of iteration lengths in the records of nodes
// that do not collect, so that a job of thousands of nodes can be merged.
const otherBins, otherLengths = 120, 60

// withoutSamples completes the record of a node without samples: its scope is "none".
func withoutSamples(r summary.NodeRecord) summary.NodeRecord {
	r.Quality.Scope = "none"
	return r.Normal()
}

// elapsed returns the duration of the run in seconds: by the monotonic clock, or by the time of day if the
// node was rebooted in between. It is never negative.
func elapsed(run job.Run, end RunEnd) float64 {
	if run.BootID == end.BootID && run.BootID != "" {
		return math.Max(0, end.Mono-run.StartMono)
	}
	return math.Max(0, end.Real-run.StartReal)
}
