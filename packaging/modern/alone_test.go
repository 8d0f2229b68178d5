package modern

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slurmdRestarted: the agent outlives it, and systemd has nothing to complain of.
func slurmdRestarted(t *testing.T, c *cluster) {
	j := c.submit(t, "alice", "slurmd restarted", started+"gait 60 500; stepd-cpu", "-n1 -w n2")
	j.runs(t, 15)
	since := strings.TrimSpace(c.n2().do(t, "date +%s"))
	c.n2().do(t, "systemctl restart slurmd")
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
	left := c.n2().do(t, "journalctl -q -u slurmd --since @"+since+" | grep -i 'left-over' || true")
	j.row(t, "left-over processes", left, "", differs(strings.Contains(left, "jobgait"), "systemd finds ours"))
}

// oldTree is a source tree of before: of the commit in JOBGAIT_MODERN_OLD, else of
// the one before this; "" where the tree has no history.
func oldTree(t *testing.T) (dir, commit string) {
	commit = os.Getenv("JOBGAIT_MODERN_OLD")
	if commit == "" {
		commit = "HEAD~1"
	}
	out, err := exec.Command("git", "-C", tree, "rev-parse", "--short", commit+"^{commit}").Output()
	if err != nil {
		return "", "none"
	}
	commit = strings.TrimSpace(string(out))
	dir = filepath.Join(t.TempDir(), "old")
	clone := fmt.Sprintf("mkdir %[1]s && git -C %[2]s archive %[3]s | tar -x -C %[1]s", dir, tree, commit)
	if out, err := exec.Command("sh", "-c", clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, commit
}

// upgraded: a job begins under older programs, which are replaced while it runs:
// the older agent meets the newer Epilog. Without an older tree the same programs
// are installed again.
func upgraded(t *testing.T, c *cluster) {
	old, commit := oldTree(t)
	if old != "" {
		script := "make build\nmake install PREFIX=/usr\n"
		c.n2().unpack(t, c.build(t, old, "old.tar", script))
	}
	j := c.submit(t, "bob", "upgraded from "+commit, started+"gait 40 500; stepd-cpu", "-n1 -w n2")
	j.runs(t, 10)
	c.n2().unpack(t, filepath.Join(c.run, "new.tar"))
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
}

// powerCut: a job on both nodes and one on the second alone lose the second. The
// first one's report names it as missing and is completed when it is back; the
// other's comes then.
func powerCut(t *testing.T, c *cluster) {
	both := c.submit(t, "alice", "power cut of 1 of 2", started+"srun --kill-on-bad-exit=0 gait 600 500",
		"-N2 --ntasks-per-node=1 --no-requeue")
	alone := c.submit(t, "bob", "power cut of 1 of 1", started+"gait 600 500", "-n1 -w n2 --no-requeue")
	both.runs(t, 1)
	alone.runs(t, 30)
	c.machine(t, "kill", c.run, "2")
	early, found := both.read(t, both.base(), jobLimit)
	both.row(t, "report meanwhile", "n2 has no power", fmt.Sprintf("%s; missing %v", early.Job.Ended, early.Nodes.Missing),
		differs(!found || strings.Join(early.Nodes.Missing, " ") != "n2", "n2 is not named as missing"))
	c.machine(t, "start", c.cache, c.run, "2")
	c.n1().wait(3*time.Minute, `scontrol update nodename=n2 state=resume 2>/dev/null; [ "$(sinfo -h -n n2 -p main -o `+
		`%T)" = idle ]`)
	c.n2().do(t, "systemctl start jobgait-sweep.service")
	c.n1().do(t, "systemctl start jobgait-sweep.service")
	both.judge(t, want{state: "NODE_FAIL", nodes: 2, noCPU: "(Slurm has lost the second node's)"})
	r := alone.judge(t, want{state: "NODE_FAIL", nodes: 1, noCPU: "(Slurm has lost it)"})
	alone.row(t, "seconds kept", "more than 30 s", fmt.Sprintf("%.1f s", r.Job.ElapsedS),
		differs(r.Job.ElapsedS < 29, "more than a second is lost"))
	c.idle(t)
}

// machine calls machine.sh.
func (c *cluster) machine(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("./machine.sh", args...)
	out, err := os.CreateTemp(t.TempDir(), "machine")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out // a file, so that the machine keeps no pipe of this process
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		t.Fatalf("machine.sh %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// withSlurm changes slurm.conf on both nodes for a test, by sed, and restarts the
// daemons before and after it.
func (c *cluster) withSlurm(t *testing.T, edit string, lines ...string) {
	t.Helper()
	restart := func() {
		c.n1().do(t, "systemctl restart slurmctld")
		for _, g := range c.nodes {
			g.do(t, "systemctl restart slurmd")
		}
		c.idle(t)
	}
	for _, g := range c.nodes {
		g.do(t, fmt.Sprintf("cp /etc/slurm/slurm.conf /etc/slurm/slurm.conf.before; sed -i %s /etc/slurm/slurm.conf; cat "+
			">>/etc/slurm/slurm.conf <<'END'\n%s\nEND\n",
			quote(edit), strings.Join(lines, "\n")))
	}
	t.Cleanup(func() {
		for _, g := range c.nodes {
			g.do(t, "mv /etc/slurm/slurm.conf.before /etc/slurm/slurm.conf")
		}
		restart()
	})
	restart()
}

// jobContainer: the job has a private /tmp that contains its output; its report goes to the directory that the
// nodes share.
func jobContainer(t *testing.T, c *cluster) {
	for _, g := range c.nodes {
		g.do(t, "install -d -m 755 /var/spool/containers; printf 'AutoBasePath=true\\nBasePath=/var/spool/containers\\n' "+
			">/etc/slurm/job_container.conf")
	}
	c.withSlurm(t, "s/^PrologFlags=.*/PrologFlags=Contain/", "JobContainerType=job_container/tmpfs")
	j := c.submit(t, "alice", "job_container/tmpfs", started+"touch /tmp/mine; gait 40 500; stepd-cpu", "-n1 -w n2")
	j.runs(t, 10)
	j.outside(t, c.n2())
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
	own := c.submit(t, "bob", "output in its own /tmp", "gait 20 500", "-n1 -w n2 -o /tmp/out.txt")
	r, found := own.read(t, own.base(), 3*time.Minute)
	where := c.n2().do(t, fmt.Sprintf("find / /tmp -xdev -name 'jobgait-%s.*' 2>/dev/null", own.id))
	own.row(t, "report", "its /tmp is gone", r.Job.Ended+" "+where, differs(!found && where == "", "no report anywhere"))
}

// runInJob: Prolog and Epilog run in the job's own cgroup and are killed with it.
func runInJob(t *testing.T, c *cluster) {
	c.withSlurm(t, "s/^PrologFlags=.*/PrologFlags=RunInJob/")
	j := c.submit(t, "bob", "RunInJob", started+"gait 40 500; stepd-cpu", "-n1 -w n2")
	j.runs(t, 10)
	j.outside(t, c.n2())
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
	said := c.n2().do(t, "grep -h 'timed out waiting for job "+j.id+"' /var/log/slurm/slurmd.log || true")
	j.row(t, "slurmd's log", said, "", differs(said != "", "the Epilog took longer than slurmd waits"))
}

// leftBehind checks the cluster after all jobs for leftovers.
func leftBehind(t *testing.T, c *cluster) {
	began := time.Now()
	reasons := c.n1().do(t, `sinfo -h -R; grep -h -i 'drain' /var/log/slurm/slurmctld.log | grep -v -i undrain | head `+
		`-n 5 || true`)
	c.check(t, "nodes drained", reasons, "", began, differs(reasons != "", "some were"))
	for _, g := range c.nodes {
		// Emulated, an Epilog takes longer than its deadline, and says so.
		failed := g.do(t, `systemctl --failed --no-legend --plain | grep jobgait || true; journalctl -q -b -p warning -g `+
			`jobgait | tail -n 5 || true`)
		c.check(t, g.name+": journal", failed, "", began, differs(failed != "", "errors of ours"))
		log := g.do(t, `grep -h -i -E 'error|jobgait' /var/log/slurm/slurmd.log | grep -i jobgait | tail -n 5 || true`)
		c.check(t, g.name+": slurmd's log", log, "", began, differs(log != "", "lines of ours"))
		// A finished run keeps its directory until the spool is full; a sweep that its
		// timer has just begun ends.
		runs := g.do(t, "for i in $(seq 60); do pgrep -x jobgait-epilog >/dev/null || break; sleep 1; done; for d in "+
			"/var/spool/jobgait/"+g.name+"/*/; do [ -e $d/done ] || [ ! -e $d/env.json ] || echo $d; done; pgrep -a jobgait "+
			"|| true")
		c.check(t, g.name+": runs and programs left", "", runs, began, differs(runs != "", "something is left"))
	}
	list := c.n1().do(t, `runuser -u alice -- jobgait list 2>&1 | head -n 5 || true`)
	c.check(t, "jobgait list as a user", "", list, began,
		differs(strings.Contains(list, "no run was stored yet") || list == "", "her runs are not told"))
}
