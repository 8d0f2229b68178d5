package testcluster

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/peek/peektest"
)

// Hostile texts that a user can give to a job appear as text.
func attackWords(t *testing.T, r *round) {
	const evil = "'; drop table run; --<script>alert(1)</script>\x1b[31m%n%s$(touch /evil)`id`../../../evil\n"
	dir := r.dir(t, r.c.alice, "words")
	out := filepath.Join(dir, "<b>'; --\x1b[31m $(id)")
	mustMake(t, r.c.alice, out)
	j := r.sbatch(t, r.c.alice, dir, "sleep 2", "--job-name", evil, "--comment", strings.Repeat(evil, 10),
		"--jobgait=app="+evil[:37], "--jobgait=size=<i>1`id`", "-o", out+"/%j.<u>.out")
	j.wait(t)
	row := r.c.waitRows(t, 1, fmt.Sprintf("JobID = '%d' and Report is not null", j.id))[0]
	if *row.Report != out && *row.Report != dir && !strings.HasPrefix(*row.Report, r.c.path("spool")) {
		t.Errorf("the report is in %q", *row.Report)
	}
	for _, form := range forms {
		b, err := os.ReadFile(filepath.Join(*row.Report, j.name()+form))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(b, "\x1b\x00\x7f") ||
			form == ".html" && (bytes.Contains(b, []byte("<script>alert")) || bytes.Contains(b, []byte("<i>1")) ||
				bytes.Contains(b, []byte("<b>'"))) {
			t.Errorf("%s has what the user said as it is", j.name()+form)
		}
	}
	if strings.ContainsAny(text(row.Application)+text(row.Shape), "\x1b\n") {
		t.Errorf("the history has %q, %q", text(row.Application), text(row.Shape))
	}
	if _, err := os.Lstat("/evil"); err == nil {
		t.Error("what the user said was executed")
	}
}

// largestAgent is what an agent and its child may take in memory, beside a process
// of 100 MB of environment: without it they take some 20 and 10.
const largestAgent = 96 << 10 // KB

// A process of the job has an environment of 100 MB. The job goes on until the memory of its agent was read.
func attackEnvironment(t *testing.T, r *round) {
	j := r.sbatch(t, r.c.bob, r.dir(t, r.c.bob, "environment"),
		"attack bigenv 3 >said 2>&1; touch ended; until [ -e measured ]; do sleep 0.2; done", "-w", "n1")
	j.waitFile(t, "ended")
	peak := 0
	poll(t, func() string {
		for _, p := range r.c.processes("jobgait-agent") {
			if p.mentions(j.id) {
				peak = max(peak, statusKB(p.pid, "VmHWM:"))
			}
		}
		if peak == 0 {
			return "the job's agent was not found"
		}
		return ""
	})
	if err := os.WriteFile(filepath.Join(j.dir, "measured"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(j.dir, "said")); string(b) != "big\n" {
		t.Errorf("no such environment: %q", b)
	}
	if peak > largestAgent {
		t.Errorf("the agent took %d KB", peak)
	}
}

// statusKB is a number of /proc/PID/status.
func statusKB(pid int, name string) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	n := 0
	if _, after, ok := strings.Cut(string(b), "\n"+name); ok {
		_, _ = fmt.Sscan(after, &n)
	}
	return n
}

// A user stops or kills the processes of jobgait that run with his rights. This costs him the place of his
// report and affects no other user.
func attackTorment(t *testing.T, r *round) {
	for i, how := range []string{"kill", "stop"} {
		if r.all || i == r.n%2 {
			torment(t, r, how)
		}
	}
}

func torment(t *testing.T, r *round, how string) {
	mine := r.sbatch(t, r.c.alice, r.dir(t, r.c.alice, "torment"), "touch started; sleep 2", "-w", "n2")
	other := r.sbatch(t, r.c.bob, r.dir(t, r.c.bob, "torment"), "sleep 2", "-w", "n2")
	tormentor := r.c.as(r.c.alice, "/", r.c.path("bin", "attack"), "torment", fmt.Sprint(mine.id), how)
	hits, err := tormentor.StdoutPipe()
	if err == nil {
		err = tormentor.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan []string)
	go func() {
		var pids []string
		for s := bufio.NewScanner(hits); s.Scan(); {
			pids = append(pids, s.Text())
		}
		ended <- pids
	}()
	mine.wait(t)
	row := r.c.waitRows(t, 1, fmt.Sprintf("JobID = '%d' and Report is not null", mine.id))[0]
	_ = tormentor.Process.Kill()
	pids := <-ended
	_ = tormentor.Wait()
	t.Logf("%d hits, the report is in %s", len(pids), *row.Report)
	if *row.Report != mine.dir {
		r.c.kept(t, mine)
	}
	other.wait(t)
	w := other.expects("n2")
	r.c.check(t, w)
	for _, pid := range pids {
		if poll := pollFor(limit, func() string {
			if _, err := os.Lstat("/proc/" + pid); err == nil {
				return "is left"
			}
			return ""
		}); poll != "" {
			t.Errorf("process %s %s", pid, poll)
		}
	}
}

// A process of the job, and one of another user, make their memory unreadable.
func attackLocked(t *testing.T, r *round) {
	j := r.sbatch(t, r.c.alice, r.dir(t, r.c.alice, "locked"), "touch started; gait 1 100; sleep 3", "-w", "n1")
	other := r.sbatch(t, r.c.bob, r.dir(t, r.c.bob, "locked"), "gait 1 100; sleep 4", "-w", "n1")
	j.waitFile(t, "started")
	own := peektest.Start(t, r.c.alice.uid, fmt.Sprintf("SLURM_JOB_ID=%d", j.id))
	peektest.Start(t, r.c.bob.uid)
	for _, j := range []job{j, other} {
		j.wait(t)
		r.c.check(t, j.expects("n1"))
	}
	if own.Cmd.ProcessState != nil {
		t.Error("the process that nobody can read has ended before")
	}
}
