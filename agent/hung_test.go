package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// fakeGPUs is a directory with a link to this program and a jobgait-nvml beside it that
// is given a fake library with settings.
func fakeGPUs(t testing.TB, settings ...string) (program string) {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc: ", err)
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, reader := filepath.Join(dir, "jobgait-agent"), filepath.Join(dir, nvmlProgram)
	for _, args := range [][]string{
		{"-O2", "-o", reader + ".c", "counter/gpu/nvml/nvml.c", "-ldl"},
		{"-O1", "-shared", "-fPIC", "-o", filepath.Join(dir, "libnvidia-ml.so.1"), "counter/gpu/testdata/fake_nvml.c"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	script := "#!/bin/sh\nexport LD_LIBRARY_PATH=" + dir + " " + strings.Join(settings, " ") + "\nexec " + reader +
		".c \"$@\"\n"
	if err := jobtest.WriteProgram(reader, []byte(script)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	return program
}

// fakeDevices returns a directory with the device files of n GPUs.
func fakeDevices(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	names := []string{"nvidiactl"}
	for i := range n {
		names = append(names, fmt.Sprint("nvidia", i))
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// childInDriver returns the process id of the GPU reader that waits for a file, or 0.
func childInDriver() int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, _ := os.ReadFile(path)
		var pid, parent int
		var name, state string
		if n, _ := fmt.Sscan(string(b), &pid, &name, &state, &parent); n == 4 && parent == os.Getpid() &&
			strings.HasPrefix(name, "("+nvmlProgram) {
			at, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "wchan"))
			if strings.Contains(string(at), "request") || strings.Contains(string(at), "fuse") {
				return pid
			}
		}
	}
	return 0
}

// stateOf is the letter of a process in /proc.
func stateOf(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	letter, _, _ := strings.Cut(rest, " ")
	return letter
}

// A GPU driver that hangs forever, so that even a kill does not end its caller, costs the run neither its
// profile nor its end: the agent seals the profile and exits while the driver still hangs, and an Epilog waits
// for nothing else.
func TestHungDriver(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system here")
	}
	hangs := t.TempDir()
	free, asked := peektest.MountHangingAndNotify(t, hangs)
	h := host{proc: "/proc", sys: "/sys", dev: fakeDevices(t, 2),
		program: fakeGPUs(t, "FAKE_HANG_AT="+filepath.Join(hangs, "x")), open: perf.Open}
	id := run.JobID(os.Getpid())*10 + 7
	busy(t, id.String(), "while :; do sleep 0.1; done")
	dir := runDirOf(t, job.Run{Key: run.Key{Cluster: "test", JobID: id}, Job: jobOfUser(os.Getuid()),
		GPUs: &job.GPUs{Numbers: []int{1}}})
	r, err := dir.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	settings := configs.Default().Agent
	in, err := openInputs(h, r, settings, prices{interruptNS: 3e3})
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(r, in, func(error) {})
	a.dir = dir
	if err := a.begin(dir.ProfilePath(), settings); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan os.Signal, 1), make(chan error, 1)
	go func() { ended <- a.runLoop(stop, time.Hour) }()
	reader := 0
	jobtest.Until(t, "the reader waits in the driver", func() bool { reader = childInDriver(); return reader > 0 })
	<-asked
	if err := unix.Kill(reader, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "it cannot be killed", func() bool { return stateOf(reader) == "D" })
	stop <- unix.SIGTERM
	select {
	case err = <-ended:
	case <-time.After(2 * time.Minute):
		free()
		t.Fatal("the agent waits for the driver")
	}
	if err != nil || in.close() != nil {
		t.Error("it did not end in order: ", err)
	}
	if got := stateOf(reader); got != "D" {
		t.Errorf("the driver does not hang any more: state %q", got)
	}
	if p := readProfile(t, dir); p.Footer == nil || p.Footer.Reason != "stopped" {
		t.Errorf("footer %+v", p.Footer)
	}
	free()
	if _, err := unix.Wait4(reader, nil, 0, nil); err != nil {
		t.Error(err)
	}
}
