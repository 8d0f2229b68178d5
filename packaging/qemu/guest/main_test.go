package guest

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// check is one thing that is measured.
type check struct {
	name    string
	measure func() (any, error)
}

func checks() []check {
	return []check{
		{"ipc", measureIPC},
		{"ring", measureRing},
		{"shared", measureShared},
		{"large", measureLarge},
		{"hotplug", measureHotplug},
		{"permissions", measurePermissions},
		{"agent", measureAgent},
		{"cpus", measureCPUs},
		{"unplugged", measureUnplugged},
		{"command", measureCommand},
		{"job", measureJob},
		{"scope", measureScope},
	}
}

// TestMain is the whole program in the virtual machine: as the first process it performs the
// checks, as another one it is a load. Elsewhere there are no tests to run.
func TestMain(m *testing.M) {
	switch {
	case os.Getpid() == 1 && os.Getenv("checks") != "":
		boot()
	case len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test."):
		os.Exit(load(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// boot mounts the file systems, performs the checks of the kernel's command line and turns the machine off.
func boot() {
	defer func() {
		if p := recover(); p != nil {
			fmt.Printf("%v\n%s", p, debug.Stack())
		}
		unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	}()
	if err := mountAll(); err != nil {
		tell(line{Check: "mount", Error: err.Error()})
		return
	}
	for _, name := range strings.Split(os.Getenv("checks"), ",") {
		tell(perform(name))
	}
}

// line is what goes out for a check.
type line struct {
	Check string `json:"check"`
	Error string `json:"error,omitempty"`
	Value any    `json:"value"`
}

// mark begins a line of this program on a console to which the kernel writes too.
const mark = "check: "

func tell(l line) {
	b, err := json.Marshal(l)
	if err != nil {
		b, _ = json.Marshal(line{Check: l.Check, Error: err.Error()})
	}
	fmt.Printf("\n%s%s\n", mark, b)
}

// perform does one check; a panic is its error.
func perform(name string) (l line) {
	l.Check = name
	defer func() {
		if p := recover(); p != nil {
			l.Error = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	for _, c := range checks() {
		if c.name == name {
			v, err := c.measure()
			if l.Value = v; err != nil {
				l.Error = err.Error()
			}
			return l
		}
	}
	l.Error = "there is no such check"
	return l
}

// mountAll mounts what the agent reads. The root is a RAM disk.
func mountAll() error {
	for _, m := range []struct{ kind, at string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"cgroup2", "/sys/fs/cgroup"},
		{"tracefs", "/sys/kernel/tracing"},
		{"tmpfs", "/tmp"},
	} {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	return os.Chmod("/tmp", 0o1777)
}
