package slurm

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// fromScontrol reads the output of `scontrol show job -o ID`: one line a job,
// "Key=value Key=value". For the id of an array it has a line for each element;
// the one with our JobId counts.
//
// Values are neither quoted nor escaped, so a user can write keys into a job
// name, a comment or a path. JobId and the array's ids stand before the name. Whose
// the job is and what it is charged to are taken only where their key stands once.
func fromScontrol(output []byte, jobID run.JobID) job.Details {
	for line := range bytes.Lines(output) {
		text := strings.TrimSuffix(string(line), "\n")
		f := scontrolFields(text)
		if f["JobId"] == jobID.String() {
			ids, _, _ := strings.Cut(text, " JobName=") // a user's text begins there
			return withParts(detailsOf(f), scontrolFields(ids))
		}
	}
	return job.Details{}
}

// scontrolKey begins a field: a capital and '=' after a space.
var scontrolKey = regexp.MustCompile(`(?:^| )([A-Z][A-Za-z/:_]*)=`)

// maxFields bounds what is kept of one line; Slurm prints about 60.
const maxFields = 500

// scontrolFields splits a line. A value runs up to the next key and may hold
// spaces, as job names and paths do.
func scontrolFields(line string) map[string]string {
	at := scontrolKey.FindAllStringSubmatchIndex(line, maxFields)
	f := make(map[string]string, len(at))
	for i, m := range at {
		end := len(line)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		key := line[m[2]:m[3]]
		if _, ok := f[key]; !ok {
			f[key] = strings.TrimSpace(line[m[1]:end])
		} else if slices.Contains(chargedBy[:], key) {
			f[key] = ""
		}
	}
	return f
}

// chargedBy are the keys that say whose a job is and what it is charged to.
var chargedBy = [...]string{"UserId", "Account", "QOS", "Partition"}

// withParts returns d with the array or the heterogeneous job that the job is a part of. ids are the fields that
// stand before the job's name.
func withParts(d job.Details, ids map[string]string) job.Details {
	d.ArrayJobID = job.BigCount(ids["ArrayJobId"])
	d.ArrayTaskID = job.BigCount(ids["ArrayTaskId"]) // a range for a pending array: not a task id
	d.HetJobID, d.HetOffset = job.BigCount(ids["HetJobId"]), job.BigCount(ids["HetJobOffset"])
	return d
}

func detailsOf(f map[string]string) job.Details {
	text := func(key string) string {
		if s := f[key]; s != "(null)" && s != "None" && s != "N/A" {
			return note.Clean(s, job.MaxText)
		}
		return ""
	}
	d := job.Details{
		Name:        text("JobName"),
		Account:     text("Account"),
		QOS:         text("QOS"),
		Partition:   text("Partition"),
		NTasks:      job.Positive(f["NumTasks"]),
		CPUsPerTask: job.Positive(f["CPUs/Task"]),
		WorkDir:     job.CleanPath(f["WorkDir"]),
		TimeLimitS:  limitOf(f["TimeLimit"]),
		StdOut:      expandStdOut(f["StdOut"], 0, run.Job{}),
		Exit:        exitOf(f["ExitCode"]),
		State:       final(text("JobState"), text("Reason")),
		Over:        finalState(text("JobState")),
	}
	for _, key := range []string{"AllocTRES", "ReqTRES", "TRES"} {
		if d.MemoryBytes == nil {
			d.MemoryBytes = memoryOf(f[key])
		}
	}
	if d.MemoryBytes == nil {
		d.MemoryBytes = leastMemory(f)
	}
	d.Submit, d.Eligible = timeOf(f["SubmitTime"]), timeOf(f["EligibleTime"])
	d.Start, d.End = timeOf(f["StartTime"]), timeOf(f["EndTime"])
	if n, ok := job.Count(f["Restarts"]); ok {
		d.Restarts = &n
	}
	user := f["UserId"] // alice(1000)
	if uid, ok := job.Count(strings.TrimSuffix(user[strings.LastIndexByte(user, '(')+1:], ")")); ok {
		d.UID = &uid
	}
	return d
}

// leastMemory returns what a job requested on all nodes together where the scheduler does not count memory, so that no
// TRES names it: MinMemoryNode times nodes, or MinMemoryCPU times CPUs.
func leastMemory(f map[string]string) *float64 {
	for key, times := range map[string]string{"MinMemoryNode": "NumNodes", "MinMemoryCPU": "NumCPUs"} {
		each, n := memoryOf("mem="+f[key]), job.Positive(f[times])
		if each != nil && n != nil {
			all := *each * float64(*n)
			return &all
		}
	}
	return nil
}

// timeOf reads a time: epoch seconds, as SLURM_TIME_FORMAT=%s has them, or local.
func timeOf(s string) *int64 {
	if t, err := time.ParseInLocation("2006-01-02T15:04:05", s, time.Local); err == nil {
		at := t.Unix()
		return &at
	}
	return job.BigCount(s)
}

// exitOf reads "code:signal".
func exitOf(s string) *run.Exit {
	code, signal, ok := strings.Cut(s, ":")
	c, okCode := job.Count(code)
	g, okSignal := job.Count(signal)
	if !ok || !okCode || !okSignal {
		return nil
	}
	return &run.Exit{Code: c, Signal: g}
}
