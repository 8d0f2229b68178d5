package guest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/jobevent"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/slurm"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// The job's place, as Slurm makes it below cgroup v2.
const (
	unified = "/sys/fs/cgroup"
	jobID   = 7
	jobDir  = unified + "/system.slice/slurmstepd.scope/job_7"
	taskDir = jobDir + "/step_0/user/task_0"
)

// scoped is what was counted of a cgroup, while a neighbour used the CPUs too.
type scoped struct {
	// Refused is why a cgroup could not be counted before any controller was
	// enabled, Codes the notes then.
	Refused string      `json:"refused"`
	Codes   []note.Code `json:"codes"`
	// First and Second are of one process each; the cgroup was recreated for the second.
	First, Second work
	Epochs        []profile.Epoch
	Notes         []note.Note `json:"notes"` // at the end
	// Member and Stranger are whether the job's process was found to
	// belong, and its neighbour.
	Member, Stranger bool
}

// work is what a process did by the counters, by column, and by its parent's
// account.
type work struct {
	Counts map[string]uint64 `json:"counts"`
	UsedNS int64             `json:"used_ns"`
}

// observer counts the job's cgroup.
type observer struct {
	source *jobevent.Cgroup
	sink   countertest.Sink
	lanes  int
}

func measureScope() (any, error) {
	cpus, err := kernel.OnlineCPUs("/sys")
	if err != nil {
		return nil, err
	}
	find := cgroup.NewFinder("/proc", cgroup.Identity{ID: jobID, Node: "guest"}, rawcall.Now)
	source, err := jobevent.NewCgroup(perf.Open, jobevent.CgroupParams{CPUs: cpus, Find: find})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	o := &observer{source: source, lanes: source.Lanes()}
	s := &scoped{}
	err = errors.Join(source.Start(), s.refused(o))
	if err != nil {
		return s, err
	}
	s.First, err = o.watch(s)
	if err != nil {
		return s, err
	}
	if err := errors.Join(removeJob(), os.MkdirAll(taskDir, 0o755)); err != nil {
		return s, err
	}
	s.Second, err = o.watch(s)
	s.Epochs, s.Notes = o.sink.Epochs, source.Notes()
	return s, errors.Join(err, removeJob())
}

// refused makes the cgroup before the kernel can count by cgroup, and then enables that as systemd does, by
// enabling any controller.
func (s *scoped) refused(o *observer) error {
	if err := o.source.Drain(&o.sink); err != nil { // there is no cgroup yet
		return err
	}
	if err := os.MkdirAll(taskDir, 0o755); err != nil {
		return err
	}
	s.Refused = errorText(o.source.Drain(&o.sink))
	for _, n := range o.source.Notes() {
		s.Codes = append(s.Codes, n.Code)
	}
	return enableCgroups()
}

// enableCgroups makes the kernel know cgroups below the root.
func enableCgroups() error {
	return os.WriteFile(filepath.Join(unified, "cgroup.subtree_control"), []byte("+pids"), 0)
}

// moveTo puts a process into a cgroup.
func moveTo(dir string, pid int) error {
	return os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

// drain drains until the cgroup is counted, for as long as it may take.
func (o *observer) drain() error {
	var err error
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(20 * time.Millisecond) {
		if err = o.source.Drain(&o.sink); err == nil && o.totals() != nil {
			return nil
		}
	}
	if err == nil {
		err = errors.New("there were no readings")
	}
	return err
}

// watch counts a process that works in the cgroup, beside one that does not.
func (o *observer) watch(s *scoped) (work, error) {
	if err := o.drain(); err != nil {
		return work{}, err
	}
	neighbour, err := startHeld(nil, "spin")
	if err != nil {
		return work{}, err
	}
	defer neighbour.end()
	if err := neighbour.release(); err != nil {
		return work{}, err
	}
	p, err := startHeld(nil, "worker")
	if err != nil {
		return work{}, err
	}
	defer p.end()
	if err := moveTo(taskDir, p.Process.Pid); err != nil {
		return work{}, err
	}
	// By its cgroup alone: it has no environment.
	members := job.NewMembers("/proc", peek.Direct{Proc: "/proc"},
		job.Run{Key: run.Key{Cluster: "c", JobID: jobID}, Node: "guest"}, slurm.Scheduler{})
	s.Member, s.Stranger = members.Has(p.Process.Pid), members.Has(neighbour.Process.Pid)
	if err := o.source.Drain(&o.sink); err != nil {
		return work{}, err
	}
	before := o.totals()
	if err := errors.Join(p.release(), p.Wait(), o.source.Drain(&o.sink)); err != nil {
		return work{}, err
	}
	w := work{Counts: map[string]uint64{}, UsedNS: p.usedNS()}
	for i, v := range o.totals() {
		w.Counts[o.source.Columns()[i].Name] = v - before[i]
	}
	return w, nil
}

// totals are the sums over all CPUs, nil before there is a reading of each.
func (o *observer) totals() []uint64 {
	sum := make([]uint64, len(o.source.Columns()))
	for lane := range o.lanes {
		last, ok := o.sink.Last(lane)
		if !ok {
			return nil
		}
		for i, v := range last.Counts {
			sum[i] += v
		}
	}
	return sum
}

// removeJob removes the job's cgroups, from the innermost.
func removeJob() error {
	for dir := taskDir; dir != filepath.Dir(jobDir); dir = filepath.Dir(dir) {
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}
