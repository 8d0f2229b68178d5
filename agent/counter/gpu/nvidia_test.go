package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// builtIn is the directory of the helper and the fake library once they are built.
var builtIn string

func TestMain(m *testing.M) {
	peektest.Main()
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// build compiles the helper and the fake library, once.
func build(t *testing.T) (helper string, env []string) {
	t.Helper()
	helper, env = filepath.Join(builtIn, "jobgait-nvml"), []string{"LD_LIBRARY_PATH=" + builtIn}
	if builtIn != "" {
		return helper, env
	}
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc: ", err)
	}
	dir, err := os.MkdirTemp("", "jobgait-nvml-")
	if err != nil {
		t.Fatal(err)
	}
	helper, env = filepath.Join(dir, "jobgait-nvml"), []string{"LD_LIBRARY_PATH=" + dir}
	for _, args := range [][]string{
		{"-Wall", "-Wextra", "-Werror", "-O2", "-o", helper, "nvml/nvml.c", "-ldl"},
		{"-O1", "-shared", "-fPIC", "-o", filepath.Join(dir, "libnvidia-ml.so.1"), "testdata/fake_nvml.c"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	builtIn = dir
	return helper, env
}

// everything is a taker that remembers readings.
type everything struct{ all []record }

func (e *everything) take(r *record) { e.all = append(e.all, *r) }

// start starts a helper for devices with the fake's settings. At the end it must end by
// itself, or, if it hangs in the fake, is killed.
func start(t *testing.T, devices []string, hangs bool, settings ...string) (*helper, *everything) {
	t.Helper()
	program, env := build(t)
	var options []string
	if strings.HasPrefix(devices[0], "-") {
		options, devices = devices[:1], devices[1:]
	}
	h, err := startHelper(program, devices, append(env, settings...), rawcall.Now, options...)
	if err != nil {
		t.Fatal(err)
	}
	all := &everything{}
	h.takers = append(h.takers, all)
	p := h.process
	t.Cleanup(func() {
		if h.gone == nil {
			h.abandon(os.ErrClosed)
		}
		if hangs {
			if err := unix.Kill(p.Pid, 0); err != nil {
				t.Errorf("it was to hang: %v", err)
			}
			_ = p.Kill()
		}
		if _, err := p.Wait(); err != nil { // this test waits; the agent does not
			t.Error(err)
		}
	})
	return h, all
}

// until polls until something is so.
func until(t *testing.T, h *helper, what string, so func() bool) {
	t.Helper()
	jobtest.Until(t, what, func() bool { h.poll(); return so() })
}

// fakeMillijoules is the fake's energy at a time.
func fakeMillijoules(ns int64, refreshUS int64) uint64 {
	us := ns / 1000
	us -= us % refreshUS
	ran := us/500000*250000 + min(us%500000, 250000)
	return uint64(ran*400+(us-ran)*100) / 1000
}

// The records equal the activity of the fake: energy within the times of each call, the GPUs by the numbers of
// their files, windows of utilization without a gap, GPM means, and no descriptor of the agent in the helper.
func TestNVIDIA(t *testing.T) {
	left := filepath.Join(t.TempDir(), "left")
	inherited, err := unix.Open("/dev/zero", unix.O_RDONLY, 0) // not to be closed on exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	h, all := start(t, []string{"0", "GPU-00000000-0000-0000-0000-000000000000"}, false, "FAKE_LEFT="+left)
	until(t, h, "there are readings of GPM", func() bool {
		return len(all.all) >= 26 && all.all[len(all.all)-1].begunNS-all.all[0].begunNS > 12e8
	})
	h.flush()
	until(t, h, "it has read everything once more", func() bool { return h.flushed == 1 })
	if h.driver != "999.01" || h.cpuNS <= 0 {
		t.Errorf("driver %q, CPU time %d", h.driver, h.cpuNS)
	}
	for i, want := range []deviceInfo{{true, 0, 0, false, 80000000001, true, "GPU-00000000-0000-0000-0000-000000000001",
		"Fake 1"},
		{true, 0, 1, false, 80000000000, true, "GPU-00000000-0000-0000-0000-000000000000", "Fake 0"}} {
		if h.devices[i] != want {
			t.Errorf("device %d: %+v, want %+v", i, h.devices[i], want)
		}
	}
	if files, known := h.files(); !known || len(files) != 2 || !files["/dev/nvidia0"] || !files["/dev/nvidia1"] {
		t.Errorf("files %v, %v", files, known)
	}
	beats, memory, energy, shares := 0, 0, 0, 0
	memoryNS := [2]int64{}
	for _, r := range all.all {
		minEnergy, maxEnergy := fakeMillijoules(r.begunNS, 5000), fakeMillijoules(r.endedNS, 5000)
		if r.status[valEnergy] == nvOK {
			energy++
			if e := r.value[valEnergy]; e < minEnergy || e > maxEnergy {
				t.Errorf("energy %d is not of %d to %d", e, minEnergy, maxEnergy)
			}
		}
		if r.status[valPower] == nvOK {
			beats++
		}
		if r.status[valUsed] == nvOK {
			memory++
			if since := r.begunNS - memoryNS[r.device]; since < 5e8 {
				t.Errorf("the memory was read %d ms after the last time", since/1e6)
			}
			memoryNS[r.device] = r.begunNS
			if r.value[valUsed] != 5000000001-uint64(r.device) {
				t.Errorf("memory %d of device %d", r.value[valUsed], r.device)
			}
		}
		if r.status[valSM] == nvOK {
			shares++
			if r.value[valSM] > 9000 || r.value[valTensor] > 5000 {
				t.Errorf("GPM %v", r.value[valGraphics:])
			}
		}
		if s := r.status[valPCIeRX]; s != nvNotSupported && s != nvNotRead {
			t.Errorf("PCIe bytes received: status %d", s)
		}
	}
	if beats < 18 || memory < 4 || energy < 4 || energy >= beats || shares == 0 {
		t.Errorf("%d beats, %d readings of the memory, %d of the energy, %d of GPM", beats, memory, energy, shares)
	}
	for i := range h.devices {
		checkWindows(t, h.takeWindows(i, 0))
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error("a descriptor was inherited")
	}
}

// checkWindows checks that windows of 200 ms follow each other, each with the fake's mean.
func checkWindows(t *testing.T, list []window) {
	t.Helper()
	if len(list) < 124 {
		t.Errorf("%d windows", len(list))
	}
	for i, w := range list {
		if i > 0 && max(w.endNS-list[i-1].endNS, 4e8-(w.endNS-list[i-1].endNS)) > 2e8+2e6 {
			t.Errorf("a window %d ns after the one before", w.endNS-list[i-1].endNS)
		}
		// 250 ms of every 500: to the clocks' difference, and rounding.
		begin, end := w.endNS-2e8, w.endNS
		ran := func(ns int64) int64 { return ns/5e8*25e7 + min(ns%5e8, 25e7) }
		if off := float64(w.percent)/100 - float64(ran(end)-ran(begin))/2e8; off > .02 || off < -.02 {
			t.Errorf("window that ends at %d: %d %%, off by %.3f", w.endNS, w.percent, off)
		}
	}
}

// A probe names the clock of the library's stamps; times of readings and windows are
// CLOCK_MONOTONIC whatever it is.
func TestAnotherClock(t *testing.T) {
	build(t) // which must not run twice at once
	t.Parallel()
	h, all := start(t, []string{"-p", "1"}, false, "FAKE_DOMAIN=boot")
	began := rawcall.Now()
	until(t, h, "there are the refresh and a reading", func() bool { return h.refresh != nil && len(all.all) > 0 })
	// On a machine that was never suspended the boot clock and the monotonic clock are equal.
	if r := h.refresh; r.value[6] != 2 && r.value[6] != 3 || r.value[4] == 0 || r.value[5] == 0 || r.value[5] > 100 ||
		r.value[1] >= r.value[5] {
		t.Errorf("refresh %v", r.value)
	}
	if len(h.costs) != 13 {
		t.Errorf("costs of %d calls", len(h.costs))
	}
	last := int64(0)
	for _, r := range all.all {
		if r.begunNS < max(last, began-60e9) || r.endedNS > rawcall.Now() {
			t.Errorf("from %d to %d after %d", r.begunNS, r.endedNS, last)
		}
		last = r.begunNS
	}
}

// Values that are no counts, and statuses that do not fit into a byte, are no readings.
func TestValuesThatAreNoCounts(t *testing.T) {
	for _, c := range []struct {
		settings []string
		status   uint8
	}{
		{[]string{"FAKE_NAN=83"}, nvNoNumber},
		{[]string{"FAKE_STATUS_OF=83", "FAKE_STATUS=256"}, nvOther},
		{[]string{"FAKE_STATUS_OF=83", "FAKE_STATUS=999"}, nvOther},
	} {
		h, all := start(t, []string{"0"}, false, c.settings...)
		read := func(v int) (found []record) {
			for _, r := range all.all {
				if r.status[v] != nvNotRead {
					found = append(found, r)
				}
			}
			return found
		}
		until(t, h, "energy was read", func() bool { return len(read(valEnergy)) > 0 && len(read(valPower)) > 0 })
		if r := read(valEnergy)[0]; r.status[valEnergy] != c.status || r.value[valEnergy] != 0 && c.status == nvNoNumber {
			t.Errorf("%v: status %d, value %d", c.settings, r.status[valEnergy], r.value[valEnergy])
		}
		if r := read(valPower)[0]; r.status[valPower] != nvOK {
			t.Errorf("%v: status of the power %d", c.settings, r.status[valPower])
		}
	}
}

// A field without permission does not affect the others.
func TestNoPermissionForAField(t *testing.T) {
	h, _ := start(t, []string{"1"}, false, "FAKE_DENY=83")
	columns := nvColumns(h, 0)
	for _, c := range columns {
		h.takers = append(h.takers, c)
	}
	energy, memory, slowed, received := columns[0], columns[2], columns[4], columns[7]
	until(t, h, "there are readings of the throttle, and notes on the energy and on the bytes received", func() bool {
		return slowed.readings >= 1 && memory.readings >= 1 && energy.Notes() != nil && received.Notes() != nil
	})
	if n := energy.Notes(); energy.readings != 0 || len(n) != 1 || n[0].Code != note.NeverRead ||
		!strings.Contains(n[0].Text, "permission denied") {
		t.Errorf("energy %d times, notes %v", energy.readings, n)
	}
	if n := received.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "does not support") {
		t.Errorf("notes %v", n)
	}
	if memory.total != 5000000000 || memory.Notes() != nil {
		t.Errorf("memory %d, notes %v", memory.total, memory.Notes())
	}
}

// Readings of a lost GPU end; the other GPU is still read.
func TestLostGPU(t *testing.T) {
	h, all := start(t, []string{"1", "0"}, false, "FAKE_LOST_AFTER=4")
	after := func() (lost, on int) {
		seen := false
		for _, r := range all.all {
			if r.status[valUsed] == nvLost || r.status[valPower] == nvLost || r.status[valEnergy] == nvLost {
				seen = true
				lost++
			} else if seen && r.device == 1 {
				on++
			}
		}
		return lost, on
	}
	until(t, h, "the other has gone on", func() bool { _, on := after(); return on >= 5 })
	if lost, _ := after(); lost != 1 {
		t.Errorf("reported %d times that it is lost", lost)
	}
}

func TestNoLibrary(t *testing.T) {
	program, _ := build(t)
	h, err := startHelper(program, []string{"0"}, nil, rawcall.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer h.process.Wait()
	until(t, h, "it has ended", func() bool { return h.gone != nil })
	if !strings.Contains(h.gone.Error(), "libnvidia-ml.so.1") {
		t.Skip("there is one here: ", h.gone)
	}
}

// A driver that never answers delays nothing: no call of the agent waits for it. The helper is abandoned after 10 s of
// polling, and is not killed.
func TestHungDriver(t *testing.T) {
	for _, setting := range []string{"FAKE_NO_INIT=1", "FAKE_HANG_AFTER=1"} {
		h, _ := start(t, []string{"0"}, true, setting)
		clock := rawcall.Now()
		h.now = func() int64 { return clock }
		if setting == "FAKE_HANG_AFTER=1" {
			jobtest.Until(t, "it has begun", func() bool { h.poll(); return h.devices[0].known })
		}
		c := nvColumns(h, 0)[0]
		c.reportsHelper = true
		h.polledNS = clock
		// When drained twice a second, it is abandoned after 10 s without an answer.
		polls := 0
		for ; h.gone == nil && polls < 1000; polls++ {
			clock += 5e8
			_ = c.Drain(&countertest.Sink{})
		}
		if polls < 20 || !errors.Is(h.gone, errSilent) {
			t.Fatalf("%s: after %d drains: %v", setting, polls, h.gone)
		}
		if n := c.Notes(); len(n) == 0 || n[0].Code != note.GPUsUnread || !strings.Contains(n[0].Text, "no answer") {
			t.Errorf("notes %v", n)
		}
		if err := c.Drain(&countertest.Sink{}); !errors.Is(err, errSilent) {
			t.Errorf("drain %v", err)
		}
	}
}

// A driver that never answers, not even to a kill, holds only the helper process: the run's lock is free at once, and
// the agent does not wait.
func TestDState(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system here")
	}
	program, env := build(t)
	dir := t.TempDir()
	lockPath := filepath.Join(t.TempDir(), "lock")
	locked, err := unix.Open(lockPath, unix.O_RDWR|unix.O_CREAT, 0o600) // not to be closed on exec
	if err == nil {
		err = unix.Flock(locked, unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		t.Fatal(err)
	}
	free, asked := peektest.MountHangingAndNotify(t, dir)
	h, err := startHelper(program, []string{"0"}, append(env, "FAKE_HANG_AT="+filepath.Join(dir, "x")), rawcall.Now)
	if err != nil {
		t.Fatal(err)
	}
	pid := h.process.Pid
	state := func() string { return processState(pid) }
	until(t, h, "it waits in the driver", func() bool {
		select {
		case <-asked:
			return h.devices[0].known
		default:
			return false
		}
	})
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, h, "it cannot be killed", func() bool { return state() == "D" })
	if err := errors.Join(h.close(), unix.Close(locked)); err != nil {
		t.Error(err)
	}
	again, err := unix.Open(lockPath, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Flock(again, unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil || state() != "D" {
		t.Errorf("lock: %v; the reader is in state %q", err, state())
	}
	_ = unix.Close(again)
	free()
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil || status.Signal() != unix.SIGKILL {
		t.Errorf("when the driver answers it ends: %v, %v", status, err)
	}
}

// processState is the letter of a process in /proc.
func processState(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	letter, _, _ := strings.Cut(rest, " ")
	return letter
}

// Time in which the reader was stopped does not count as silence of the driver.
func TestStoppedBesideIt(t *testing.T) {
	h, all := start(t, []string{"0"}, false)
	until(t, h, "it reads", func() bool { return len(all.all) > 0 })
	clock := rawcall.Now()
	h.now = func() int64 { return clock }
	for range 5 {
		clock += 3600e9
		h.poll()
	}
	if h.gone != nil {
		t.Error(h.gone)
	}
}

// The helper keeps running while its pipe is full, and ends when requested. Counts that were dropped are
// contained in the next reading, because counters are cumulative.
func TestFullPipe(t *testing.T) {
	h, all := start(t, []string{"0", "1"}, false)
	if _, err := unix.FcntlInt(uintptr(h.from), unix.F_SETPIPE_SZ, 16384); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "its pipe is full", func() bool {
		n, err := unix.IoctlGetInt(h.from, unix.TIOCINQ) // FIONREAD
		return err == nil && n > 16384-recordBytes
	})
	read := len(all.all)
	until(t, h, "its readings are there", func() bool { return len(all.all) > read+10 })
	h.flush()
	until(t, h, "it has read everything once more", func() bool { return h.flushed == 1 })
	var energy []record
	for _, r := range all.all {
		if r.status[valEnergy] == nvOK && r.device == 0 {
			energy = append(energy, r)
		}
	}
	first, last := energy[0], energy[len(energy)-1]
	if got, minEnergy := last.value[valEnergy]-first.value[valEnergy],
		fakeMillijoules(last.begunNS, 5000)-fakeMillijoules(first.endedNS, 5000); got < minEnergy {
		t.Errorf("%d mJ, and there were %d", got, minEnergy)
	}
} // Wait of start: it ends with its stdin

// The helper ends with its parent, when the other end of its stdin is closed.
func TestEndsWithItsParent(t *testing.T) {
	h, all := start(t, []string{"0"}, false)
	until(t, h, "it reads", func() bool { return len(all.all) > 0 })
	_ = unix.Close(h.to)
	h.to = -1
	until(t, h, "it has ended", func() bool { return errors.Is(h.gone, errEnded) })
}

func TestCounted(t *testing.T) {
	reading := func(v uint64, status uint8) *record {
		var r record
		r.value[valPCIeTX], r.status[valPCIeTX] = v, status
		return &r
	}
	for name, c := range map[string]struct {
		readings []*record
		want     uint64
	}{
		"grows":        {[]*record{reading(5, 0), reading(9, 0)}, 4},
		"begins again": {[]*record{reading(100, 0), reading(5, 0), reading(6, 0)}, 1},
		"wraps":        {[]*record{reading(1<<32-10, 0), reading(5, 0), reading(9, 0)}, 4},
		"with a gap":   {[]*record{reading(100, 0), reading(0, nvNoPermission), reading(160, 0)}, 60},
	} {
		counter, sum := growingCounter{field: valPCIeTX, scale: 1}, uint64(0)
		for _, r := range c.readings {
			v, _ := counter.read(r)
			sum += v
		}
		if again := strings.Contains(name, "again") || name == "wraps"; sum != c.want || (counter.begins == 1) != again {
			t.Errorf("%s: %d, want %d; began again %d times", name, sum, c.want, counter.begins)
		}
	}
}

// A share counts for the time since the reading before, but not over a gap.
func TestSharing(t *testing.T) {
	for name, c := range map[string]struct {
		atNS []int64
		want uint64
	}{
		"one reading":  {[]int64{1e9}, 0},
		"two readings": {[]int64{1e9, 12e8}, 5e7},
		"a gap":        {[]int64{1e9, 12e8, 9e9, 92e8}, 1e8},
	} {
		s, sum := timeShare{field: valKernel, full: 100}, uint64(0)
		for _, at := range c.atNS {
			r := record{begunNS: at}
			r.value[valKernel] = 25
			v, _ := s.read(&r)
			sum += v
		}
		if sum != c.want {
			t.Errorf("%s: %d ns, want %d", name, sum, c.want)
		}
	}
}

// A mean of GPM covers the time from the previous sample to its own sample, however long that is and whether or
// not the previous reading arrived. Counting begins with the first sample.
func TestMeanSince(t *testing.T) {
	reading := func(began, ended int64, status uint8) *record {
		r := record{kind: recReading, begunNS: ended, endedNS: ended}
		for i := range r.status {
			r.status[i] = nvNotRead
		}
		r.status[valGPMBegan], r.value[valGPMBegan] = nvOK, uint64(began)
		r.status[valTensor], r.value[valTensor], r.value[valSM] = status, 2500, 5000
		r.status[valSM] = status
		return &r
	}
	for name, c := range map[string]struct {
		readings     []*record
		time, tensor uint64
		stamps       int // times at which the column has a value
	}{
		"one sample":              {[]*record{reading(1e9, 1e9, nvNotRead)}, 0, 0, 1},
		"a mean of a whole run":   {[]*record{reading(1e9, 1e9, nvNotRead), reading(1e9, 17e9, nvOK)}, 16e9, 4e9, 2},
		"one that did not arrive": {[]*record{reading(1e9, 1e9, nvNotRead), reading(5e9, 9e9, nvOK)}, 4e9, 1e9, 2},
		"the same sample":         {[]*record{reading(1e9, 1e9, nvNotRead), reading(1e9, 1e9, nvOK)}, 0, 0, 2},
		"one of the future":       {[]*record{reading(1e9, 1e9, nvNotRead), reading(9e9, 5e9, nvOK)}, 0, 0, 1},
		"not supported":           {[]*record{reading(1e9, 1e9, nvNotRead), reading(1e9, 5e9, nvNotSupported)}, 0, 0, 1},
	} {
		columns := nvColumns(newHelper(1, rawcall.Now), 0)
		all, tensor := columns[8], columns[11]
		for _, r := range c.readings {
			all.take(r)
			tensor.take(r)
		}
		if all.total != c.time || tensor.total != c.tensor || len(tensor.ready) != c.stamps {
			t.Errorf("%s: %d of %d ns, %d times", name, tensor.total, all.total, len(tensor.ready))
		}
	}
}

// A job of 6 s on a driver that buffers windows for 4 s loses none of them, and GPM has means of all of its time,
// although starting the library has used the helper's budget of 17 s.
func TestPlanOfAShortJob(t *testing.T) {
	build(t)
	t.Parallel()
	h, all := start(t, []string{waitsForHolder, "0"}, false, "FAKE_COSTS=1", "FAKE_BUFFER=20", "FAKE_WINDOW_MS=200",
		"FAKE_PERIOD_MS=100", "FAKE_ACTIVE_MS=50")
	until(t, h, "it has read the energy", func() bool { return len(all.all) > 0 })
	opened := rawcall.Now()
	h.flush()
	until(t, h, "six seconds have passed", func() bool { return rawcall.Now()-opened > 6e9 })
	h.flush()
	until(t, h, "it has read everything", func() bool { return h.flushed == 2 })
	windows := h.takeWindows(0, opened)
	if len(windows) < 28 || windows[0].endNS-opened > 25e7 {
		t.Fatalf("%d windows, the first ends %d ms after the opening", len(windows), (windows[0].endNS-opened)/1e6)
	}
	for i, w := range windows[1:] {
		if since := w.endNS - windows[i].endNS; since > 21e7 || since < 19e7 { // and each once
			t.Errorf("a window ends %d ms after the one before", (w.endNS-windows[i].endNS)/1e6)
		}
	}
	columns := nvColumns(newHelper(1, rawcall.Now), 0)
	time, sm := columns[8], columns[9]
	for _, r := range all.all {
		time.take(&r)
		sm.take(&r)
	}
	share := float64(sm.total) / float64(time.total)
	if time.total < 58e8 || share < .43 || share > .47 { // .9 of half of the time
		t.Errorf("GPM has means of %d ms, SM activity %.3f", time.total/1e6, share)
	}
	if n := len(sm.ready); n < 2 {
		t.Errorf("%d readings of GPM", n)
	}
}

// The last reading has all energy that was used until it was requested, although the driver's value is up to 100 ms
// old.
func TestLastEnergy(t *testing.T) {
	build(t)
	t.Parallel()
	h, all := start(t, []string{"0"}, false, "FAKE_REFRESH_MS=100")
	until(t, h, "it has read the energy", func() bool { return len(all.all) > 0 })
	requested := rawcall.Now()
	h.flushLast()
	until(t, h, "it has read everything", func() bool { return h.flushed == 1 })
	last, readings := uint64(0), 0
	for _, r := range all.all {
		if r.kind == recReading && r.status[valEnergy] == nvOK {
			last = r.value[valEnergy]
			if r.begunNS > requested {
				readings++
			}
		}
	}
	if readings != 1 {
		t.Errorf("%d readings of the energy, which is the most expensive value, want 1", readings)
	}
	if used := fakeMillijoules(requested, 1); last < used {
		t.Errorf("last reading %d mJ, the GPU had used %d mJ", last, used)
	}
}

// A GPU that is divided into instances is not read, and the reason is noted; another GPU is read.
func TestDividedGPU(t *testing.T) {
	read := t.TempDir()
	h, all := start(t, []string{"1", "0"}, false, "FAKE_MIG=1", "FAKE_READ="+read)
	until(t, h, "the other is read", func() bool { return len(all.all) > 3 })
	for _, r := range all.all {
		if r.device == 0 {
			t.Errorf("a reading of the divided GPU: %v", r.status)
		}
	}
	if _, err := os.Stat(filepath.Join(read, "1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the divided GPU was read: %v", err)
	}
	if files, known := h.files(); !known || len(files) != 1 || !files["/dev/nvidia0"] {
		t.Errorf("files %v, %v", files, known)
	}
	const want = "gpu0_energy: the GPU is divided into instances by MIG"
	n := nvColumns(h, 0)[0].Notes()
	if len(n) != 1 || n[0].Code != note.GPUsUnread || !strings.HasPrefix(n[0].Text, want) {
		t.Errorf("notes %v", n)
	}
	alone, _ := start(t, []string{"0"}, false, "FAKE_MIG=0", "FAKE_COUNT=1")
	until(t, alone, "it has ended", func() bool { return alone.gone != nil })
	if !strings.Contains(alone.gone.Error(), "divided into instances by MIG") {
		t.Error(alone.gone)
	}
}

// After a probe has measured what calls cost the helper reads on as always.
func TestReadsOnAfterAProbe(t *testing.T) {
	build(t)
	t.Parallel()
	h, all := start(t, []string{"-p", "0"}, false, "FAKE_COSTS=1")
	until(t, h, "there are costs", func() bool { return len(h.costs) == 13 })
	from := len(all.all)
	until(t, h, "there are six readings", func() bool { return len(all.all) >= from+6 })
	for i, r := range all.all[from+1:] {
		if pause := r.begunNS - all.all[from+i].begunNS; pause > maxSilentNS/2 {
			t.Errorf("%d s without a reading", pause/1e9)
		}
	}
}

// The reason of a slow-down comes from the counters if the board has them, else from the bits.
func TestSlowed(t *testing.T) {
	reading := func(atNS int64, heat uint64, mask uint64, status uint8) *record {
		r := record{begunNS: atNS}
		for i := range r.status {
			r.status[i] = nvNotRead
		}
		r.status[valReasons], r.value[valReasons] = nvOK, mask
		r.status[valSWThermal], r.value[valSWThermal] = status, heat
		return &r
	}
	counters := []*record{reading(1e9, 5e6, 0, nvOK), reading(2e9, 45e6, reasonHWThermal, nvOK)}
	bits := []*record{reading(1e9, 0, 0, nvNotSupported), reading(11e8, 0, reasonSWThermal, nvNotRead),
		reading(12e8, 0, reasonPowerCap, nvNotRead)}
	for name, c := range map[string]struct {
		of       *slowdownTime
		readings []*record
		want     uint64
	}{"counters": {slowedByHeat(), counters, 4e7}, "bits": {slowedByHeat(), bits, 1e8},
		"bits of power": {slowedByPower(), bits, 1e8}} {
		sum := uint64(0)
		for _, r := range c.readings {
			v, _ := c.of.read(r)
			sum += v
		}
		if sum != c.want {
			t.Errorf("%s: %d ns, want %d", name, sum, c.want)
		}
	}
}

// pipedHelper is a helper without a program, with a clock of the test's.
func pipedHelper(t *testing.T, now *int64) *helper {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	h := newHelper(1, func() int64 { return *now })
	h.to, h.from = pipe[1], pipe[0]
	t.Cleanup(func() { _ = h.close() })
	return h
}

// A level holds from one reading to the next, for a while, a count does not.
func TestLevelsHold(t *testing.T) {
	now := int64(100e9)
	h := pipedHelper(t, &now)
	columns := nvColumns(h, 0)
	energy, memory := columns[0], columns[2]
	r := record{kind: recReading, begunNS: now - 2e8, endedNS: now - 2e8}
	r.value[valUsed] = 7
	for _, c := range []*nvColumn{energy, memory} {
		c.StartAt(now - 1e9)
		c.take(&r)
	}
	var counts, levels countertest.Sink
	for _, step := range []struct {
		afterNS        int64
		counts, levels int // readings by then
	}{{0, 1, 2}, {5e8, 1, 3}, {1e9, 1, 3}} {
		now += step.afterNS
		if err := errors.Join(energy.Drain(&counts), memory.Drain(&levels)); err != nil {
			t.Fatal(err)
		}
		if len(counts.Readings) != step.counts || len(levels.Readings) != step.levels {
			t.Errorf("%d ns later: %v and %v", step.afterNS, counts.Readings, levels.Readings)
		}
	}
	if last, _ := levels.Last(0); last.Counts[0] != 7 {
		t.Errorf("level %v", last)
	}
}

// A rarely read counter begins at the time from which it counts, with a value interpolated between
// the readings before and after; a level begins with its first reading after that time.
func TestColumnBeginsInThePast(t *testing.T) {
	now := int64(100e9)
	h := pipedHelper(t, &now)
	energy, memory := nvColumns(h, 0)[0], nvColumns(h, 0)[2]
	for _, at := range []struct {
		timeNS int64
		value  uint64
	}{{90e9, 1000}, {94e9, 2000}, {98e9, 6000}} {
		r := record{kind: recReading, begunNS: at.timeNS, endedNS: at.timeNS}
		r.value[valEnergy], r.value[valUsed] = at.value, at.value
		energy.take(&r)
		memory.take(&r)
	}
	energy.StartAt(95e9)
	memory.StartAt(95e9)
	var counts, levels countertest.Sink
	if err := errors.Join(energy.Drain(&counts), memory.Drain(&levels)); err != nil {
		t.Fatal(err)
	}
	if r := counts.Readings; len(r) != 2 || r[0].TimeNS != 95e9 || r[1].Counts[0]-r[0].Counts[0] != 3000*1000 {
		t.Errorf("energy %v", r)
	}
	if r := levels.Readings; len(r) != 1 || r[0].TimeNS != 98e9 {
		t.Errorf("memory %v", r)
	}
}

// Of the readings before a process holds the GPU only the last are kept.
func TestEarlyReadingsAreBounded(t *testing.T) {
	now := int64(1)
	c := nvColumns(pipedHelper(t, &now), 0)[0]
	for i := range int64(10_000) {
		c.take(&record{kind: recReading, begunNS: i, endedNS: i})
	}
	if n := len(c.ready); n > maxEarly || c.ready[n-1].timeNS != 9_999 {
		t.Errorf("%d readings, the last of %d", n, c.ready[n-1].timeNS)
	}
}

// Energy that does not change in many readings is reported; in a short run it is not.
func TestDidNotMove(t *testing.T) {
	c := nvColumns(newHelper(1, rawcall.Now), 0)[0]
	for i := range minEnergyReadings + 2 {
		if n := c.Notes(); i < minEnergyReadings && n != nil {
			t.Fatalf("after %d: %v", i, n)
		}
		r := record{kind: recReading, begunNS: int64(i) * 15e7, endedNS: int64(i) * 15e7}
		r.value[valEnergy] = 7
		c.take(&r)
	}
	if n := c.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "did not change") {
		t.Errorf("notes %v", n)
	}
}

// A whole run: nothing is handed over before a process holds its GPU, then all columns.
func TestNVIDIAOfAJob(t *testing.T) {
	program, env := build(t)
	dev := t.TempDir()
	put(t, filepath.Join(dev, "nvidiactl"), nil)
	p := params(t, t.TempDir(), job.GPUs{Numbers: []int{1}}, "/dev/nvidia0")
	p.Dev, p.Helper, p.Env = dev, program, env
	p.Holders.Now = rawcall.Now
	o := Open(p)
	defer closeAll(t, o)
	if len(o.Sources) != 13 || o.CPU == nil || len(o.Notes) != 0 {
		t.Fatalf("%d sources, notes %v", len(o.Sources), o.Notes)
	}
	if first, second := o.Sources[0].EveryNS(), o.Sources[1].EveryNS(); first != holderCheckNS || second != 0 {
		t.Errorf("drained every %d and %d ns", first, second)
	}
	h := o.Sources[0].(*heldSource).Source.(*nvColumn).h
	s, _ := source(t, o, "gpu0_energy")
	var to countertest.Sink
	drain := func() {
		for _, s := range o.Sources {
			if err := s.Drain(&to); err != nil {
				t.Fatal(err)
			}
		}
	}
	jobtest.Until(t, "it was looked at who holds them", func() bool {
		drain()
		_, known := h.files()
		return known && o.Sources[0].(*heldSource).holders.otherGPUs
	})
	if len(to.Readings) != 0 || o.Windows() != nil {
		t.Errorf("readings %v", to.Readings)
	}
	if n := s.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "other GPUs") {
		t.Errorf("notes %v", n)
	}
	to = countertest.Sink{}
	before := rawcall.Now()
	opened(t, p.Holders.Proc, 7, "/dev/nvidia1")
	jobtest.Until(t, "there is energy", func() bool { _ = s.Drain(&to); return len(to.Readings) >= 2 })
	o.Flush()
	jobtest.Until(t, "everything was read again", o.Flushed)
	_ = s.Drain(&to)
	first, last := to.Readings[0], to.Readings[len(to.Readings)-1]
	if last.Counts[0] <= first.Counts[0] || last.TimeNS <= first.TimeNS {
		t.Errorf("readings %v", to.Readings)
	}
	// Searches for holders are up to 0.1 s apart, unless the machine has no CPU time for them.
	t.Logf("the first value is of %.3f s before the GPU was opened", float64(before-first.TimeNS)/1e9)
	if first.TimeNS > before {
		t.Errorf("the first value is of %d ns after the GPU was opened", first.TimeNS-before)
	}
	for _, w := range o.Windows() {
		if len(w.EndNS) == 0 || w.GPU != 0 || w.EndNS[0] <= first.TimeNS {
			t.Errorf("windows %+v", w)
		}
	}
}

func TestNoHelper(t *testing.T) {
	dev := t.TempDir()
	put(t, filepath.Join(dev, "nvidiactl"), nil)
	p := params(t, t.TempDir(), job.GPUs{Numbers: []int{0}})
	p.Dev, p.Helper = dev, filepath.Join(dev, "none")
	o := Open(p)
	if len(o.Sources) != 0 || len(o.Notes) != 1 || o.Notes[0].Code != note.GPUsUnread ||
		strings.Contains(o.Notes[0].Text, dev) {
		t.Errorf("%d sources, notes %v", len(o.Sources), o.Notes)
	}
}

// Records are decoded the same from pieces of any size; no input makes the decoder fail.
func FuzzRecords(f *testing.F) {
	whole := make([]byte, recordBytes)
	binary.NativeEndian.PutUint32(whole, recordBytes)
	whole[4] = recReading
	f.Add(whole, 1)
	f.Add(append(append([]byte{}, whole...), whole[:100]...), 64)
	f.Add([]byte("no record at all, but as long as one: 256 bytes"+
		strings.Repeat(".", 202)), 200)
	f.Fuzz(func(t *testing.T, b []byte, piece int) {
		if piece <= 0 || piece > 4096 {
			piece = 100
		}
		hear := func(piece int) (*helper, int) {
			h, all := newHelper(2, func() int64 { return 1 }), &everything{}
			h.takers = append(h.takers, all)
			for rest := b; len(rest) > 0 && h.gone == nil; rest = rest[min(piece, len(rest)):] {
				h.decode(rest[:min(piece, len(rest))])
			}
			return h, len(all.all)
		}
		one, n := hear(len(b) + 1)
		other, m := hear(piece)
		if n != m || (one.gone == nil) != (other.gone == nil) || len(one.in) >= recordBytes && one.gone == nil {
			t.Errorf("%d records and %v at once, %d and %v in pieces of %d", n, one.gone, m, other.gone, piece)
		}
		for _, d := range one.devices {
			if strings.ContainsAny(d.uuid, "\x00\n\x1b") {
				t.Errorf("name %q", d.uuid)
			}
		}
	})
}
