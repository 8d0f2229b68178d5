package slurm

import (
	"fmt"
	"path/filepath"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// ID returns the job id in a hook's environment, unchecked.
func (Scheduler) ID(getenv func(string) string) string { return getenv("SLURM_JOB_ID") }

// Node returns the node name of the calling slurmd; several slurmd on one host share its host name.
func (Scheduler) Node(getenv func(string) string) string {
	return note.Clean(getenv("SLURMD_NODENAME"), job.MaxText)
}

// ReadContext parses the environment of Slurm's Prolog or Epilog (22.05 to 26.05). In an Epilog the restart
// count is unreliable, so the run is found without it.
func (s Scheduler) ReadContext(getenv func(string) string, h job.Host) (job.HookContext, error) {
	key, err := parseKey(getenv)
	if err != nil {
		return job.HookContext{}, err
	}
	r := job.Run{
		Key:       key,
		Job:       parseJobDescription(getenv),
		Node:      job.NodeName(s, getenv, h.Name),
		StartReal: h.Real,
		StartMono: h.Mono,
		BootID:    h.BootID,
		AddressHz: addressHz(getenv("SPANK_JOBGAIT")),
	}
	r.Names, _ = run.ParseDisclosureLevel(getenv("SPANK_JOBGAIT_NAMES"))
	r.StdOutPattern = absolutePattern(getenv("SLURM_JOB_STDOUT"), r.Job.WorkDir)
	r.Job.StdOut = s.StdOut(r, r.Job)
	r.GPUs = parseGPUs(getenv)
	r.Exclusive = hasNodeExclusively(getenv, r, h.CPUs)
	optOut := strings.EqualFold(strings.TrimSpace(getenv("SPANK_JOBGAIT")), "off")
	return job.HookContext{Run: r, OptOut: optOut, Exit: job.ExitOf(getenv("SLURM_JOB_EXIT_CODE"))}, nil
}

// CurrentJob returns the job in the environment of a job's process; false outside of a job.
func (Scheduler) CurrentJob(getenv func(string) string) (run.Key, bool) {
	id, err := run.ParseJobID(getenv("SLURM_JOB_ID"))
	restart, _ := job.ParseCount(getenv("SLURM_RESTART_COUNT"))
	return run.Key{Cluster: clusterName(getenv), JobID: id, Restart: restart}, err == nil
}

// clusterName returns the printable name of the cluster, "" if it is not set.
func clusterName(getenv func(string) string) string {
	return note.Clean(getenv("SLURM_CLUSTER_NAME"), 64)
}

// parseKey returns the run key in a hook's environment. An invalid SLUID is dropped; an invalid job id is an
// error.
func parseKey(getenv func(string) string) (run.Key, error) {
	id, err := run.ParseJobID(getenv("SLURM_JOB_ID"))
	if err != nil {
		return run.Key{}, fmt.Errorf("read the variable SLURM_JOB_ID, which Slurm sets for hooks: %w", err)
	}
	key := run.Key{Cluster: clusterName(getenv), JobID: id}
	key.Restart, _ = job.ParseCount(getenv("SLURM_JOB_RESTART_COUNT"))
	key.SLUID = getenv("SLURM_JOB_SLUID")
	if key.Valid() != nil { // the others are as they must be
		key.SLUID = ""
	}
	return key, nil
}

// parseJobDescription returns the description of the job in a hook's environment, with texts made printable and
// invalid values left empty; an invalid UID or GID becomes -1. parseKey parses the job id.
func parseJobDescription(getenv func(string) string) run.Job {
	text := func(name string) string { return note.Clean(getenv(name), job.MaxText) }
	// A hook without a user id gets -1, so that nothing is ever delivered as root by mistake.
	id := func(name string) int {
		if n, ok := job.ParseCount(getenv(name)); ok {
			return n
		}
		return -1
	}
	j := run.Job{
		User:        text("SLURM_JOB_USER"),
		UID:         id("SLURM_JOB_UID"),
		GID:         id("SLURM_JOB_GID"),
		Account:     text("SLURM_JOB_ACCOUNT"),
		Partition:   text("SLURM_JOB_PARTITION"),
		QOS:         text("SLURM_JOB_QOS"),
		Name:        text("SLURM_JOB_NAME"),
		NodeList:    nodeList(getenv),
		WorkDir:     job.CleanPath(getenv("SLURM_JOB_WORK_DIR")),
		App:         text("SPANK_JOBGAIT_APP"),
		Size:        text("SPANK_JOBGAIT_SIZE"),
		ArrayJobID:  job.ParseBigCount(getenv("SLURM_ARRAY_JOB_ID")),
		ArrayTaskID: job.ParseBigCount(getenv("SLURM_ARRAY_TASK_ID")),
		NTasks:      job.ParsePositive(getenv("SLURM_JOB_NTASKS")),
		Fields: job.RecordedFields(getenv("SPANK_JOBGAIT_COMMIT"), getenv("SPANK_JOBGAIT_MODULES"),
			strings.Split(getenv("SPANK_JOBGAIT_LABELS"), ",")),
	}
	j.NNodes = nodeCount(getenv, j.NodeList)
	if cpus, err := expandCPUs(getenv("SLURM_JOB_CPUS_PER_NODE")); err == nil && len(cpus) > 0 {
		sum := 0
		for _, n := range cpus {
			sum += n
		}
		j.NCPUs = &sum
	}
	return j
}

// nodeList returns the job's node list, or the step's if the job's is not set.
func nodeList(getenv func(string) string) string {
	s := getenv("SLURM_JOB_NODELIST")
	if s == "" {
		s = getenv("SLURM_NODELIST")
	}
	return validNodeList(s)
}

// validNodeList returns s if it has no spaces or control characters and at most 64 KB, else "".
func validNodeList(s string) string {
	if len(s) > 1<<16 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd }) {
		return ""
	}
	return s
}

// nodeCount returns the number of the job's nodes: SLURM_JOB_NUM_NODES, else the length of the list, which
// without PrologFlags=Alloc may be that of the first step only, else 1.
func nodeCount(getenv func(string) string, list string) int {
	if n, ok := job.ParseCount(getenv("SLURM_JOB_NUM_NODES")); ok && n > 0 {
		return n
	}
	if nodes, err := expandNodeList(list); err == nil && len(nodes) > 0 {
		return len(nodes)
	}
	return 1
}

// hasNodeExclusively reports whether the job has all online CPUs of this node. It returns false if the job's
// number of CPUs on this node is unknown.
func hasNodeExclusively(getenv func(string) string, r job.Run, online int) bool {
	cpus, err := expandCPUs(getenv("SLURM_JOB_CPUS_PER_NODE"))
	if err != nil || len(cpus) == 0 || online <= 0 {
		return false
	}
	minCPUs := cpus[0]
	for _, n := range cpus {
		minCPUs = min(minCPUs, n)
	}
	if minCPUs >= online {
		return true
	}
	nodes, err := expandNodeList(r.Job.NodeList)
	if err != nil || len(nodes) != len(cpus) {
		return false
	}
	for i, name := range nodes {
		if name == r.Node {
			return cpus[i] >= online
		}
	}
	return false
}

// maxAddressHz is the highest rate of code addresses that a user may request; the kernel's default limit,
// perf_event_max_sample_rate, is 100,000.
const maxAddressHz = 20_000

// addressHz parses the value of the option --jobgait=HZ, a rate in Hz. It returns 0 for text that is no number
// and for rates above maxAddressHz.
func addressHz(s string) int {
	hz, ok := job.ParseCount(strings.TrimSpace(s))
	if !ok || hz > maxAddressHz {
		return 0
	}
	return hz
}

// absolutePattern returns the output pattern as an absolute path; "" if it is unusable.
func absolutePattern(s, workDir string) string {
	if s != "" && !strings.HasPrefix(s, "/") && workDir != "" {
		s = filepath.Join(workDir, s)
	}
	return job.CleanPath(s)
}

// StdOut expands the run's output pattern as far as the job's fields are known.
func (Scheduler) StdOut(r job.Run, j run.Job) string {
	return expandStdOut(r.StdOutPattern, r.Key.JobID, j)
}
