package testcluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// process is a running program of jobgait.
type process struct {
	pid  int
	args []string
}

// mentions is whether an argument names the run directory of a job.
func (p process) mentions(id int64) bool {
	return strings.Contains(strings.Join(p.args, " ")+" ", fmt.Sprintf("-%d.", id))
}

// processes lists the running processes of a program of jobgait, those of this cluster only.
func (c *cluster) processes(program string) []process {
	var found []process
	exe := c.path("libexec", "jobgait", program)
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if got, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe")); err != nil || got != exe {
			continue
		}
		found = append(found, process{pid, arguments(pid)})
	}
	return found
}

func arguments(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// checkLeft waits until no agent of the job runs, and fails the test if a node
// was taken out of service. (That every node is idle and that nothing at all
// runs is checked after all tests: other jobs run at the same time.)
func (c *cluster) checkLeft(t *testing.T, w want) {
	t.Helper()
	poll(t, func() string {
		for _, p := range c.processes("jobgait-agent") {
			if strings.Contains(strings.Join(p.args, " "), "-"+w.id+".") {
				return fmt.Sprintf("agent %d of job %s is left: %q", p.pid, w.id, p.args)
			}
		}
		return ""
	})
	states, err := c.nodeStates()
	if err != nil {
		t.Fatal(err)
	}
	if bad := outOfService(states); len(bad) > 0 {
		t.Errorf("nodes out of service after job %s: %v", w.id, bad)
	}
}

// nodeStates returns "name state reason" of each node.
func (c *cluster) nodeStates() ([]string, error) {
	cmd := exec.Command("sinfo", "-h", "-N", "-o", "%N %T %E")
	cmd.Env = c.env(account{name: "root", home: "/root"})
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("sinfo: %w: %s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// outOfService picks the nodes that take no jobs.
func outOfService(states []string) []string {
	var bad []string
	for _, s := range states {
		state := strings.Fields(s)[1]
		if strings.Contains(state, "drain") || strings.Contains(state, "down") || strings.Contains(state, "fail") {
			bad = append(bad, s)
		}
	}
	return bad
}

// quiet waits until every node is idle and no program of jobgait runs.
func (c *cluster) quiet() error {
	lacks := pollFor(limit, func() string {
		states, err := c.nodeStates()
		if err != nil {
			return err.Error()
		}
		for _, s := range states {
			if strings.Fields(s)[1] != "idle" {
				return fmt.Sprintf("nodes %q", states)
			}
		}
		for _, program := range []string{"jobgait-agent", "jobgait-epilog", "jobgait-prolog", gpuReader} {
			if left := c.processes(program); len(left) > 0 {
				return fmt.Sprintf("%s left: %v", program, left)
			}
		}
		return ""
	})
	if lacks != "" {
		return errors.New(lacks)
	}
	return nil
}

// explain prints the end of every log, for a failure on a machine that cannot be inspected.
func (c *cluster) explain(w io.Writer) {
	logs, _ := filepath.Glob(c.path("spool", "*", "jobgait.log"))
	more, _ := filepath.Glob(c.path("spool", "*", "*", "*.log"))
	slurm, _ := filepath.Glob(c.path("log", "slurmd-*.log"))
	for _, path := range append(append(logs, more...), slurm...) {
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			continue
		}
		fmt.Fprintf(w, "== %s\n%s\n", strings.TrimPrefix(path, c.prefix), b[max(0, len(b)-3000):])
	}
}
