package note

// Whose events were counted.
const (
	NoJobCgroup Code = "no_job_cgroup" // the job has no cgroup that perf events know: its own events were not counted
)
