package slurm

import (
	"fmt"
	"path/filepath"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// ID is the job id as a hook was given it.
func (Scheduler) ID(getenv func(string) string) string { return getenv("SLURM_JOB_ID") }

// Node is the name of the slurmd that calls: several on one host share its hostname.
func (Scheduler) Node(getenv func(string) string) string {
	return note.Clean(getenv("SLURMD_NODENAME"), job.MaxText)
}

// Told reads the environment of Slurm's Prolog or Epilog (22.05 to 26.05). In an Epilog
// the restart count is not to be trusted: the run is found without it.
func (s Scheduler) Told(getenv func(string) string, h job.Host) (job.Told, error) {
	key, err := keyOf(getenv)
	if err != nil {
		return job.Told{}, err
	}
	r := job.Run{
		Key:       key,
		Job:       jobOf(getenv),
		Node:      job.NodeName(s, getenv, h.Name),
		StartReal: h.Real,
		StartMono: h.Mono,
		BootID:    h.BootID,
		AddressHz: addressHz(getenv("SPANK_JOBGAIT")),
	}
	r.Names, _ = run.ParseDisclosureLevel(getenv("SPANK_JOBGAIT_NAMES"))
	r.StdOutPattern = pattern(getenv("SLURM_JOB_STDOUT"), r.Job.WorkDir)
	r.Job.StdOut = s.StdOut(r, r.Job)
	r.GPUs = gpusOf(getenv)
	r.Exclusive = hasNodeAlone(getenv, r, h.CPUs)
	optOut := strings.EqualFold(strings.TrimSpace(getenv("SPANK_JOBGAIT")), "off")
	return job.Told{Run: r, OptOut: optOut, Exit: job.ExitOf(getenv("SLURM_JOB_EXIT_CODE"))}, nil
}

// Within reads the environment of a job's process.
func (Scheduler) Within(getenv func(string) string) (run.Key, bool) {
	id, err := run.ParseJobID(getenv("SLURM_JOB_ID"))
	restart, _ := job.Count(getenv("SLURM_RESTART_COUNT"))
	return run.Key{Cluster: cluster(getenv), JobID: id, Restart: restart}, err == nil
}

func cluster(getenv func(string) string) string {
	return note.Clean(getenv("SLURM_CLUSTER_NAME"), 64)
}

func keyOf(getenv func(string) string) (run.Key, error) {
	id, err := run.ParseJobID(getenv("SLURM_JOB_ID"))
	if err != nil {
		return run.Key{}, fmt.Errorf("SLURM_JOB_ID: %w: not called by Slurm?", err)
	}
	key := run.Key{Cluster: cluster(getenv), JobID: id}
	key.Restart, _ = job.Count(getenv("SLURM_JOB_RESTART_COUNT"))
	key.SLUID = getenv("SLURM_JOB_SLUID")
	if key.Valid() != nil { // the others are as they must be
		key.SLUID = ""
	}
	return key, nil
}

func jobOf(getenv func(string) string) run.Job {
	text := func(name string) string { return note.Clean(getenv(name), job.MaxText) }
	// A hook without a user id gets -1, so that nothing is ever delivered as root by mistake.
	id := func(name string) int {
		if n, ok := job.Count(getenv(name)); ok {
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
		ArrayJobID:  job.BigCount(getenv("SLURM_ARRAY_JOB_ID")),
		ArrayTaskID: job.BigCount(getenv("SLURM_ARRAY_TASK_ID")),
		NTasks:      job.Positive(getenv("SLURM_JOB_NTASKS")),
		Fields: job.Fields(getenv("SPANK_JOBGAIT_COMMIT"), getenv("SPANK_JOBGAIT_MODULES"),
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

func nodeList(getenv func(string) string) string {
	s := getenv("SLURM_JOB_NODELIST")
	if s == "" {
		s = getenv("SLURM_NODELIST")
	}
	return plainList(s)
}

// plainList returns a valid list of nodes, else "". The length is bounded like that of a path: a longer text is
// no list of a job's nodes.
func plainList(s string) string {
	if len(s) > 1<<16 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd }) {
		return ""
	}
	return s
}

// nodeCount prefers the job's count: without PrologFlags=Alloc the list may be
// that of the first step only.
func nodeCount(getenv func(string) string, list string) int {
	if n, ok := job.Count(getenv("SLURM_JOB_NUM_NODES")); ok && n > 0 {
		return n
	}
	if nodes, err := expandNodeList(list); err == nil && len(nodes) > 0 {
		return len(nodes)
	}
	return 1
}

// hasNodeAlone tells whether the job's CPUs on this node are all that are online. If the node's own count is
// unknown, the answer is no.
func hasNodeAlone(getenv func(string) string, r job.Run, online int) bool {
	cpus, err := expandCPUs(getenv("SLURM_JOB_CPUS_PER_NODE"))
	if err != nil || len(cpus) == 0 || online <= 0 {
		return false
	}
	least := cpus[0]
	for _, n := range cpus {
		least = min(least, n)
	}
	if least >= online {
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

// maxAddressHz is the highest rate a user may ask for; the kernel's own
// default limit, perf_event_max_sample_rate, is 100,000.
const maxAddressHz = 20_000

// addressHz reads --jobgait=HZ; anything but a number in range is no wish.
func addressHz(s string) int {
	hz, ok := job.Count(strings.TrimSpace(s))
	if !ok || hz > maxAddressHz {
		return 0
	}
	return hz
}

// pattern makes the output pattern absolute; "" if no usable pattern exists.
func pattern(s, workDir string) string {
	if s != "" && !strings.HasPrefix(s, "/") && workDir != "" {
		s = filepath.Join(workDir, s)
	}
	return job.CleanPath(s)
}

// StdOut expands the pattern as far as the job is known.
func (Scheduler) StdOut(r job.Run, j run.Job) string {
	return expandStdOut(r.StdOutPattern, r.Key.JobID, j)
}
