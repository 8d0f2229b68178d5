package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
)

// processes is a /proc of processes with a state, a name and ticks each.
type processes struct {
	t    *testing.T
	proc string
	pids []int
}

func (p *processes) List() []int  { return p.pids }
func (p *processes) Has(int) bool { return true }

func (p *processes) set(pid int, state, name string, ticks uint64) {
	p.t.Helper()
	dir := filepath.Join(p.proc, fmt.Sprint(pid))
	line := strings.Replace(statLine(name, 1, ticks, 0, 5000+uint64(pid)), ") S ", ") "+state+" ", 1)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(line), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// All of the job's processes that work have to be stopped; Slurm's own and those
// that never did anything say nothing.
func TestStopped(t *testing.T) {
	type p struct {
		state, name string
		ticks       uint64
	}
	for what, c := range map[string]struct {
		of   []p
		want bool
	}{
		"no process":                            {nil, false},
		"one":                                   {[]p{{"T", "lmp", 500}}, true},
		"one that runs":                         {[]p{{"R", "lmp", 500}}, false},
		"a process that sleeps":                 {[]p{{"S", "lmp", 500}}, false},
		"a process that did nothing and sleeps": {[]p{{"S", "sleep", 0}}, false},
		"one of two":                            {[]p{{"T", "lmp", 500}, {"S", "lmp", 500}}, false},
		"one of two in the kernel":              {[]p{{"T", "lmp", 0}, {"D", "lmp", 0}}, false},
		"of a debugger":                         {[]p{{"t", "lmp", 500}}, false},
		"a step as Slurm stops it": {[]p{{"S", "slurmstepd", 80}, {"S", "sleep", 0}, {"T", "slurm_script", 3},
			{"T", "srun", 9}, {"T", "lmp", 900}, {"Z", "lmp", 70}}, true},
		"a shell's command": {[]p{{"S", "sh", 1}, {"T", "lmp", 900}}, true},
	} {
		all := &processes{t: t, proc: t.TempDir()}
		for i, x := range c.of {
			all.pids = append(all.pids, 10+i)
			all.set(10+i, x.state, x.name, x.ticks)
		}
		j := NewJobCPU(all.proc, peek.Direct{Proc: all.proc}, all, clock(), 1e9)
		j.SetSchedulerPrograms(func(program string) bool { return program == "slurmstepd" })
		if err := j.Drain(&countertest.Sink{}); err != nil {
			t.Fatal(err)
		}
		if got := j.Stopped(); got != c.want {
			t.Errorf("%s: stopped %v", what, got)
		}
	}
}

// One of a job's processes is enough for a state to be known, and no other is.
func TestInAState(t *testing.T) {
	all := &processes{t: t, proc: t.TempDir(), pids: []int{10, 11}}
	all.set(10, "S", "lmp", 500)
	j := NewJobCPU(all.proc, peek.Direct{Proc: all.proc}, all, clock(), 1e9)
	for _, state := range []byte{Runnable, Blocked, Traced, 'S'} {
		all.set(11, string(state), "lmp", 500)
		if err := j.Drain(&countertest.Sink{}); err != nil {
			t.Fatal(err)
		}
		for _, asked := range []byte{Runnable, Blocked, Traced} {
			if got := j.HasState(asked); got != (asked == state) {
				t.Errorf("one in %c: in %c %v", state, asked, got)
			}
		}
	}
}

// A job of many processes is known to be stopped, and to run again, after a look or
// two, though a look reads 32 of those that run.
func TestManyAreStopped(t *testing.T) {
	const many = 300
	all := &processes{t: t, proc: t.TempDir()}
	for i := range many {
		all.pids = append(all.pids, 10+i)
	}
	to := func(state string) {
		for _, pid := range all.pids {
			all.set(pid, state, "lmp", 500)
		}
	}
	to("R")
	j := NewJobCPU(all.proc, peek.Direct{Proc: all.proc}, all, clock(), 1e9)
	looks := func(want bool) (n int) {
		for n = 1; n < 20; n++ {
			if err := j.Drain(&countertest.Sink{}); err != nil {
				t.Fatal(err)
			}
			if j.Stopped() == want {
				break
			}
		}
		return n
	}
	for range 4 { // the first reads all, the others some
		looks(false)
	}
	to("T")
	if n := looks(true); n > 3 {
		t.Errorf("stopped after %d looks", n)
	}
	to("R")
	if n := looks(false); n > 1 {
		t.Errorf("runs after %d looks", n)
	}
}

func TestFrozen(t *testing.T) {
	for name, c := range map[string]struct {
		controllers, file, text string
		want                    bool
	}{
		"v2":           {"cpu memory", "sys/fs/cgroup/job_5/cgroup.events", "populated 1\nfrozen 1\n", true},
		"v2, runs":     {"cpu memory", "sys/fs/cgroup/job_5/cgroup.events", "populated 1\nfrozen 0\n", false},
		"v2, an old":   {"cpu memory", "sys/fs/cgroup/job_5/cgroup.events", "populated 1\n", false},
		"v1":           {"", "sys/fs/cgroup/freezer/job_5/freezer.state", "FROZEN\n", true},
		"v1, runs":     {"", "sys/fs/cgroup/freezer/job_5/freezer.state", "THAWED\n", false},
		"v1, half way": {"", "sys/fs/cgroup/freezer/job_5/freezer.state", "FREEZING\n", false},
		"no job":       {"", "sys/fs/cgroup/freezer/job_6/freezer.state", "FROZEN\n", false},
	} {
		r, root := jobTree(t, c.controllers, map[string]string{c.file: c.text})
		j := NewJobCgroup(r, func(controller string) (string, bool) {
			dir := filepath.Join(root, "sys/fs/cgroup", controller, "job_5")
			return dir, exists(dir)
		})
		frozen, stop := j.Frozen()
		if got := frozen(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

// scontrol suspend of Slurm 24.11 freezes the users' part of each step.
func TestFrozenSteps(t *testing.T) {
	const job, ran, froze, empty = "sys/fs/cgroup/job_5/", "populated 1\nfrozen 0\n", "populated 1\nfrozen 1\n",
		"populated 0\nfrozen 0\n"
	for name, c := range map[string]struct {
		batch, step, extern string
		want                bool
	}{
		"all":           {froze, froze, empty, true},
		"one runs":      {froze, ran, empty, false},
		"no process":    {empty, empty, empty, false},
		"without steps": {"", "", "", false},
	} {
		files := map[string]string{job + "cgroup.events": ran}
		for step, text := range map[string]string{"step_batch": c.batch, "step_0": c.step, "step_extern": c.extern} {
			if text != "" {
				files[job+step+"/user/cgroup.events"] = text
				files[job+step+"/slurm/cgroup.events"] = ran // slurmstepd's own
			}
		}
		r, root := jobTree(t, "cpu memory", files)
		frozen, stop := NewJobCgroup(r, func(string) (string, bool) { return filepath.Join(root, job), true }).Frozen()
		if got := frozen(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}
