package guest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
)

// manyCPUs is what the agent did on a machine of which one CPU is busy.
type manyCPUs struct {
	// Samples are slots of the grid, Missing those of which more than 1 % is uncertain.
	Samples int64 `json:"samples"`
	Missing int64 `json:"missing"`
	Lost    int64 `json:"lost"`
	// AgentS is its CPU time, StartS the part of it for starting; SpanS is how long it sampled.
	AgentS float64 `json:"agent_s"`
	StartS float64 `json:"start_s"`
	SpanS  float64 `json:"span_s"`
	// ResidentKB is the most memory it had, MappedKB the rings of the kernel in it.
	ResidentKB  int64              `json:"resident_kb"`
	MappedKB    int64              `json:"mapped_kb"`
	Descriptors int                `json:"descriptors"`
	Bytes       int64              `json:"bytes"` // of the profile
	AddressHz   float64            `json:"address_hz"`
	RateHz      float64            `json:"rate_hz"`
	Notes       []string           `json:"notes"`
	Uncertain   map[string]float64 `json:"uncertain"`
}

// manyTime is how long the command is sampled, settleTime what is left out at the start.
const manyTime, settleTime = 3 * time.Second, 500 * time.Millisecond

// measureCPUs samples a machine of which one CPU is busy, as on a node that a job has alone.
func measureCPUs() (any, error) {
	command, err := startHeld(nil, "spin")
	if err != nil {
		return nil, err
	}
	defer command.end()
	dir, err := runDirectory(command.Process.Pid, setting{as: ourselves})
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(string(dir))
	agent := exec.Command("/jobgait-agent", "--run-dir", string(dir))
	agent.Env = []string{}
	agent.Stderr = os.Stderr
	if err := agent.Start(); err != nil {
		return nil, err
	}
	defer agent.Process.Kill()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(dir.ReadyPath()); err == nil {
			break
		}
		if time.Since(began) > 10*runLimit {
			return nil, fmt.Errorf("the agent was not ready in %v", 10*runLimit)
		}
	}
	if err := command.release(); err != nil {
		return nil, err
	}
	jobtest.WorkloadPause(settleTime)
	m := manyCPUs{StartS: cpuTime(agent.Process.Pid)}
	jobtest.WorkloadPause(manyTime)
	m.AgentS = cpuTime(agent.Process.Pid) - m.StartS
	proc := fmt.Sprintf("/proc/%d/", agent.Process.Pid)
	if files, err := os.ReadDir(proc + "fd"); err == nil {
		m.Descriptors = len(files)
	}
	m.MappedKB = rings(proc + "maps")
	if err := agent.Process.Signal(unix.SIGTERM); err != nil {
		return m, err
	}
	if err := agent.Wait(); err != nil {
		return m, err
	}
	if u, ok := agent.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.ResidentKB = u.Maxrss
	}
	if err := m.read(dir.ProfilePath()); err != nil {
		return m, err
	}
	return m, nil
}

// read takes what the profile says.
func (m *manyCPUs) read(path string) error {
	l, err := profile.Load(filepath.Clean(path))
	if err != nil {
		return err
	}
	q := l.Quality
	m.Samples, m.Missing, m.Lost, m.AddressHz, m.RateHz = q.Samples, q.Missing, q.LostRecords, q.AddressHz, q.RateHz
	m.SpanS = float64(q.Samples) / q.RateHz
	if l.Footer != nil {
		m.Uncertain = l.Footer.Uncertain
		for _, n := range append(l.Header.Notes, l.Footer.Notes...) {
			m.Notes = append(m.Notes, string(n.Code)+": "+n.Text)
		}
	}
	if info, err := os.Stat(path); err == nil {
		m.Bytes = info.Size()
	}
	return nil
}

// cpuTime is that of a process, in s, by the scheduler's account of its threads.
func cpuTime(pid int) float64 {
	all := 0.0
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, path := range threads {
		var ns int64
		if b, err := os.ReadFile(path); err == nil {
			_, _ = fmt.Sscan(string(b), &ns)
		}
		all += float64(ns) / 1e9
	}
	return all
}

// rings is how much memory of perf events a process has mapped, in KB.
func rings(path string) (kb int64) {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		var from, to int64
		if strings.Contains(line, "[perf_event]") {
			if n, _ := fmt.Sscanf(line, "%x-%x", &from, &to); n == 2 {
				kb += (to - from) >> 10
			}
		}
	}
	return kb
}
