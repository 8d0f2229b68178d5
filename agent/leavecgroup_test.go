package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
	"jobgait/agent/unit"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// A fake tree: files take what is written, whatever it is.
func TestLeavesEachHierarchy(t *testing.T) {
	const jobs = "12:memory:/slurm/uid_1/job_5/step_extern\n11:cpu,cpuacct:/\n" +
		"0::/system.slice/slurmstepd.scope/job_5/step_extern/slurm\n"
	for name, c := range map[string]struct {
		cgroup  string
		takes   []string // directories with a cgroup.procs
		root    int
		left    bool
		entered string
	}{
		"not in a job":            {"0::/system.slice/slurmd.service\n", nil, 0, true, ""},
		"no cgroups":              {"", nil, 0, true, ""},
		"in a job, both versions": {jobs, []string{"v1", "v2/system.slice"}, 0, true, "v1 v2/system.slice"},
		"the root takes it":       {jobs, []string{"v1", "v2"}, 0, true, "v1 v2"},
		"one of our own": {jobs, []string{"v1", "v2/system.slice/jobgait.agents"}, 0, true,
			"v1 v2/system.slice/jobgait.agents"},
		"nothing takes it":         {jobs, []string{"v1"}, 0, false, "v1"},
		"a command in a batch job": {jobs, nil, 7, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			proc := files(t, map[string]string{"self/cgroup": c.cgroup, "self/mountinfo": fmt.Sprintf(
				"40 32 0:35 / %[1]s/v1 rw - cgroup cgroup rw,memory\n36 25 0:31 / %[1]s/v2 rw - cgroup2 cgroup2 rw\n", root)})
			for _, dir := range c.takes {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, dir, "cgroup.procs"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			said := 0
			left, notes := leaveJobCgroup(proc, job.Run{RootPID: c.root}, func(error) { said++ })
			if left != c.left || has(notes, note.InsideJob) == c.left || (said == 1) != (c.left && c.entered != "") {
				t.Errorf("left %v, notes %v, said %d", left, notes, said)
			}
			var entered []string
			for _, dir := range c.takes {
				if b, _ := os.ReadFile(filepath.Join(root, dir, "cgroup.procs")); string(b) == strconv.Itoa(os.Getpid()) {
					entered = append(entered, dir)
				}
			}
			if got := strings.Join(entered, " "); got != c.entered {
				t.Errorf("entered %q, want %q", got, c.entered)
			}
		})
	}
}

// An agent that must stay samples nothing, and leaves a sealed profile that says
// why.
func TestDeclines(t *testing.T) {
	dir := runDir(t, 0)
	r, err := dir.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeDeclined(dir, r, []note.Note{note.New(note.InsideJob, "inside")}); err != nil {
		t.Fatal(err)
	}
	p := readProfile(t, dir)
	if p.Footer == nil || p.Footer.Reason != "declined" || !has(p.Header.Notes, note.InsideJob) || len(p.Blocks) > 0 {
		t.Errorf("header %+v, footer %+v", p.Header, p.Footer)
	}
	if _, err := os.Stat(dir.ReadyPath()); err != nil {
		t.Error(err) // readers must not wait in vain
	}
}

// jobCgroup is where the cgroup of a job may be made in the real hierarchy, below
// a directory that is removed in the end, whatever was made in it.
func jobCgroup(t *testing.T, id int) (dir string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Skip("no /proc")
	}
	mounts := cgroup.ParseMounts(text)
	i := slices.IndexFunc(mounts, func(m cgroup.Mount) bool { return m.Unified && m.Root == "/" })
	if i < 0 || os.Getuid() != 0 {
		t.Skip("needs root and cgroup v2")
	}
	top := filepath.Join(mounts[i].Dir, fmt.Sprintf("jobgait-test-%d-%d", os.Getpid(), id))
	dir = filepath.Join(top, "slurmstepd.scope", fmt.Sprintf("job_%d", id))
	if err := os.Mkdir(top, 0o755); err != nil {
		t.Skipf("no cgroup can be made here: %v", err)
	}
	t.Cleanup(func() {
		for _, d := range []string{dir + "/step_extern", dir, filepath.Dir(dir), top} {
			jobtest.Until(t, d+" is removed", func() bool {
				err := os.Remove(d)
				return err == nil || errors.Is(err, os.ErrNotExist)
			})
		}
	})
	return dir
}

// The real thing: an agent that is started inside a job's cgroup leaves it, and
// the job's cgroup can be emptied and removed while the agent lives.
func TestLeavesARealJob(t *testing.T) {
	dir := filepath.Join(jobCgroup(t, 1), "step_extern")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run := runDirOf(t, job.Run{Job: jobOfUser(0)})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$0" --run-dir "$2"`, self, dir, string(run))
	cmd.Env = append(os.Environ(), agentEnv+"=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, run.ReadyPath())
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", cmd.Process.Pid))
	if place, ok := cgroup.Job(cgroup.Parse(text)); ok || err != nil {
		t.Errorf("still in %+v: %s%v", place, text, err)
	}
	if procs, err := os.ReadFile(filepath.Join(dir, "cgroup.procs")); err != nil || len(procs) > 0 {
		t.Errorf("processes left in the job: %s%v", procs, err)
	}
	if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Error(err)
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() || !strings.Contains(lines.Text(), "left it") || lines.Scan() {
		t.Errorf("agent: %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if p := readProfile(t, run); p.Footer == nil || p.Footer.Reason != "stopped" {
		t.Errorf("notes %v, footer %+v", p.Header.Notes, p.Footer)
	}
}

// The job's cgroup comes while the agent samples: its events are counted from then
// on, an epoch says so, and what they counted is what the job used.
func TestCgroupThatComesLate(t *testing.T) {
	needPerf(t)
	t.Parallel()
	id := os.Getpid()*10 + 3
	dir := jobCgroup(t, id)
	a := startAgent(t, runDirOf(t, job.Run{Key: run.Key{Cluster: "test", JobID: run.JobID(id)}, Job: jobOfUser(0)}))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// Only the cgroup shows whose process it is.
	worker := busy(t, "0", fmt.Sprintf("echo $$ > %s/cgroup.procs; while :; do :; done", dir))
	jobtest.Until(t, "the agent counts", func() bool {
		p, err := profile.Read(a.dir.ProfilePath())
		return err == nil && slices.ContainsFunc(p.Epochs, func(e profile.Epoch) bool { return e.Kind == "scope" })
	})
	before := cpuSeconds(worker.Process.Pid)
	jobtest.Until(t, "0.3 s more are used", func() bool { return cpuSeconds(worker.Process.Pid) > before+0.3 })
	a.end(t)
	used := cpuSeconds(worker.Process.Pid)
	if err := worker.Process.Kill(); err != nil { // else its cgroup stays
		t.Error(err)
	}
	_ = worker.Wait()
	totals := loadProfile(t, a.dir).Totals
	for _, c := range totals {
		if c.Name == "task_clock" {
			if got := c.Total / 1e9; got < 0.25 || got > used+0.1 {
				t.Errorf("the cgroup's events counted %.2f s; the job used %.2f s, %.2f s of them before", got, used, before)
			}
			return
		}
	}
	t.Errorf("no task_clock: %v", totals)
}

// The agent requests a scope from systemd if the settings and the run want it. The systemd of this test hangs
// up.
func TestOwnScope(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root asks systemd")
	}
	socket := filepath.Join(t.TempDir(), "private")
	systemd, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer systemd.Close()
	slurms := job.Run{Key: run.Key{JobID: 17}}
	for _, c := range []struct {
		launch string
		run    job.Run
		asked  bool
	}{{"setsid", slurms, false}, {"auto", job.Run{RootPID: 7}, false}, {"auto", slurms, true}} {
		said := make(chan error, 1)
		requestScope(unit.Manager{Private: socket}, c.run, configs.Agent{Launch: c.launch}, func(err error) { said <- err })
		if !c.asked {
			continue // a call would be there for the next
		}
		call, err := systemd.Accept()
		if err != nil {
			t.Fatal(err)
		}
		call.Close()
		if err := <-said; err == nil {
			t.Errorf("%+v: no word of a systemd that hangs up", c)
		}
	}
	if err := systemd.(*net.UnixListener).SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := systemd.Accept(); err == nil {
		t.Error("systemd was asked once more")
	}
}
