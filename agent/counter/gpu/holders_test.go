package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/polled"
	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// opened makes a fake /proc in which a process has files open.
func opened(t *testing.T, proc string, pid int, files ...string) {
	t.Helper()
	dir := filepath.Join(proc, strconv.Itoa(pid), "fd")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if err := os.Symlink(f, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
}

func jobFiles(files ...string) func() (map[string]bool, bool) {
	set := map[string]bool{}
	for _, f := range files {
		set[f] = true
	}
	return func() (map[string]bool, bool) { return set, true }
}

func TestHolders(t *testing.T) {
	whole := func(int) job.Sharing { return job.WholeGPUs }
	for name, c := range map[string]struct {
		files    []string
		jobFiles func() (map[string]bool, bool)
		sharing  func(int) job.Sharing
		want     bool
		says     string
	}{
		"its own": {[]string{"/dev/null", "/dev/nvidiactl", "/dev/nvidia3"}, jobFiles("/dev/nvidia3"), whole, true,
			""},
		"and the first": {[]string{"/dev/nvidia0", "/dev/nvidia3"}, jobFiles("/dev/nvidia3"), whole, true, ""},
		"AMD's":         {[]string{"/dev/kfd", "/dev/dri/renderD129"}, jobFiles("/dev/dri/renderD129"), whole, true, ""},
		"another": {[]string{"/dev/nvidia0", "/dev/nvidiactl"}, jobFiles("/dev/nvidia3"), whole, false,
			"other GPUs than those"},
		"none": {[]string{"pipe:[17]", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/kfd"}, jobFiles("/dev/nvidia3"),
			whole, false, "held one of them"},
		"a longer number": {[]string{"/dev/nvidia31"}, jobFiles("/dev/nvidia3"), whole, false, "other GPUs"},
		"in a directory":  {[]string{"/home/u/dev/nvidia3"}, jobFiles("/dev/nvidia3"), whole, false, "held one of them"},
		"a share": {[]string{"/dev/nvidia3"}, jobFiles("/dev/nvidia3"), func(int) job.Sharing {
			return job.GPUShares
		}, false, "a share of a GPU"},
		"unknown sharing": {[]string{"/dev/nvidia3"}, jobFiles("/dev/nvidia3"), func(int) job.Sharing {
			return ""
		}, false, "could not find out whether"},
		"which, not known": {[]string{"/dev/nvidia3"}, func() (map[string]bool, bool) {
			return nil, false
		}, whole, false, "which GPUs the job has"},
		"more than looked at": {[]string{"/dev/null"}, jobFiles("/dev/nvidia3"), whole, false,
			"as far as the processes could be read"},
	} {
		proc := t.TempDir()
		opened(t, proc, 7, c.files...)
		now := int64(5e9)
		pids := []int{6, 7}
		if name == "more than looked at" {
			pids = make([]int, mostProcesses+1)
		}
		h := Holders{Proc: proc, Members: func() []int {
			return pids
		}, Sharing: c.sharing, JobFiles: c.jobFiles, Now: func() int64 {
			return now
		}}
		if got := h.Confirmed(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		notes := h.Notes()
		code := note.GPUsWithheld
		if c.says == "held one of them" {
			code = note.GPUsNotHeld
		}
		if c.says == "" && len(notes) != 0 ||
			c.says != "" && (len(notes) != 1 || notes[0].Code != code || !strings.Contains(notes[0].Text, c.says)) {
			t.Errorf("%s: notes %v, want %q", name, notes, c.says)
		}
	}
}

// A process that opens its GPUs one after the other is not a contradiction, a snapshot that is not due reads
// nothing, and a process that held a GPU once counts as its holder.
func TestHoldersLookAgain(t *testing.T) {
	proc, now, looks := t.TempDir(), int64(5e9), 0
	opened(t, proc, 7, "/dev/nvidia0")
	h := Holders{Proc: proc, Members: func() []int { looks++; return []int{7} }, Sharing: func(int) job.Sharing {
		return job.WholeGPUs
	},
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }}
	for _, step := range []struct {
		afterNS int64
		open    string
		want    bool
		looks   int
	}{
		{0, "/dev/nvidia0", false, 1},
		{leastLookNS / 2, "/dev/nvidia3", false, 1},
		{leastLookNS / 2, "/dev/nvidia3", true, 2},
		{leastLookNS, "/dev/null", true, 2},
	} {
		now += step.afterNS
		opened(t, proc, 7, step.open)
		if got := h.Confirmed(); got != step.want || looks != step.looks {
			t.Errorf("with %s open: %v after %d looks, want %v after %d", step.open, got, looks, step.want, step.looks)
		}
	}
	if n := h.Notes(); n != nil {
		t.Errorf("notes %v", n)
	}
	if since := h.SinceNS(); since != 5e9 {
		t.Errorf("held since %d, last seen not to hold it at 5e9", since)
	}
}

// A process seen for the first time may have held its GPU since it started, or since now if its start is
// unknown. Snapshots that take long are rare.
func TestHeldSince(t *testing.T) {
	proc, now, took := t.TempDir(), int64(50e9), int64(0)
	opened(t, proc, 7, "/dev/nvidia3")
	for name, c := range map[string]struct {
		started func(int) int64
		want    int64
	}{
		"started":             {func(int) int64 { return 40e9 }, 40e9},
		"before the sampling": {func(int) int64 { return 3e9 }, 30e9},
		"not known":           {func(int) int64 { return 0 }, 50e9},
		"later than now":      {func(int) int64 { return 60e9 }, 50e9},
	} {
		held := 0
		h := Holders{Proc: proc, Members: func() []int { return []int{7} }, Sharing: func(int) job.Sharing {
			return job.WholeGPUs
		},
			JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }, StartOf: c.started, OnHeld: func() {
				held++
			}, checkTimes: checkTimes{begunNS: 30e9}}
		if !h.Confirmed() || !h.Confirmed() || h.SinceNS() != c.want || held != 1 {
			t.Errorf("%s: since %d, want %d; OnHeld was called %d times", name, h.SinceNS(), c.want, held)
		}
	}
	looks := 0
	slow := Holders{Proc: proc, Members: func() []int {
		looks++
		now += took
		return nil
	}, Sharing: func(int) job.Sharing {
		return ""
	},
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }}
	took = 2e6
	for range 100 {
		slow.Confirmed()
		now += leastLookNS
	}
	if looks > 12 {
		t.Errorf("%d looks of 2 ms in 10 s", looks)
	}
}

// Until a process holds its GPUs, a source is not read; what it counted by then does not belong to the job.
func TestHeldBeginsWithItsHolder(t *testing.T) {
	proc, now, count, reads := t.TempDir(), int64(5e9), uint64(100), 0
	p, err := polled.New(polled.Meter{Columns: []profile.Column{{Name: "gpu0_energy", Unit: "uJ", Scope: "job"}},
		EveryNS: 2e8,
		Read:    func(cells []uint64) error { reads++; cells[0] = count; return nil }}, func() int64 { return now })
	if err != nil {
		t.Fatal(err)
	}
	h := &Holders{Proc: proc, Members: func() []int { return []int{7} }, Sharing: func(int) job.Sharing {
		return job.WholeGPUs
	},
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }}
	s := &heldSource{Source: p, holders: h, first: true}
	if n := s.Notes(); n != nil {
		t.Errorf("before it began: %v", n)
	}
	var to countertest.Sink
	probed := reads
	drain := func() {
		now += 2e9
		count += 10
		if err := s.Drain(&to); err != nil {
			t.Fatal(err)
		}
	}
	drain()
	drain()
	if reads != probed || len(to.Readings) != 0 || len(s.Notes()) != 1 {
		t.Errorf("%d readings of the GPU, %d of the source, notes %v", reads-probed, len(to.Readings), s.Notes())
	}
	opened(t, proc, 7, "/dev/nvidia3")
	drain()
	drain()
	if len(to.Readings) != 2 || to.Readings[0].Counts[0] != 0 || to.Readings[1].Counts[0] != 10 || s.Notes() != nil {
		t.Errorf("readings %v, notes %v", to.Readings, s.Notes())
	}
}

func FuzzIsGPU(f *testing.F) {
	for _, s := range []string{"/dev/nvidia0", "/dev/nvidiactl", "/dev/dri/renderD128", "/dev/nvidia+1", "/dev/nvidia",
		"/dev/nvidia-caps/nvidia-cap1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !isGPU(s) {
			return
		}
		var n int
		for _, prefix := range []string{nvidiaFile, renderFile} {
			if _, err := fmt.Sscanf(s, prefix+"%d", &n); err == nil && n >= 0 {
				return
			}
		}
		t.Errorf("%q", s)
	})
}

// On a busy node a search takes long but little CPU time: the next search comes as soon as on an idle node.
func TestSnapshotsOnABusyNode(t *testing.T) {
	proc, now := t.TempDir(), int64(50e9)
	opened(t, proc, 7, "/dev/null")
	h := Holders{Proc: proc, Members: func() []int { now += 1e9; return []int{7} },
		Sharing:  func(int) job.Sharing { return job.WholeGPUs },
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }, CPUTime: func() int64 { return 0 }}
	h.Confirmed()
	opened(t, proc, 7, "/dev/nvidia3")
	if now += leastLookNS; !h.Confirmed() {
		t.Error("a GPU that was opened is not known after the shortest pause between two looks")
	}
}

// One check during which other threads of this program used CPU time does not put off the next check.
func TestOneExpensiveCheckDelaysNothing(t *testing.T) {
	proc, now, cpu, cost := t.TempDir(), int64(50e9), int64(0), int64(20e3)
	opened(t, proc, 7, "/dev/null")
	h := Holders{Proc: proc, Members: func() []int { cpu += cost; return []int{7} },
		Sharing:  func(int) job.Sharing { return job.WholeGPUs },
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }, CPUTime: func() int64 { return cpu }}
	check := func() bool { now += leastLookNS; return h.Confirmed() }
	check()
	cost = 3e6
	check()
	opened(t, proc, 7, "/dev/nvidia3")
	if !check() {
		t.Error("a GPU that was opened after an expensive check is not known after the shortest pause")
	}
	h.confirmed, h.complete, h.nextNS, now = false, false, 0, now+1e12
	h.JobFiles = jobFiles("/dev/nvidia4")
	for range recentChecks {
		now += 10 * lookPart * cost
		h.Confirmed()
	}
	for h.nextNS-now == leastLookNS { // until half of the reserve is used
		now = h.nextNS
		h.Confirmed()
	}
	if len(h.notHeldNS) != 1 || h.nextNS != now+lookPart*cost {
		t.Errorf("next check after %d ns, want %d, when all checks are expensive", h.nextNS-now, lookPart*cost)
	}
}

// The first check, before the job begins, may be expensive: the second comes after the shortest pause.
func TestFirstCheckDelaysNothing(t *testing.T) {
	proc, now, cpu := t.TempDir(), int64(50e9), int64(0)
	opened(t, proc, 7, "/dev/null")
	h := Holders{Proc: proc, Members: func() []int { cpu += 2e6; return []int{7} },
		Sharing:  func(int) job.Sharing { return job.WholeGPUs },
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }, CPUTime: func() int64 { return cpu }}
	h.Confirmed()
	opened(t, proc, 7, "/dev/nvidia3")
	if now += leastLookNS; !h.Confirmed() {
		t.Error("a GPU that was opened after an expensive first check is not known after the shortest pause")
	}
}

// When a process opens a device file, the check is due at once, also where checks are expensive and therefore
// rare. Processes that open the file again and again do not make checks exceed their share of a CPU.
func TestOpenMakesACheckDue(t *testing.T) {
	proc, dev, now, cpu, checks := t.TempDir(), t.TempDir(), int64(50e9), int64(0), 0
	file := filepath.Join(dev, "nvidia3")
	put(t, file, nil)
	opened(t, proc, 7, "/dev/null")
	h := Holders{Proc: proc, Members: func() []int { cpu += 2e6; checks++; return []int{7} },
		Sharing:  func(int) job.Sharing { return job.WholeGPUs },
		JobFiles: jobFiles("/dev/nvidia3"), Now: func() int64 { return now }, CPUTime: func() int64 { return cpu },
		watch: watchOpens([]string{filepath.Join(dev, "nvidia0"), file})}
	if h.watch == nil {
		t.Skip("no inotify")
	}
	defer h.close()
	open := func() {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	step := func() bool { now += leastLookNS; return h.Confirmed() }
	for range 40 {
		step()
	}
	if checks > 5 {
		t.Errorf("%d checks of 2 ms in 1.2 s", checks)
	}
	before := checks
	opened(t, proc, 7, "/dev/nvidia4")
	for range 1000 { // 30 s
		open()
		step()
	}
	if n := checks - before; n < 10 || n > 45 {
		t.Errorf("%d checks of 2 ms in 30 s in which the file was opened 1000 times, want about 30", n)
	}
	for now += 10e9; h.nextNS <= now+2*leastLookNS; { // until half of the reserve is used
		step()
	}
	opened(t, proc, 7, "/dev/nvidia3")
	if step() {
		t.Error("a check was due before the file was opened")
	}
	if open(); !step() {
		t.Error("a GPU is not known at the first look after it was opened")
	}
	if h.close() != nil || h.watch.opened() {
		t.Error("the watch did not end")
	}
	if watchOpens(nil) != nil || watchOpens([]string{filepath.Join(dev, "nvidia9")}) != nil {
		t.Error("files that do not exist are watched")
	}
}

// Once all GPUs of the node are found to be open, nothing is checked.
func TestChecksEndWhenAllAreFound(t *testing.T) {
	proc, now, checks := t.TempDir(), int64(50e9), 0
	var found []string
	h := Holders{Proc: proc, Members: func() []int { checks++; return []int{7} },
		Sharing:  func(int) job.Sharing { return job.WholeGPUs },
		JobFiles: jobFiles("/dev/nvidia0", "/dev/nvidia1"), Now: func() int64 { return now },
		OnFound: func(file string) { found = append(found, file) }}
	for _, files := range [][]string{{"/dev/nvidia1"}, {"/dev/nvidia1"}, {"/dev/nvidia0", "/dev/nvidia1"}, {}, {}} {
		opened(t, proc, 7, files...)
		now += mostLookNS
		if !h.Confirmed() {
			t.Errorf("not confirmed with %q open", files)
		}
	}
	if checks != 3 || len(found) != 2 {
		t.Errorf("%d checks, found %q", checks, found)
	}
}
