package slurm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// usageFields are the columns that usageFromSacct reads. The administrator's comment is last, because it may
// contain the separator.
const usageFields = "JobIDRaw,JobID,Cluster,User,Group,State,ExitCode,NNodes,AllocCPUS,ElapsedRaw,TotalCPU,AllocTRES," +
	"ReqMem,TRESUsageInTot,TRESUsageInMax,TRESUsageInAve,AdminComment"

// countUsageFields is the number of usageFields.
const countUsageFields = 17

// Usage returns the resources that a job used, from sacct's rows for it and its steps. It returns job.ErrNotQueried if
// sacct is not configured or does not exist, and job.ErrUnknown if id is invalid or sacct has no row for it.
func (s Scheduler) Usage(ctx context.Context, id string) (job.Usage, error) {
	if s.Sacct == "" {
		return job.Usage{}, job.ErrNotQueried
	}
	if _, err := os.Stat(s.Sacct); err != nil {
		return job.Usage{}, fmt.Errorf("%w: %w", job.ErrNotQueried, err)
	}
	if !run.IsDisplayID(id) {
		return job.Usage{}, job.ErrUnknown
	}
	ctx, cancel := context.WithTimeout(ctx, sacctLimit)
	defer cancel()
	out, complaint, err := s.runCommand(ctx, s.Sacct, "-n", "-P", "-a", "--noconvert", "-j", id, "-o", usageFields)
	if err != nil {
		return job.Usage{}, fmt.Errorf("query the use of job %s with sacct: %w: %.200s", id, err,
			cmp.Or(complaint, "is slurmdbd up?"))
	}
	u, err := usageFromSacct(out)
	if err == nil && !u.PerCPU {
		u.PerCPU = s.requestsMemoryPerCPU(ctx, id)
	}
	return u, err
}

// requestsMemoryPerCPU reports whether scontrol shows a request of memory per CPU. Since Slurm 21.08 sacct does not
// show it. A job that the controller has forgotten counts as one with memory per node.
func (s Scheduler) requestsMemoryPerCPU(ctx context.Context, id string) bool {
	if s.Scontrol == "" {
		return false
	}
	out, _, err := s.runCommand(ctx, s.Scontrol, "-o", "show", "job", id)
	return err == nil && bytes.Contains(out, []byte(" MinMemoryCPU="))
}

// usageFromSacct parses the output of `sacct -n -P -o usageFields` for one job: a row for the job, then one for
// each of its steps. The memory used is that of the step that used most. Of an array only the first job is used, as
// seff does. Without a row of a job it returns job.ErrUnknown.
func usageFromSacct(output []byte) (job.Usage, error) {
	var u job.Usage
	for line := range bytes.Lines(output) {
		f := strings.SplitN(strings.TrimSuffix(string(line), "\n"), "|", countUsageFields)
		if len(f) != countUsageFields {
			continue
		}
		raw, _, isStep := strings.Cut(f[0], ".")
		id, err := run.ParseJobID(raw)
		switch {
		case err != nil:
		case !isStep && u.JobID == 0:
			u = usageOfJob(id, f)
		case isStep && id == u.JobID:
			if peak := parseMemoryUse(f[13]); peak != nil && (u.MemoryBytes == nil || *peak > *u.MemoryBytes) {
				u.MemoryBytes, u.TaskMaxBytes, u.TaskMeanBytes = peak, parseMemoryUse(f[14]), parseMemoryUse(f[15])
			}
		}
	}
	if u.JobID == 0 {
		return u, job.ErrUnknown
	}
	return u, nil
}

// usageOfJob parses the row of a job, f, which has the columns usageFields; invalid values stay unknown. Nodes and CPUs
// stay 0 for a job that never started. The memory used is not in this row.
func usageOfJob(id run.JobID, f []string) job.Usage {
	u := job.Usage{JobID: id, Cluster: note.Clean(f[2], job.MaxText), User: note.Clean(f[3], job.MaxText),
		Group:       note.Clean(f[4], job.MaxText),
		MemoryUsage: job.MemoryUsage{AllocatedBytes: parseMemory(f[11]), PerCPU: strings.HasSuffix(f[12], "c")},
		CPUSeconds:  parseCPUTime(f[10]), Comment: note.Clean(f[16], 4096)}
	if strings.Contains(f[1], "_") && run.IsDisplayID(f[1]) {
		u.ArrayID = f[1]
	}
	u.State, _, _ = strings.Cut(note.Clean(f[5], job.MaxText), " ") // "CANCELLED by 1000"
	if e := parseExit(f[6]); e != nil {
		u.ExitCode = &e.Code
	}
	if strings.Contains(f[11], "cpu=") { // else sacct shows the request of a job that never started
		u.Nodes, _ = job.ParseCount(f[7])
		u.CPUs, _ = job.ParseCount(f[8])
	}
	if s := job.ParseBigCount(f[9]); s != nil {
		u.ElapsedS = float64(*s)
	}
	return u
}

// parseMemoryUse returns mem= of a list of used resources in bytes; with --noconvert a number without suffix is in
// bytes.
func parseMemoryUse(list string) *float64 { return parseSize(memoryItem(list), 1) }

// parseCPUTime parses a CPU time as sacct prints it, [DD-[HH:]]MM:SS[.mmm], and returns seconds; nil for other
// text.
func parseCPUTime(text string) *float64 {
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	d, ok := job.ParseCount(days)
	parts := strings.Split(clock, ":")
	if !ok || len(parts) > 3 {
		return nil
	}
	total := 0.0
	for _, part := range parts {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || !(v >= 0) || v > 1e9 {
			return nil
		}
		total = 60*total + v
	}
	total += 86400 * float64(d)
	return &total
}
