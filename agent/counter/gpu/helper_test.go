package gpu

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// enters is ptrace_syscall_info of a system call that begins: linux/ptrace.h.
type enters struct {
	op     uint8
	_      [7]byte
	_      [2]uint64
	number uint64
	args   [6]uint64
	_      uint64
}

const (
	getSyscallInfo = 0x420e // PTRACE_GET_SYSCALL_INFO
	syscallEntry   = 1
)

// traced runs the helper to its end and reports every system call that it makes. The helper's stdin is closed
// after the given number of records.
func traced(t *testing.T, records int, show func(pid int, call enters)) {
	t.Helper()
	program, env := build(t)
	runtime.LockOSThread() // one thread only is the tracer
	defer runtime.UnlockOSThread()
	inherited, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	cmd := exec.Command(program, "0")
	cmd.Env, cmd.ExtraFiles = env, []*os.File{inherited}
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	go func() {
		b := make([]byte, recordBytes)
		for range records {
			if _, err := out.Read(b); err != nil {
				break
			}
		}
		_ = in.Close()
	}()
	pid, status, begun := cmd.Process.Pid, unix.WaitStatus(0), false
	for {
		if _, err := unix.Wait4(pid, &status, 0, nil); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if status.Exited() || status.Signaled() {
			break
		}
		if !begun {
			if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL); err != nil {
				t.Fatal(err)
			}
		}
		pass := 0
		if s := status.StopSignal(); s == unix.SIGTRAP|0x80 {
			var call enters
			if _, _, e := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(pid), unsafe.Sizeof(call),
				uintptr(unsafe.Pointer(&call)), 0, 0); e != 0 {
				t.Skip("a kernel before 5.3: ", e)
			}
			if call.op == syscallEntry {
				show(pid, call)
			}
		} else if begun {
			pass = int(s)
		}
		begun = true
		if err := unix.PtraceSyscall(pid, pass); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Process.Release()
	if status.ExitStatus() != 0 {
		t.Errorf("it ended with %#x", int(status))
	}
}

// words are a text of another process.
func words(t *testing.T, pid int, at uint64) string {
	t.Helper()
	b := make([]byte, 256)
	n, err := unix.PtracePeekData(pid, uintptr(at), b)
	if err != nil && n == 0 {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(b[:n]), "\x00")
	return text
}

// Whatever the library does, jobgait-nvml itself writes only to its stdout, opens nothing else for writing
// except /dev/null, has no descriptor above 2 once the library is loaded, not even an inherited one, starts no
// process and opens no connection.
func TestSystemCallsOfTheHelper(t *testing.T) {
	build(t)
	t.Parallel()
	never := map[uint64]string{unix.SYS_CLONE: "clone", unix.SYS_CLONE3: "clone3", unix.SYS_EXECVE: "execve",
		unix.SYS_EXECVEAT: "execveat",
		unix.SYS_SOCKET:   "socket", unix.SYS_CONNECT: "connect", unix.SYS_SENDTO: "sendto", unix.SYS_SENDMSG: "sendmsg",
		unix.SYS_KILL:   "kill",
		unix.SYS_TGKILL: "tgkill", unix.SYS_UNLINKAT: "unlinkat", unix.SYS_RENAMEAT2: "renameat2",
		unix.SYS_MKDIRAT: "mkdirat", unix.SYS_LINKAT: "linkat",
		unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FCHMODAT: "fchmodat",
		unix.SYS_FCHOWNAT: "fchownat",
		unix.SYS_MOUNT:    "mount", unix.SYS_OPENAT2: "openat2", unix.SYS_PWRITE64: "pwrite64", unix.SYS_PWRITEV: "pwritev",
		unix.SYS_IOCTL: "ioctl"}
	written, nulls := 0, 0
	traced(t, 12, func(pid int, call enters) {
		switch call.number {
		case unix.SYS_OPENAT:
			path := words(t, pid, call.args[1])
			switch {
			case call.args[2]&(unix.O_ACCMODE|unix.O_CREAT) == unix.O_RDONLY:
			case path == os.DevNull:
				nulls++
			default:
				t.Errorf("it opens %s with %#o", path, call.args[2])
			}
		case unix.SYS_WRITE, unix.SYS_WRITEV:
			written++
			if call.args[0] != 1 || call.number == unix.SYS_WRITE && call.args[2] != recordBytes {
				t.Errorf("it writes %d bytes to descriptor %d", call.args[2], call.args[0])
			}
			for _, fd := range descriptors(t, pid) {
				if fd > 2 {
					to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
					t.Errorf("with descriptor %d, which is %s", fd, to)
				}
			}
		default:
			if name, ok := never[call.number]; ok {
				t.Errorf("it calls %s", name)
			}
		}
	})
	if written < 5 || nulls != 1 {
		t.Errorf("%d records and /dev/null %d times: this test shows nothing", written, nulls)
	}
}

func descriptors(t *testing.T, pid int) (list []int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fd)
	}
	return list
}

// A slow driver is called less often: its periodic calls take at most 0.25 % of a CPU, at intervals of 2/3 to
// 4/3 of the resulting one.
func TestSlowCallsAreRare(t *testing.T) {
	build(t) // which must not run twice at once
	t.Parallel()
	h, all := start(t, []string{"0"}, false, "FAKE_SLOW_MS=4")
	var beats []record
	until(t, h, "there are three beats", func() bool {
		beats = beats[:0]
		for _, r := range all.all {
			if r.status[valPower] != nvNotRead {
				beats = append(beats, r)
			}
		}
		return len(beats) >= 3
	})
	const minInterval = 1_060_000_000
	for i, r := range beats[1:] {
		if since := r.begunNS - beats[i].begunNS; since < minInterval {
			t.Errorf("a beat %d us after the one before, want %d at least", since/1000, int64(minInterval)/1000)
		}
	}
}

// After its start, which costs more than its share for 10 s, the helper reads no means of GPM: the first ones cover
// this time.
func TestMeansWaitForTheBudget(t *testing.T) {
	build(t) // which must not run twice at once
	t.Parallel()
	h, all := start(t, []string{"0"}, false, "FAKE_COSTS=1", "FAKE_COUNT=1")
	const mostNS = 9e9 // a mean is of 10 s at most
	until(t, h, "it has read for 3 s", func() bool {
		n := len(all.all)
		return n > 0 && all.all[n-1].begunNS-all.all[0].begunNS > 3e9
	})
	readings := 0
	for _, r := range all.all {
		if r.status[valGPMBegan] == nvOK && r.begunNS-all.all[0].begunNS < mostNS {
			readings++
		}
	}
	if readings != 1 {
		t.Errorf("%d readings of GPM, want the one at the start", readings)
	}
}

var helperSeconds = flag.Float64("helper", 5, "for how long the CPU time of the helper is measured, in s")

// With the costs of an H200 the helper takes less than 0.5 % of a CPU while a process holds one GPU, and less
// than 2 % for eight GPUs. The CPU time of its start and of the first reading of everything is not included.
// Before a process holds a GPU, the helper reads only the energy.
func TestCPUTimeOfTheHelper(t *testing.T) {
	build(t)
	for gpus, maxShare := range map[int]float64{1: .005, 8: .02} {
		t.Run(fmt.Sprint(gpus), func(t *testing.T) {
			t.Parallel()
			var devices []string
			for i := range gpus {
				devices = append(devices, strconv.Itoa(i))
			}
			h, all := start(t, append([]string{waitsForHolder}, devices...), false, "FAKE_COSTS=1", "FAKE_REFRESH_MS=100",
				"FAKE_WINDOW_MS=200", "FAKE_COUNT=8")
			until(t, h, "it has read the energy", func() bool { return len(all.all) >= gpus })
			for _, r := range all.all {
				if r.status[valEnergy] != nvOK || r.status[valUsed] != nvNotRead {
					t.Errorf("it read %v before a process held a GPU", r.status)
				}
			}
			h.flush()
			until(t, h, "it has read everything", func() bool { return h.flushed == 1 })
			from := len(all.all) - 1
			begun := all.all[from]
			until(t, h, "it has read for a while", func() bool {
				return all.all[len(all.all)-1].begunNS-begun.begunNS > int64(*helperSeconds*1e9)
			})
			beats := 0
			for _, r := range all.all[from:] {
				if r.status[valPower] == nvOK && r.device == 0 {
					beats++
				}
			}
			last := all.all[len(all.all)-1]
			seconds := float64(last.begunNS-begun.begunNS) / 1e9
			share := float64(last.cpuNS-begun.cpuNS) / 1e9 / seconds
			t.Logf("%d GPUs: %.1f ms to start, %.1f ms until all was read once, then %.2f %% of a CPU over %.1f s, %.1f "+
				"beats a second; in all %.2f %%", gpus,
				float64(h.startNS)/1e6, float64(begun.cpuNS-h.startNS)/1e6, 100*share, seconds, float64(beats)/seconds,
				float64(last.cpuNS)/1e7/seconds)
			if share > maxShare || beats < 5 {
				t.Errorf("%.2f %% of a CPU, %d beats", 100*share, beats)
			}
		})
	}
}
