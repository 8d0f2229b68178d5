package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/analysis/run"
)

// processes returns how many processes the job has: JOBGAIT_PROCESSES, 200 without it.
func processes() int {
	n, err := strconv.Atoi(os.Getenv("JOBGAIT_PROCESSES"))
	if err != nil {
		return 200
	}
	return n
}

// forks starts processes, prints a line, and all end when its standard input is closed.
const forks = `exec 3<&0; i=0
while [ $i -lt %d ]; do { read -r line <&3; } & i=$((i+1)); done
echo ready; wait`

// sealCPU is how much CPU time the agent may take to seal its profile. An Epilog kills it after a second, which this
// test measures in CPU time, because the time of a clock depends on the load of the machine.
const sealCPU = 500 * time.Millisecond

// When all processes of a job end at once, and the Epilog stops the agent at the same time, the agent seals its
// profile before the Epilog kills it.
func TestProcessesThatEndAtOnce(t *testing.T) {
	needPerf(t)
	id := run.JobID(os.Getpid())*10 + 7
	cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf(forks, processes()))
	cmd.Env = []string{"SLURM_JOB_ID=" + id.String(), "PATH=/usr/bin:/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	agent := startAgent(t, runDirOf(t, job.Run{Key: run.Key{Cluster: "test", JobID: id}, Job: jobOfUser(os.Getuid())}))
	jobtest.Until(t, "the agent has read the processes of the job", func() bool {
		return readCalls(t, agent.Process.Pid) > 2*processes()
	})
	before := cpuTime(t, agent.Process.Pid)
	if err := errors.Join(agent.Process.Signal(unix.SIGTERM), stdin.Close()); err != nil {
		t.Fatal(err)
	}
	killed := false
	jobtest.Until(t, "the agent has ended", func() bool {
		took := cpuTime(t, agent.Process.Pid) - before
		if took > sealCPU && !killed {
			killed = true
			t.Errorf("the agent has used %v of CPU time since it was stopped: the Epilog kills it", took)
			_ = agent.Process.Kill()
		}
		return hasEnded(agent.Process.Pid)
	})
	t.Logf("the agent used %v of CPU time after the signal", cpuTime(t, agent.Process.Pid)-before)
	if err := agent.Wait(); err != nil && !killed {
		t.Errorf("the agent: %v", err)
	}
	if p := readProfile(t, agent.dir); p.Footer == nil || p.Footer.Reason != "stopped" {
		t.Errorf("the profile is not sealed: footer %+v", p.Footer)
	}
}

// readCalls returns the number of reads that a process has made.
func readCalls(t *testing.T, pid int) (calls int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "syscr: %d", &calls); err == nil {
			return calls
		}
	}
	return 0
}

// cpuTime returns the CPU time that a process, which may have ended and not been waited for, has used.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	var ticks [2]int64
	fields := statFields(t, pid)
	_, err := fmt.Sscan(fields[11]+" "+fields[12], &ticks[0], &ticks[1])
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(ticks[0]+ticks[1]) * 10 * time.Millisecond
}

// hasEnded reports whether a child that was not waited for has ended.
func hasEnded(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ")
	return errors.Is(err, syscall.ESRCH) || strings.HasPrefix(after, "Z")
}

// statFields returns the fields of /proc/PID/stat after the name, so that [0] is the state.
func statFields(t *testing.T, pid int) []string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexByte(string(text), ')')
	return strings.Fields(string(text)[at+1:])
}
