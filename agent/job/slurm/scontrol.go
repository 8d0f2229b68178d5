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

// parseScontrol parses the output of `scontrol show job -o ID`: one line per job, "Key=value Key=value". For
// the id of an array it has a line for each element; the one with this JobId is used. Without such a line the
// details are empty.
//
// Values are neither quoted nor escaped, so a user can write keys into a job name, a comment or a path. JobId
// and the array's ids precede the name. User and charged accounts are used only if their key occurs once.
func parseScontrol(output []byte, jobID run.JobID) job.Details {
	for line := range bytes.Lines(output) {
		text := strings.TrimSuffix(string(line), "\n")
		f := scontrolFields(text)
		if f["JobId"] == jobID.String() {
			ids, _, _ := strings.Cut(text, " JobName=") // a user's text begins there
			return withParts(detailsFromFields(f), scontrolFields(ids))
		}
	}
	return job.Details{}
}

// scontrolKey begins a field: a capital and '=' after a space.
var scontrolKey = regexp.MustCompile(`(?:^| )([A-Z][A-Za-z/:_]*)=`)

// maxFields limits the fields of one line; Slurm prints about 60.
const maxFields = 500

// scontrolFields splits a line into values by key. Of a repeated key it keeps the first value, but a repeated
// key of ownerKeys gets the value "". A value extends to the next key and may contain spaces.
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
		} else if slices.Contains(ownerKeys[:], key) {
			f[key] = ""
		}
	}
	return f
}

// ownerKeys are the keys of a job's user and of what it is charged to.
var ownerKeys = [...]string{"UserId", "Account", "QOS", "Partition"}

// withParts returns d with the array or the heterogeneous job that the job is a part of. ids are the fields that
// stand before the job's name.
func withParts(d job.Details, ids map[string]string) job.Details {
	d.ArrayJobID = job.ParseBigCount(ids["ArrayJobId"])
	d.ArrayTaskID = job.ParseBigCount(ids["ArrayTaskId"]) // a range for a pending array: not a task id
	d.HetJobID, d.HetOffset = job.ParseBigCount(ids["HetJobId"]), job.ParseBigCount(ids["HetJobOffset"])
	return d
}

// detailsFromFields returns the job's details from the fields of a line.
func detailsFromFields(f map[string]string) job.Details {
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
		NTasks:      job.ParsePositive(f["NumTasks"]),
		CPUsPerTask: job.ParsePositive(f["CPUs/Task"]),
		WorkDir:     job.CleanPath(f["WorkDir"]),
		TimeLimitS:  parseTimeLimit(f["TimeLimit"]),
		StdOut:      expandStdOut(f["StdOut"], 0, run.Job{}),
		Exit:        parseExit(f["ExitCode"]),
		State:       finalStateOf(text("JobState"), text("Reason")),
		Over:        isFinalState(text("JobState")),
	}
	for _, key := range []string{"AllocTRES", "ReqTRES", "TRES"} {
		if d.MemoryBytes == nil {
			d.MemoryBytes = parseMemory(f[key])
		}
	}
	if d.MemoryBytes == nil {
		d.MemoryBytes = leastMemory(f)
	}
	d.Submit, d.Eligible = parseTime(f["SubmitTime"]), parseTime(f["EligibleTime"])
	d.Start, d.End = parseTime(f["StartTime"]), parseTime(f["EndTime"])
	if !d.Over {
		d.End = endOfLimit(d.Start, d.End)
	}
	if n, ok := job.ParseCount(f["Restarts"]); ok {
		d.Restarts = &n
	}
	user := f["UserId"] // alice(1000)
	if uid, ok := job.ParseCount(strings.TrimSuffix(user[strings.LastIndexByte(user, '(')+1:], ")")); ok {
		d.UID = &uid
	}
	return d
}

// leastMemory returns what a job requested on all nodes together where the scheduler does not count memory, so that no
// TRES names it: MinMemoryNode times nodes, or MinMemoryCPU times CPUs.
func leastMemory(f map[string]string) *float64 {
	for key, times := range map[string]string{"MinMemoryNode": "NumNodes", "MinMemoryCPU": "NumCPUs"} {
		perUnit, n := parseSize(f[key], 1<<20), job.ParsePositive(f[times])
		if perUnit != nil && n != nil {
			all := *perUnit * float64(*n)
			return &all
		}
	}
	return nil
}

// parseTime parses a time in epoch seconds (SLURM_TIME_FORMAT=%s) or in local time; nil if it is invalid.
func parseTime(s string) *int64 {
	if t, err := time.ParseInLocation("2006-01-02T15:04:05", s, time.Local); err == nil {
		at := t.Unix()
		return &at
	}
	return job.ParseBigCount(s)
}

// parseExit parses "code:signal"; nil if it is invalid.
func parseExit(s string) *run.Exit {
	code, signal, ok := strings.Cut(s, ":")
	c, okCode := job.ParseCount(code)
	g, okSignal := job.ParseCount(signal)
	if !ok || !okCode || !okSignal {
		return nil
	}
	return &run.Exit{Code: c, Signal: g}
}
