package job

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// OneMachine tells whether a hook was called by `jobgait run`. Only then are
// JOBGAIT_ variables of a run believed.
func OneMachine(getenv func(string) string) bool { return getenv("JOBGAIT_ONE_MACHINE") == "1" }

// NodeName returns the name that a node's files go by: what Slurm calls it,
// since several slurmd on one host share its hostname.
func NodeName(getenv func(string) string, hostname string) string {
	for _, s := range []string{getenv("SLURMD_NODENAME"), hostname} {
		if s = note.Clean(s, maxText); s != "" {
			return s
		}
	}
	return "localhost"
}

// Identify returns the run key that a hook's environment gives. In an Epilog
// its restart count is not to be trusted: the run is found without it.
func Identify(getenv func(string) string) (summary.RunKey, error) {
	id, err := summary.ParseJobID(getenv("SLURM_JOB_ID"))
	if err != nil {
		return summary.RunKey{}, fmt.Errorf("SLURM_JOB_ID: %w: not called by Slurm?", err)
	}
	key := summary.RunKey{Cluster: note.Clean(getenv("SLURM_CLUSTER_NAME"), 64), JobID: id}
	if n, ok := count(getenv("SLURM_JOB_RESTART_COUNT")); ok {
		key.Restart = n
	}
	if sluid := getenv("SLURM_JOB_SLUID"); sluid != "" && len(sluid) <= 64 && sluid == element(sluid) {
		key.SLUID = sluid
	}
	if n, ok := count(getenv("JOBGAIT_SUB")); ok && OneMachine(getenv) {
		key.Sub = n
	}
	return key, nil
}

// OptOut tells whether the user asked not to be watched (--jobgait=off).
func OptOut(getenv func(string) string) bool {
	return strings.EqualFold(strings.TrimSpace(getenv("SPANK_JOBGAIT")), "off")
}

// FromHook makes a Run from a Prolog's environment: Slurm's, or that which
// `jobgait run` makes up. exclusive overrides by partition whether jobs have
// their nodes alone. The only error is a job id that is none.
func FromHook(getenv func(string) string, h Host, exclusive map[string]bool) (Run, error) {
	key, err := Identify(getenv)
	if err != nil {
		return Run{}, err
	}
	r := Run{
		Key:       key,
		Job:       jobOf(getenv),
		Node:      NodeName(getenv, h.Name),
		StartReal: h.Real,
		StartMono: h.Mono,
		BootID:    h.BootID,
		AddressHz: addressHz(getenv("SPANK_JOBGAIT")),
	}
	if OneMachine(getenv) {
		r.RootPID, _ = count(getenv("JOBGAIT_ROOT_PID"))
		r.ReportDir = cleanPath(getenv("JOBGAIT_REPORT_DIR"))
	}
	r.StdOutPattern = pattern(getenv("SLURM_JOB_STDOUT"), r.Job.WorkDir)
	r.Job.StdOut = ExpandStdOut(r.StdOutPattern, r.Key.JobID, r.Job)
	r.Exclusive = hasNodeAlone(getenv, r, h.CPUs)
	if alone, ok := exclusive[r.Job.Partition]; ok {
		r.Exclusive = alone
	}
	if OneMachine(getenv) {
		r.Exclusive = false // a machine on which somebody runs a command is not that command's
	}
	return r, nil
}

func jobOf(getenv func(string) string) summary.Job {
	text := func(name string) string { return note.Clean(getenv(name), maxText) }
	// A hook without an id runs for nobody: -1, so that nothing is ever
	// delivered as root by mistake.
	id := func(name string) int {
		if n, ok := count(getenv(name)); ok {
			return n
		}
		return -1
	}
	j := summary.Job{
		User:      text("SLURM_JOB_USER"),
		UID:       id("SLURM_JOB_UID"),
		GID:       id("SLURM_JOB_GID"),
		Account:   text("SLURM_JOB_ACCOUNT"),
		Partition: text("SLURM_JOB_PARTITION"),
		QOS:       text("SLURM_JOB_QOS"),
		Name:      text("SLURM_JOB_NAME"),
		NodeList:  nodeList(getenv),
		WorkDir:   cleanPath(getenv("SLURM_JOB_WORK_DIR")),
		App:       text("SPANK_JOBGAIT_APP"),
		Size:      text("SPANK_JOBGAIT_SIZE"),
		Fields:    fields(getenv, "SPANK_JOBGAIT_"),
	}
	if OneMachine(getenv) {
		j.Name, j.App, j.Size = text("JOBGAIT_JOB_NAME"), text("JOBGAIT_APP"), text("JOBGAIT_SIZE")
		j.Fields = fields(getenv, "JOBGAIT_")
	}
	j.ArrayJobID = bigCount(getenv("SLURM_ARRAY_JOB_ID"))
	j.ArrayTaskID = bigCount(getenv("SLURM_ARRAY_TASK_ID"))
	j.NTasks = positive(getenv("SLURM_JOB_NTASKS"))
	j.NNodes = nodeCount(getenv, j.NodeList)
	if cpus, err := ExpandCPUs(getenv("SLURM_JOB_CPUS_PER_NODE")); err == nil && len(cpus) > 0 {
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

// plainList is a list of nodes, "" if it is none. It is bounded like a path: a longer
// one is no list of a job's nodes.
func plainList(s string) string {
	if len(s) > 1<<16 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd }) {
		return ""
	}
	return s
}

// nodeCount prefers the job's count: without PrologFlags=Alloc the list may be
// that of the first step only.
func nodeCount(getenv func(string) string, list string) int {
	if n, ok := count(getenv("SLURM_JOB_NUM_NODES")); ok && n > 0 {
		return n
	}
	if nodes, err := ExpandNodeList(list); err == nil && len(nodes) > 0 {
		return len(nodes)
	}
	return 1
}

// hasNodeAlone tells whether the job's CPUs on this node are all that are
// online. Where the node's own count cannot be told, the answer is no.
func hasNodeAlone(getenv func(string) string, r Run, online int) bool {
	cpus, err := ExpandCPUs(getenv("SLURM_JOB_CPUS_PER_NODE"))
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
	nodes, err := ExpandNodeList(r.Job.NodeList)
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
	hz, ok := count(strings.TrimSpace(s))
	if !ok || hz > maxAddressHz {
		return 0
	}
	return hz
}

// pattern makes the output pattern absolute; "" if there is none to use.
func pattern(s, workDir string) string {
	if s != "" && !strings.HasPrefix(s, "/") && workDir != "" {
		s = filepath.Join(workDir, s)
	}
	return cleanPath(s)
}

func count(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}

func bigCount(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}
