package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// oddSpools lists defective spools. A job that began without free space leaves no data; what fits into a quarter
// of a megabyte is reported.
var oddSpools = []struct {
	name, options string
	fill, ro      bool
	unseen        bool
}{
	{"full", "size=64k", true, false, true},
	{"tiny", "size=256k", false, false, false},
	{"read-only", "size=64k", false, true, true},
}

// A node's spool is full, nearly full or read-only.
func attackSpool(t *testing.T, r *round) {
	r.odd.Lock()
	defer r.odd.Unlock()
	for i, s := range oddSpools {
		if !r.all && i != r.n%len(oddSpools) {
			continue
		}
		spool := r.c.path("spool", oddNode)
		if err := os.MkdirAll(spool, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("jobgait-test", spool, "tmpfs", 0, "mode=700,"+s.options); err != nil {
			t.Fatal(err)
		}
		if s.fill {
			_ = exec.Command("dd", "if=/dev/zero", "bs=1k", "of="+filepath.Join(spool, "fill")).Run()
		}
		if s.ro {
			if err := unix.Mount("", spool, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
				t.Error(err)
			}
		}
		j := r.sbatch(t, r.c.bob, r.dir(t, r.c.bob, s.name), "sleep 2", "-w", oddNode)
		r.note(attacked{job: j, unseen: s.unseen})
		j.wait(t)
		if !s.unseen {
			r.c.check(t, j.expects(oddNode))
		}
		if lacks := pollFor(limit, func() string { return r.c.busyOn(oddNode) }); lacks != "" {
			t.Error(lacks)
		}
		if err := unix.Unmount(spool, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}
}

// busyOn returns the program of jobgait that works in a node's spool, or "".
func (c *cluster) busyOn(node string) string {
	for _, program := range []string{"jobgait-agent", "jobgait-epilog"} {
		for _, p := range c.processes(program) {
			if args := strings.Join(p.args, " ") + "/"; strings.Contains(args, c.path("spool", node)+"/") ||
				strings.HasSuffix(args, " "+node+"/") {
				return fmt.Sprintf("%q runs", p.args)
			}
		}
	}
	return ""
}

// A process of jobgait is killed, drawn at random for each of three jobs that overlap.
func attackKills(t *testing.T, r *round) {
	dir := r.dir(t, r.c.alice, "kills")
	var jobs []job
	for i := range 3 {
		v := prey[r.drawn(len(prey))]
		// The job is held until it is registered with the hunter, because a Prolog ends very soon.
		j := r.sbatch(t, r.c.alice, dir, "gait 0.2 50; exec sleep 2.2", "-H", fmt.Sprintf("-N%d", 1+i/2),
			"--ntasks-per-node=1", "-J", "kill-"+v.name)
		r.note(attacked{job: j, killed: true})
		r.hunter.hunt(j.id, v, time.Duration(r.drawn(int(v.life))))
		r.c.admin(t, "scontrol", "release", fmt.Sprint(j.id))
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		j.wait(t)
	}
}

// faults are those of the whole cluster, while jobs run on every node: all programs are removed and installed
// again, one slurmd and slurmctld are killed and restarted. The test waits until Slurm has saved its state,
// because Slurm forgets the rest; the test is about jobgait's hooks and agents.
func (a *arena) faults(t *testing.T, n int) {
	a.whole.Lock()
	defer a.whole.Unlock()
	r := &round{arena: a, n: n}
	dir := r.dir(t, a.c.bob, fmt.Sprintf("faults%d", n))
	for i := range 6 {
		r.note(attacked{job: a.c.sbatch(t, a.c.bob, dir,
			"touch started.$SLURM_JOB_ID; gait 1 100; until [ -e go ]; do sleep 0.2; done",
			"-N1", "-n1", "-o", "/dev/null", "-w", fmt.Sprintf("n%d", 1+i%4))})
	}
	for _, j := range r.jobs {
		j.waitFile(t, fmt.Sprintf("started.%d", j.id))
	}
	began := time.Now()
	a.reinstall(t, n%2 == 0)
	poll(t, func() string {
		if info, err := os.Stat(a.c.path("state", "job_state")); err != nil || info.ModTime().Before(began) {
			return "slurmctld has not saved that the jobs run"
		}
		return ""
	})
	node := fmt.Sprintf("n%d", 1+n%4)
	a.c.restart(t, "slurmd-"+node+".pid", "slurmd", "-N", node)
	a.c.restart(t, "slurmctld/slurmctld.pid", "slurmctld")
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	a.judge(t, r.jobs)
}

// reinstall does to the programs what an administrator does while jobs run:
// install.sh replaces each in one step, with or without removing all first.
func (a *arena) reinstall(t *testing.T, remove bool) {
	t.Helper()
	bin := os.Getenv("JOBGAIT_BIN")
	if bin == "" {
		bin = "../../build/bin"
	}
	programs := []string{"jobgait", "jobgait-agent", "jobgait-prolog", "jobgait-epilog"}
	for _, p := range programs {
		if remove {
			if err := os.Remove(a.c.path("libexec", "jobgait", p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, p := range programs {
		to := a.c.path("libexec", "jobgait", p)
		if out, err := exec.Command("install", "-m", "755", filepath.Join(bin, p), to+".new").CombinedOutput(); err != nil {
			t.Fatalf("install %s: %v\n%s", p, err, out)
		}
		if err := os.Rename(to+".new", to); err != nil {
			t.Fatal(err)
		}
	}
}

// restart kills a daemon of Slurm and starts it again.
func (c *cluster) restart(t *testing.T, pidFile, name string, args ...string) {
	t.Helper()
	b, err := os.ReadFile(c.path("run", pidFile))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err == nil {
		err = unix.Kill(pid, unix.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	poll(t, func() string {
		if arguments(pid) != nil && arguments(pid)[0] != "" {
			return name + " does not end"
		}
		return ""
	})
	cmd := exec.Command(name, append(args, "-f", c.queue.conf)...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("start %s: %v\n%s", name, err, out)
	}
}
