package guest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/analysis/run"
)

// accountUID is the uid of a user without privileges.
const accountUID = 65534

// ordinary returns the attributes of a process of an ordinary user, perfmon those of a user with CAP_PERFMON
// and nothing else.
func ordinary() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID}}
}

func perfmon() *syscall.SysProcAttr { return capable(unix.CAP_PERFMON) }

func capable(capability uintptr) *syscall.SysProcAttr {
	as := ordinary()
	as.AmbientCaps = []uintptr{capability}
	return as
}

// allowed is what the kernel permits a process to count: the error, "" if it permits it.
type allowed struct {
	Node       string `json:"node"`        // a CPU
	TaskKernel string `json:"task_kernel"` // itself, with what the kernel does for it
	TaskUser   string `json:"task_user"`   // itself, only its own code
}

// try finds out what this process may open and prints it.
func try() error {
	attempt := func(bits uint64, pid, cpu int) string {
		a := retired()
		a.Bits |= bits
		fd, err := perf.Open(&a, pid, cpu, -1, 0)
		if err != nil {
			return err.Error()
		}
		return errorText(unix.Close(fd))
	}
	return json.NewEncoder(os.Stdout).Encode(allowed{
		Node:       attempt(0, -1, 0),
		TaskKernel: attempt(0, 0, -1),
		TaskUser:   attempt(unix.PerfBitExcludeKernel, 0, -1),
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// probe is what `jobgait-agent probe --json` says.
type probe struct {
	Sources []run.CounterSource `json:"sources"`
	More    string              `json:"more"`
}

// permission describes what a user is permitted at one level of perf_event_paranoid.
type permission struct {
	Level   int      `json:"level"`
	Perfmon bool     `json:"perfmon"`
	Allowed allowed  `json:"allowed"`
	Admin   allowed  `json:"admin"` // the same user with CAP_SYS_ADMIN
	Probe   probe    `json:"probe"`
	Agent   *session `json:"agent"` // nil where it was not run
}

// measurePermissions sets every level of Debian's kernel and records what an ordinary user is permitted, and
// what the agent then samples.
func measurePermissions() (any, error) {
	restore, err := setParanoid(2)
	if err != nil {
		return nil, err
	}
	defer restore()
	var all []permission
	for level := -1; level <= 4; level++ {
		for _, privileged := range []bool{false, true} {
			p, err := permissionAt(level, privileged)
			if err != nil {
				return all, fmt.Errorf("level %d: %w", level, err)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// setParanoid sets the level, of this machine; restore sets what it was.
func setParanoid(level int) (restore func(), err error) {
	const file = "/proc/sys/kernel/perf_event_paranoid"
	was, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return func() { _ = os.WriteFile(file, was, 0) }, os.WriteFile(file, []byte(strconv.Itoa(level)), 0)
}

func permissionAt(level int, privileged bool) (permission, error) {
	p := permission{Level: level, Perfmon: privileged}
	as := ordinary
	if privileged {
		as = perfmon
	}
	if _, err := setParanoid(level); err != nil {
		return p, err
	}
	var err error
	if p.Allowed, err = ask(as()); err != nil {
		return p, err
	}
	if privileged && level != 2 && level != 3 {
		return p, nil // as at one of these
	}
	if p.Admin, err = ask(capable(unix.CAP_SYS_ADMIN)); err != nil {
		return p, err
	}
	if p.Probe, err = askAgent(as()); err != nil {
		return p, err
	}
	p.Agent, err = sample(setting{as: as, role: "doze"})
	p.Agent.IPC = nil // long, and of no interest here
	return p, err
}

// ask tries the events in a process of a user.
func ask(as *syscall.SysProcAttr) (allowed, error) {
	cmd := exec.Command(self, "try")
	cmd.SysProcAttr, cmd.Stderr = as, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return allowed{}, err
	}
	var a allowed
	return a, json.Unmarshal(out, &a)
}

// askAgent runs the probe of the agent as a user.
func askAgent(as *syscall.SysProcAttr) (probe, error) {
	cmd := exec.Command("/jobgait-agent", "probe", "--json")
	cmd.SysProcAttr, cmd.Stderr, cmd.Env = as, os.Stderr, []string{}
	out, err := cmd.Output()
	if err != nil {
		return probe{}, fmt.Errorf("probe: %w", err)
	}
	var p probe
	return p, json.Unmarshal(out, &p)
}
