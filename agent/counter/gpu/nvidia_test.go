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

// builtIn is where the helper and the fake library are, once they are built.
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
	h, err := startHelper(program, devices, append(env, settings...), rawcall.Now)
	if err != nil {
		t.Fatal(err)
	}
	all := &everything{}
	h.takers = append(h.takers, all)
	p := h.process
	t.Cleanup(func() {
		if h.gone == nil {
			h.leave(os.ErrClosed)
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

// What comes out is what the fake did: energy within the times of each call, the GPUs
// by the numbers of their files, and no descriptor of ours in the helper.
func TestNVIDIA(t *testing.T) {
	left := filepath.Join(t.TempDir(), "left")
	inherited, err := unix.Open("/dev/zero", unix.O_RDONLY, 0) // not to be closed on exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	h, all := start(t, []string{"0", "GPU-00000000-0000-0000-0000-000000000000"}, false, "FAKE_LEFT="+left)
	until(t, h, "twenty readings and the refresh are there", func() bool { return len(all.all) >= 20 && h.refresh != nil })
	if h.driver != "999.01" || h.cpuNS <= 0 {
		t.Errorf("driver %q, CPU time %d", h.driver, h.cpuNS)
	}
	for i, want := range []introduced{{true, 0, 0, false, 80000000001, "GPU-00000000-0000-0000-0000-000000000001", "Fake 1"},
		{true, 0, 1, false, 80000000000, "GPU-00000000-0000-0000-0000-000000000000", "Fake 0"}} {
		if h.devices[i] != want {
			t.Errorf("device %d: %+v, want %+v", i, h.devices[i], want)
		}
	}
	if files, known := h.files(); !known || len(files) != 2 || !files["/dev/nvidia0"] || !files["/dev/nvidia1"] {
		t.Errorf("files %v, %v", files, known)
	}
	memory := 0
	for _, r := range all.all {
		least, most := fakeMillijoules(r.begunNS, 5000), fakeMillijoules(r.endedNS, 5000)
		if e := r.value[valEnergy]; r.status[valEnergy] != nvOK || e < least || e > most {
			t.Errorf("energy %d is not of %d to %d", e, least, most)
		}
		if r.status[valUsed] == nvOK {
			memory++
			if r.value[valUsed] != 5000000001-uint64(r.device) {
				t.Errorf("memory %d of device %d", r.value[valUsed], r.device)
			}
		}
		if r.status[valPCIeRX] != nvNotSupported && r.status[valPCIeRX] != nvNotAsked {
			t.Errorf("received: %d", r.status[valPCIeRX])
		}
	}
	if memory == 0 || memory > len(all.all)/2 {
		t.Errorf("memory %d times in %d readings", memory, len(all.all))
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error("a descriptor was inherited")
	}
	if r := h.refresh; r.value[4] == 0 || r.value[5] == 0 || r.value[5] > 100 || r.value[1] >= r.value[5] || r.value[6] != 1 {
		t.Errorf("refresh %v", r.value)
	}
}

// The clock of the library's stamps is told, and times are ours whatever it is.
func TestAnotherClock(t *testing.T) {
	h, all := start(t, []string{"1"}, false, "FAKE_DOMAIN=boot")
	began := rawcall.Now()
	until(t, h, "the refresh is there", func() bool { return h.refresh != nil })
	// Where the machine never slept boot and monotonic are the same.
	if d := h.refresh.value[6]; d != 2 && d != 3 {
		t.Errorf("domain %d", d)
	}
	last := int64(0)
	for _, r := range all.all {
		if r.begunNS < max(last, began-60e9) || r.endedNS > rawcall.Now() {
			t.Errorf("from %d to %d after %d", r.begunNS, r.endedNS, last)
		}
		last = r.begunNS
	}
}

// A field without permission takes no other along.
func TestNoPermissionForAField(t *testing.T) {
	h, _ := start(t, []string{"1"}, false, "FAKE_DENY=83")
	columns := nvColumns(h, 0)
	for _, c := range columns {
		h.takers = append(h.takers, c)
	}
	energy, memory, slowed, received := columns[0], columns[2], columns[3], columns[5]
	until(t, h, "there are readings of the throttle", func() bool { return slowed.readings >= 1 && memory.readings >= 1 })
	if n := energy.Notes(); energy.readings != 0 || len(n) != 1 || n[0].Code != note.NeverRead || !strings.Contains(n[0].Text, "may not be read") {
		t.Errorf("energy %d times, notes %v", energy.readings, n)
	}
	if n := received.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "does not support") {
		t.Errorf("notes %v", n)
	}
	if memory.total != 5000000000 || memory.Notes() != nil {
		t.Errorf("memory %d, notes %v", memory.total, memory.Notes())
	}
}

// A GPU that is lost ends, the other goes on.
func TestLostGPU(t *testing.T) {
	h, all := start(t, []string{"1", "0"}, false, "FAKE_LOST_AFTER=4")
	after := func() (lost, on int) {
		seen := false
		for _, r := range all.all {
			if r.status[valEnergy] == nvLost {
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
		t.Errorf("told %d times that it is lost", lost)
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

// A driver that never answers costs nobody anything: no call of ours waits for it, it
// is given up after 10 s of listening, and is left alone, not killed.
func TestHungDriver(t *testing.T) {
	for _, setting := range []string{"FAKE_NO_INIT=1", "FAKE_HANG_AFTER=1"} {
		h, _ := start(t, []string{"0"}, true, setting)
		clock := rawcall.Now()
		h.now = func() int64 { return clock }
		if setting == "FAKE_HANG_AFTER=1" {
			jobtest.Until(t, "it has begun", func() bool { h.poll(); return h.devices[0].known })
		}
		c := nvColumns(h, 0)[0]
		c.tells = true
		h.polledNS = clock
		// Drained twice a second it is given up after 10 s without a word.
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

// A driver that never answers, not even to a kill, holds that one process and nothing of
// ours: the run's lock is free at once, and nothing here waits.
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
	free, asked := peektest.HangAsked(t, dir)
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

// Time in which nobody listened is no silence: who was stopped with it goes on.
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

// With a full pipe it goes on, and ends when it is to. What is dropped is in the next
// reading: counts count on.
func TestFullPipe(t *testing.T) {
	h, all := start(t, []string{"0", "1"}, false)
	if _, err := unix.FcntlInt(uintptr(h.from), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "its pipe is full", func() bool {
		n, err := unix.IoctlGetInt(h.from, unix.TIOCINQ) // FIONREAD
		return err == nil && n > 4096-recordBytes
	})
	read := len(all.all)
	until(t, h, "what was said is there", func() bool { return len(all.all) > read+10 })
	first, last := all.all[0], all.all[len(all.all)-1]
	if got, least := last.value[valEnergy]-first.value[valEnergy], fakeMillijoules(last.begunNS, 5000)-fakeMillijoules(first.endedNS, 5000); got < least {
		t.Errorf("%d mJ, and there were %d", got, least)
	}
} // Wait of start: it ends with its stdin

// It ends with its parent: nobody holds its stdin then.
func TestEndsWithItsParent(t *testing.T) {
	h, all := start(t, []string{"0"}, false)
	until(t, h, "it reads", func() bool { return len(all.all) > 0 })
	_ = unix.Close(h.to)
	h.to = -1
	until(t, h, "it has ended", func() bool { return errors.Is(h.gone, errEnded) })
}

func TestCounted(t *testing.T) {
	reading := func(atNS int64, v uint64, status uint8) *record {
		r := record{begunNS: atNS, endedNS: atNS}
		r.value[valPCIeTX], r.status[valPCIeTX] = v, status
		return &r
	}
	const beat = 15e7
	for name, c := range map[string]struct {
		wrap     uint64
		readings []*record
		want     uint64
	}{
		"grows":             {0, []*record{reading(1e9, 5, 0), reading(1e9+beat, 9, 0)}, 4},
		"wraps":             {1 << 32, []*record{reading(1e9, 1<<32-10, 0), reading(1e9+beat, 5, 0)}, 15},
		"wraps unseen":      {1 << 32, []*record{reading(1e9, 1<<32-10, 0), reading(9e9, 5, 0), reading(9e9+beat, 7, 0)}, 2},
		"64 bits begin new": {1 << 32, []*record{reading(1e9, 1<<40, 0), reading(1e9+beat, 5, 0), reading(1e9+2*beat, 6, 0)}, 1},
		"begins anew":       {0, []*record{reading(1e9, 100, 0), reading(1e9+beat, 5, 0), reading(1e9+2*beat, 6, 0)}, 1},
		"with a gap":        {0, []*record{reading(1e9, 100, 0), reading(1e9+beat, 0, nvNoPermission), reading(1e9+2*beat, 160, 0)}, 60},
	} {
		counter, sum := counted{field: valPCIeTX, scale: 1, wrap: c.wrap}, uint64(0)
		for _, r := range c.readings {
			v, _ := counter.of(r)
			sum += v
		}
		if sum != c.want {
			t.Errorf("%s: %d, want %d", name, sum, c.want)
		}
	}
}

// A level holds from one reading to the next, for a while, a count does not.
func TestLevelsHold(t *testing.T) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	now := int64(100e9)
	h := &helper{devices: make([]introduced, 1), to: pipe[1], from: pipe[0], now: func() int64 { return now }}
	defer h.close()
	columns := nvColumns(h, 0)
	energy, memory := columns[0], columns[2]
	r := record{begunNS: now - 1e9, endedNS: now - 1e9}
	r.value[valUsed] = 7
	energy.take(&r)
	memory.take(&r)
	var counts, levels countertest.Sink
	for _, step := range []struct {
		afterNS        int64
		counts, levels int // readings by then
	}{{0, 1, 2}, {1e9, 1, 3}, {2e9, 1, 3}} {
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

// Energy that stays what it was in many readings is told, a short run's is not.
func TestDidNotMove(t *testing.T) {
	h := &helper{devices: make([]introduced, 1)}
	c := nvColumns(h, 0)[0]
	for i := range minMoves + 2 {
		if n := c.Notes(); i < minMoves && n != nil {
			t.Fatalf("after %d: %v", i, n)
		}
		r := record{begunNS: int64(i) * 15e7, endedNS: int64(i) * 15e7}
		r.value[valEnergy] = 7
		c.take(&r)
	}
	if n := c.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "did not move") {
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
	ahead := int64(0) // of the holders' clock: looks are seconds apart
	p.Holders.Now = func() int64 { return rawcall.Now() + ahead }
	o := Open(p)
	defer closeAll(t, o)
	if len(o.Sources) != 6 || o.CPU == nil || len(o.Notes) != 1 {
		t.Fatalf("%d sources, notes %v", len(o.Sources), o.Notes)
	}
	h := o.Sources[0].(*held).Source.(*nvColumn).h
	h.now = rawcall.Now
	s, _ := source(t, o, "gpu0_energy")
	var to countertest.Sink
	drain := func() {
		ahead += soonNS / 10
		for _, s := range o.Sources {
			if err := s.Drain(&to); err != nil {
				t.Fatal(err)
			}
		}
	}
	jobtest.Until(t, "it is looked at who holds them", func() bool { drain(); _, known := h.files(); return known && o.Sources[0].(*held).by.others })
	if len(to.Readings) != 0 {
		t.Errorf("readings %v", to.Readings)
	}
	if n := s.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "other GPUs") {
		t.Errorf("notes %v", n)
	}
	opened(t, p.Holders.Proc, 7, "/dev/nvidia1")
	to = countertest.Sink{}
	jobtest.Until(t, "there is energy", func() bool {
		ahead += soonNS / 10
		_ = s.Drain(&to)
		return len(to.Readings) >= 3
	})
	first, last := to.Readings[0], to.Readings[len(to.Readings)-1]
	if first.Counts[0] > 0 && first.Counts[0]%1000 != 0 || last.Counts[0] <= first.Counts[0] || last.TimeNS <= first.TimeNS {
		t.Errorf("readings %v", to.Readings)
	}
}

func TestNoHelper(t *testing.T) {
	dev := t.TempDir()
	put(t, filepath.Join(dev, "nvidiactl"), nil)
	p := params(t, t.TempDir(), job.GPUs{Numbers: []int{0}})
	p.Dev, p.Helper = dev, filepath.Join(dev, "none")
	o := Open(p)
	if len(o.Sources) != 0 || len(o.Notes) != 1 || o.Notes[0].Code != note.GPUsUnread || strings.Contains(o.Notes[0].Text, dev) {
		t.Errorf("%d sources, notes %v", len(o.Sources), o.Notes)
	}
}

// Records in pieces of any size are the same records; nothing that comes makes it fail.
func FuzzRecords(f *testing.F) {
	whole := make([]byte, recordBytes)
	binary.NativeEndian.PutUint32(whole, recordBytes)
	whole[4] = recReading
	f.Add(whole, 1)
	f.Add(append(append([]byte{}, whole...), whole[:100]...), 64)
	f.Add([]byte("no record at all, but as long as one: 128 bytes.........................................................................."), 200)
	f.Fuzz(func(t *testing.T, b []byte, piece int) {
		if piece <= 0 || piece > 4096 {
			piece = 100
		}
		hear := func(piece int) (*helper, int) {
			h, all := &helper{devices: make([]introduced, 2), to: -1, from: -1, now: func() int64 { return 1 }}, &everything{}
			h.takers = append(h.takers, all)
			for rest := b; len(rest) > 0 && h.gone == nil; rest = rest[min(piece, len(rest)):] {
				h.hear(rest[:min(piece, len(rest))])
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
