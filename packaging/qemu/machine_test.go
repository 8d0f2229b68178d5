package qemu

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is how long a machine may run. It takes 3 to 10 s, ten times that when
// twenty others want the same two CPUs.
const limit = 4 * time.Minute

// emulator is the program.
const emulator = "qemu-system-aarch64"

// image is what machines boot.
type image struct{ kernel, disk string }

// newImage builds the guest's programs and packs them. It skips the test if it was not requested, and fails if
// it was and something is missing.
func newImage(t *testing.T) image {
	t.Helper()
	if os.Getenv("JOBGAIT_QEMU") != "run" {
		t.Skip("boots virtual machines: JOBGAIT_QEMU=run, see make -C packaging qemu")
	}
	if _, err := exec.LookPath(emulator); err != nil {
		t.Fatalf("%v: the package is qemu-system-arm", err)
	}
	dir := t.TempDir()
	kernel, err := output(exec.Command("./kernel.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"test", "-c", "-o", filepath.Join(dir, "guest"), "./guest"},
		{"build", "-o", filepath.Join(dir, "agent"), "../../agent"}} {
		build := exec.Command(cmp.Or(os.Getenv("GO"), "go"),
			append([]string{args[0], "-trimpath", "-ldflags=-s -w"}, args[1:]...)...)
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	disk := filepath.Join(dir, "disk")
	if err := writeDisk(disk, map[string]string{"init": filepath.Join(dir, "guest"),
		"jobgait-agent": filepath.Join(dir, "agent")}); err != nil {
		t.Fatal(err)
	}
	return image{strings.TrimSpace(kernel), disk}
}

// output runs a command and returns what it printed.
func output(cmd *exec.Cmd) (string, error) {
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, complaints.String())
	}
	return string(out), nil
}

// machine is a virtual machine, and what it is to measure.
type machine struct {
	cpus  int
	shift int // an instruction takes 2^shift ns
	// memoryMB is its memory, 0 for 256; limit is how long it may run, 0 for the default limit.
	memoryMB int
	limit    time.Duration
	// noPMU leaves the hardware events out: the emulation's count on while a CPU is idle.
	noPMU bool
	tests []judged
}

// judged is a check of the guest, and what its value should be.
type judged struct {
	check string
	judge func(*testing.T, machine, json.RawMessage)
}

// as decodes a check's value for a judge.
func as[T any](judge func(*testing.T, machine, T)) func(*testing.T, machine, json.RawMessage) {
	return func(t *testing.T, m machine, value json.RawMessage) {
		t.Helper()
		defer func() {
			if t.Failed() {
				t.Logf("%.6000s", value)
			}
		}()
		var v T
		if err := json.Unmarshal(value, &v); err != nil {
			t.Fatal(err)
		}
		judge(t, m, v)
	}
}

// ipc is what a CPU of the machine does in a cycle, of a nanosecond, when busy.
func (m machine) ipc() float64 { return 1 / float64(int(1)<<m.shift) }

func (m machine) checks() string {
	var names []string
	for _, j := range m.tests {
		names = append(names, j.check)
	}
	return strings.Join(names, ",")
}

// told is the guest's output on a check.
type told struct {
	Check string
	Error string
	Value json.RawMessage
}

// commandLine is the kernel's. Testing its own ciphers would take two thirds of
// the guest's time to boot, and changing page tables at every system call, as it
// would with a kernel at a random address, a quarter of that of starting
// processes. The watchdog of Debian 13's kernel would hold one of the six counters.
const commandLine = "console=ttyAMA0 quiet loglevel=4 panic=-1 cryptomgr.notests nokaslr nmi_watchdog=0 kpti=0 " +
	"mitigations=off rdinit=/init checks="

// run boots the machine and returns its output by check. Idle CPUs take no time (sleep=off): the clock jumps to
// the next timer. The CPU has no pointer authentication, whose emulation makes a boot take 4.5 s instead of
// 1.5.
func (m machine) run(t *testing.T, i image) map[string]told {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(m.limit, limit))
	defer cancel()
	board := "virt"
	if m.cpus > 8 { // the interrupt controller of version 2 has no more
		board = "virt,gic-version=3"
	}
	cpu := "cortex-a72"
	if m.noPMU {
		cpu += ",pmu=off"
	}
	cmd := exec.CommandContext(ctx, emulator, "-M", board, "-cpu", cpu, "-smp", strconv.Itoa(m.cpus), "-m",
		strconv.Itoa(cmp.Or(m.memoryMB, 256)),
		"-icount", fmt.Sprintf("shift=%d,sleep=off", m.shift), "-nographic", "-no-reboot", "-net", "none", "-nodefaults",
		"-serial", "stdio",
		"-kernel", i.kernel, "-initrd", i.disk, "-append", commandLine+m.checks())
	// No machine outlives the test, however the test ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	began := time.Now()
	console, err := cmd.CombinedOutput()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("%.1f s, %.1f s of CPU time, for %s", time.Since(began).Seconds(), used.Seconds(), m.checks())
	if err != nil || ctx.Err() != nil {
		t.Errorf("%s: %v, %v", emulator, err, ctx.Err())
	}
	all := parseConsole(console)
	if len(all) < len(m.tests) {
		t.Errorf("the guest printed %d of %d checks:\n%s", len(all), len(m.tests), tail(console))
	}
	return all
}

// parseConsole finds the guest's lines among the kernel's.
func parseConsole(console []byte) map[string]told {
	all := map[string]told{}
	lines := bufio.NewScanner(bytes.NewReader(console))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		text, ours := strings.CutPrefix(strings.TrimSpace(lines.Text()), "check: ")
		var l told
		if ours && json.Unmarshal([]byte(text), &l) == nil {
			all[l.Check] = l
		}
	}
	return all
}

func tail(b []byte) []byte { return b[max(0, len(b)-4000):] }

func TestParseConsole(t *testing.T) {
	got := parseConsole([]byte("[ 0.1] booting\r\ncheck: {\"check\":\"a\",\"value\":{\"n\":1}}\r\n" +
		"check: {\"check\":\"b\",\"err\ncheck: {\"check\":\"c\",\"error\":\"no\",\"value\":null}\n"))
	if len(got) != 2 || string(got["a"].Value) != `{"n":1}` || got["c"].Error != "no" {
		t.Errorf("%+v", got)
	}
}

// No text on a console ends the test.
func FuzzParseConsole(f *testing.F) {
	f.Add([]byte("check: {\"check\":\"a\",\"value\":[1]}\r\n"))
	f.Add([]byte("check: {\"check\":1}\ncheck: null\ncheck: "))
	f.Fuzz(func(t *testing.T, console []byte) {
		for name, l := range parseConsole(console) {
			if name != l.Check || l.Value != nil && !json.Valid(l.Value) {
				t.Errorf("%q: %+v", name, l)
			}
		}
	})
}
