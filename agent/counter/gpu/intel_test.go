package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/analysis/note"
)

// plantPMU writes what sysfs has of a PMU.
func plantPMU(t *testing.T, sys, name string, files map[string]string) {
	t.Helper()
	for file, content := range files {
		put(t, filepath.Join(sys, "bus/event_source/devices", name, file), []byte(content+"\n"))
	}
}

// i915PMU is that of a discrete card with two compute engines, and of others that do
// not run kernels.
func i915PMU() map[string]string {
	files := map[string]string{"type": "23", "cpumask": "3", "format/i915_eventid": "config:0-20", "events/interrupts": "config=0x100002"}
	for event, config := range map[string]string{"rcs0-busy": "0x0", "rcs0-wait": "0x1", "bcs0-busy": "0x1000", "vcs0-busy": "0x2000", "ccs0-busy": "0x4000", "ccs1-busy": "0x4010"} {
		files["events/"+event], files["events/"+event+".unit"] = "config="+config, "ns"
	}
	return files
}

// xePMU is xe's.
func xePMU() map[string]string {
	return map[string]string{"type": "31", "cpumask": "0", "format/event": "config:0-11", "format/engine_class": "config:20-27", "format/engine_instance": "config:12-19",
		"format/function": "config:44-59", "format/gt": "config:60-63", "events/gt-c6-residency": "event=0x01", "events/gt-c6-residency.unit": "ms",
		"events/engine-active-ticks": "event=0x02", "events/engine-total-ticks": "event=0x03"}
}

// plantIntel makes a node of two discrete Intel cards, one of i915 with energy and one of
// xe, and of a processor with its own. The numbers of render nodes and addresses differ
// in their order.
func plantIntel(t *testing.T) (sys, i915, xe string) {
	t.Helper()
	sys = t.TempDir()
	i915 = plantCard(t, sys, "renderD129", "0000:4d:00.0", intelVendor, "")
	xe = plantCard(t, sys, "renderD128", "0000:9a:00.0", intelVendor, "")
	put(t, filepath.Join(i915, "device"), []byte("0x56c0\n"))
	for hwmon, text := range map[string][2]string{"hwmon3": {"i915_gt0", "7"}, "hwmon4": {"i915", "5000000"}} {
		put(t, filepath.Join(i915, "hwmon", hwmon, "name"), []byte(text[0]+"\n"))
		put(t, filepath.Join(i915, "hwmon", hwmon, "energy1_input"), []byte(text[1]+"\n"))
	}
	plantPMU(t, sys, "i915_0000_4d_00.0", i915PMU())
	plantPMU(t, sys, "xe_0000_9a_00.0", xePMU())
	return sys, i915, xe
}

// intelEvents is an injected perf_event_open: every count that is to be read is said
// before. An event's name is its type and its config.
type intelEvents struct {
	t      *testing.T
	has    func(config uint64) error
	ends   map[string]int // where to say counts
	how    []string
	begins bool // every event with a count of 0
}

func newEvents(t *testing.T, has func(config uint64) error) *intelEvents {
	return &intelEvents{t: t, has: has, ends: map[string]int{}}
}

func (p *intelEvents) open(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
	if err := p.has(a.Config); err != nil {
		return -1, err
	}
	// Each message is what one read(2) gives.
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	p.t.Cleanup(func() { unix.Close(pair[1]) })
	name := fmt.Sprintf("%d %#x", a.Type, a.Config)
	p.ends[name] = pair[1]
	if p.begins {
		p.say(name, 0)
	}
	p.how = append(p.how, fmt.Sprintf("%s on CPU %d, pid %d, group %d, period %d, bits %d", name, cpu, pid, group, a.Sample, a.Bits))
	return pair[0], nil
}

func (p *intelEvents) say(event string, count uint64) {
	p.t.Helper()
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], count)
	if _, err := unix.Write(p.ends[event], b[:]); err != nil {
		p.t.Errorf("%s: %v", event, err)
	}
}

// sayAll says that each engine has the same count, and all ticks.
func (p *intelEvents) sayAll(count, ticks uint64) {
	p.t.Helper()
	for event := range p.ends {
		if strings.HasSuffix(event, "3") {
			p.say(event, ticks)
		} else {
			p.say(event, count)
		}
	}
}

func all(uint64) error { return nil }

// pvc are the engines of a card of xe: four for compute, and the one that renders only on
// its first part.
func pvc(config uint64) error {
	part, class, instance := config>>60, config>>20&0xff, config>>12&0xff
	if part == 0 && (class == 4 && instance < 4 || class == 0 && instance == 0) {
		return nil
	}
	return unix.ENOENT
}

func findCard(t *testing.T, sys, pci string) card {
	t.Helper()
	cards, err := listCards(sys)
	i := slices.IndexFunc(cards, func(c card) bool { return c.pci == pci })
	if err != nil || i < 0 {
		t.Fatalf("%s: %+v, %v", pci, cards, err)
	}
	return cards[i]
}

// Events are opened for engines that run kernels, of the card's own PMU, system-wide on a
// CPU of its mask and without a period.
func TestIntelEngines(t *testing.T) {
	sys, _, _ := plantIntel(t)
	for pci, c := range map[string]struct {
		has  func(uint64) error
		want []string
		how  string
	}{
		"0000:4d:00.0": {all, []string{"rcs0", "ccs0", "ccs1"}, "23 0x0 on CPU 3, 23 0x4000 on CPU 3, 23 0x4010 on CPU 3"},
		"0000:9a:00.0": {pvc, []string{"rcs0 of gt0", "ccs0 of gt0", "ccs1 of gt0", "ccs2 of gt0", "ccs3 of gt0"},
			"31 0x2 on CPU 0, 31 0x3 on CPU 0, 31 0x400002 on CPU 0, 31 0x400003 on CPU 0, 31 0x401002 on CPU 0, 31 0x401003 on CPU 0, " +
				"31 0x402002 on CPU 0, 31 0x402003 on CPU 0, 31 0x403002 on CPU 0, 31 0x403003 on CPU 0"},
	} {
		p, err := findPMU(sys, findCard(t, sys, pci))
		if err != nil {
			t.Fatal(err)
		}
		events := newEvents(t, c.has)
		list, err := p.openEngines(events.open)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range list {
			names = append(names, e.name)
		}
		how := strings.ReplaceAll(strings.Join(events.how, ", "), ", pid -1, group -1, period 0, bits 0", "")
		if !slices.Equal(names, c.want) || how != c.how {
			t.Errorf("%s: %v, opened %s", pci, names, how)
		}
		if err := closeEngines(list); err != nil {
			t.Error(err)
		}
		// Events of xe would wake it, those of i915 do not.
		asleep := findCard(t, sys, pci)
		put(t, filepath.Join(asleep.dir, "power/runtime_status"), []byte("suspended\n"))
		g := engines{pmu: p, card: asleep, open: events.open}
		if err := g.begin(); p.xe && err != errSleeps || !p.xe && err != nil {
			t.Errorf("%s asleep: %v", pci, err)
		}
		if err := g.close(); err != nil {
			t.Error(err)
		}
	}
}

// What is not to be had is said in words, and nothing stays open.
func TestIntelWithoutEngines(t *testing.T) {
	forbidden := func(uint64) error { return unix.EACCES }
	for name, c := range map[string]struct {
		change map[string]string
		has    func(uint64) error
		says   string
	}{
		"no permission":  {nil, forbidden, "permission denied"},
		"no engine":      {nil, func(uint64) error { return unix.ENOENT }, "none of its render and compute engines"},
		"a later format": {map[string]string{"format/gt": "config1:0-3"}, all, "unknown format"},
		"a small field":  {map[string]string{"format/engine_class": "config:20-21"}, all, "4 has more than 2 bits"},
		"no event":       {map[string]string{"events/engine-active-ticks": ""}, all, "unknown format"},
		"half an engine": {nil, func(config uint64) error {
			if config&0xfff == 3 {
				return unix.EBUSY
			}
			return nil
		}, "engine-total-ticks"},
		"another type": {map[string]string{"type": "x"}, all, "unknown format"},
		"no CPU":       {map[string]string{"cpumask": ""}, all, "read CPUs"},
	} {
		sys := t.TempDir()
		plantCard(t, sys, "renderD128", "0000:9a:00.0", intelVendor, "")
		plantPMU(t, sys, "xe_0000_9a_00.0", xePMU())
		plantPMU(t, sys, "xe_0000_9a_00.0", c.change)
		p, err := findPMU(sys, findCard(t, sys, "0000:9a:00.0"))
		events := newEvents(t, c.has)
		if err == nil {
			var list []engine
			if list, err = p.openEngines(events.open); len(list) != 0 {
				t.Errorf("%s: %d engines", name, len(list))
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		for event, end := range events.ends {
			if _, err := unix.Write(end, []byte("?")); !errors.Is(err, unix.EPIPE) {
				t.Errorf("%s: %s is still open: %v", name, event, err)
			}
		}
	}
	sys := t.TempDir()
	plantCard(t, sys, "renderD128", "0000:9a:00.0", intelVendor, "")
	plantPMU(t, sys, "i915", i915PMU()) // the processor's
	if _, err := findPMU(sys, findCard(t, sys, "0000:9a:00.0")); err != errNoPMU {
		t.Errorf("another card's PMU: %v", err)
	}
	plantCard(t, sys, "renderD129", "0000:00:02.0", intelVendor, "")
	if p, err := findPMU(sys, findCard(t, sys, "0000:00:02.0")); err != nil || p.name() != "i915" || p.xe {
		t.Errorf("the processor's own: %+v, %v", p, err)
	}
}

// An engine's count is what it grew by; one that began anew is no time.
func TestIntelEngineRan(t *testing.T) {
	type step struct {
		atNS        int64
		busy, total uint64
		want        float64
		err         error
	}
	for name, steps := range map[string][]step{
		"ns": {{5e9, 7e9, 0, 0, nil}, {52e8, 71e8, 0, 1e8, nil}, {54e8, 71e8, 0, 0, nil}, {56e8, 3, 0, 0, nil}, {58e8, 2e8 + 3, 0, 2e8, nil},
			{6e9, 1 << 60, 0, 0, nil}, {62e8, 1<<60 + 1e8, 0, 1e8, nil}},
		"ticks": {{5e9, 100, 1000, 0, nil}, {52e8, 125, 1100, 5e7, nil}, {54e8, 125, 1200, 0, nil}, {54e8 + 1, 125, 1200, 0, nil},
			{56e8, 225, 1300, 2e8, nil}, {58e8, 425, 1400, 2e8, nil}, // more than all: all
			{6e9, 3, 1500, 0, nil}, {62e8, 53, 1600, 1e8, nil}, {64e8, 60, 9, 0, nil}, {80e8, 60, 9, 0, errStill}, {81e8, 95, 109, 595e6, nil}},
	} {
		events := newEvents(t, all)
		e := engine{ticks: name == "ticks"}
		var err error
		if e.busy, err = perf.OpenAlone(events.open, 1, 2, 0); err != nil {
			t.Fatal(err)
		}
		if e.total, err = perf.OpenAlone(events.open, 1, 3, 0); err != nil {
			t.Fatal(err)
		}
		for i, s := range steps {
			events.say("1 0x2", s.busy)
			if e.ticks {
				events.say("1 0x3", s.total)
			}
			if got, err := e.ran(s.atNS); got < s.want-1 || got > s.want+1 || !errors.Is(err, s.err) {
				t.Errorf("%s, step %d: %g, %v, want %g, %v", name, i, got, err, s.want, s.err)
			}
		}
	}
}

// intelParams are those of a job that has both GPUs, of which process 7 holds files.
func intelParams(t *testing.T, sys string, events *intelEvents, files ...string) Params {
	p := params(t, sys, job.GPUs{Numbers: []int{0, 1}}, files...)
	events.begins, p.Perf = true, events.open
	return p
}

// Nothing is opened until the job holds its GPUs, and what they did before is not
// counted; what a driver does not tell is not there.
func TestIntel(t *testing.T) {
	sys, i915, _ := plantIntel(t)
	events := newEvents(t, func(config uint64) error { // i915's, and one engine of xe
		if config&0xfff > 1 && config != 0x400002 && config != 0x400003 && config>>12 != 4 {
			return unix.ENOENT
		}
		return nil
	})
	p := intelParams(t, sys, events)
	o := openAll(t, p)
	defer closeAll(t, o)
	if len(o.Sources) != 3 || len(o.Absent) != 1 || o.Absent[0].Name != "gpu0_energy" || o.Absent[0].Absent != errNothing.Error() ||
		len(o.Notes) != 1 || o.Notes[0].Code != note.GPUUnproven {
		t.Fatalf("%d sources, absent %+v, notes %v", len(o.Sources), o.Absent, o.Notes)
	}
	if d := o.Devices(); len(d) != 2 || d[1].Name != "Intel 0x56c0" || d[0].Name != "" || d[1].MemoryBytes != 0 {
		t.Errorf("devices %+v", d)
	}
	var to countertest.Sink
	for _, s := range o.Sources {
		if err := s.Drain(&to); err != nil {
			t.Error(err)
		}
	}
	if len(events.how) != 0 || len(to.Readings) != 0 {
		t.Fatalf("before it is held: opened %v, readings %v", events.how, to.Readings)
	}
	opened(t, p.Holders.Proc, 7, "/dev/dri/card1", "/dev/dri/renderD129")
	reach(t, o, "gpu1_energy", 0)
	put(t, filepath.Join(i915, "hwmon/hwmon4/energy1_input"), []byte("5000700\n"))
	reach(t, o, "gpu1_energy", 700)
	reach(t, o, "gpu1_kernel", 0)
	events.say("23 0x0", 1e6)
	events.say("23 0x4000", 4e8) // the busiest
	events.say("23 0x4010", 3e8)
	reach(t, o, "gpu1_kernel", 4e8)
	put(t, filepath.Join(i915, "power/runtime_status"), []byte("suspended\n"))
	tellsSleep(t, o, "gpu1_energy")
	events.say("23 0x0", 1e6+2e8)
	events.say("23 0x4000", 4e8)
	events.say("23 0x4010", 3e8)
	reach(t, o, "gpu1_kernel", 6e8) // to ask i915 wakes nothing
}

func tellsSleep(t *testing.T, o Opened, column string) {
	t.Helper()
	s, _ := source(t, o, column)
	var to countertest.Sink
	jobtest.Until(t, "its sleep is told", func() bool {
		err := s.Drain(&to)
		return err != nil && strings.Contains(err.Error(), errSleeps.Error())
	})
}

// An xe GPU is not woken to be counted, since it would stay awake; one whose events
// have gone, as with a CPU, goes on where it was when they are there again.
func TestXeThatSleepsAndComesBack(t *testing.T) {
	sys, _, xe := plantIntel(t)
	put(t, filepath.Join(xe, "power/runtime_status"), []byte("suspended\n"))
	events := newEvents(t, func(config uint64) error {
		if config>>12 != 0x400 {
			return unix.ENOENT
		}
		return nil
	})
	o := openAll(t, intelParams(t, sys, events, "/dev/dri/renderD128"))
	defer closeAll(t, o)
	tellsSleep(t, o, "gpu0_kernel")
	if len(events.how) != 0 {
		t.Fatalf("opened %v", events.how)
	}
	put(t, filepath.Join(xe, "power/runtime_status"), []byte("active\n"))
	reach(t, o, "gpu0_kernel", 0)
	s, _ := source(t, o, "gpu0_kernel")
	var to countertest.Sink
	ran := func(want func(ns uint64) bool) (ns uint64) {
		t.Helper()
		jobtest.Until(t, "it is read", func() bool {
			had := len(to.Readings)
			_ = s.Drain(&to)
			return len(to.Readings) > had
		})
		r, _ := to.Last(0)
		if !want(r.Counts[0]) {
			t.Errorf("it ran for %d ns", r.Counts[0])
		}
		return r.Counts[0]
	}
	events.sayAll(50, 100)
	had := ran(func(ns uint64) bool { return ns > 0 })
	for _, end := range events.ends {
		if err := unix.Shutdown(end, unix.SHUT_WR); err != nil {
			t.Fatal(err)
		}
	}
	had = ran(func(ns uint64) bool { return ns == had }) // the first with new events
	if len(events.how) != 4 {
		t.Errorf("opened %v", events.how)
	}
	events.sayAll(100, 100)
	ran(func(ns uint64) bool { return ns > had })
	if n := s.Notes(); len(n) != 1 || n[0].Code != note.ReadFailed {
		t.Errorf("notes %v", n)
	}
}

// Numbers are believed where the job has all GPUs of the only maker; what a processor has
// besides is not given out beside others.
func TestWhichIntel(t *testing.T) {
	discrete, _, _ := plantIntel(t)
	two := job.GPUs{Numbers: []int{0, 1}}
	for name, c := range map[string]struct {
		also   [][3]string // render node, address, maker
		nvidia bool
		told   job.GPUs
		files  string
		says   string
	}{
		"all":                  {nil, false, two, "", ""},
		"one of two":           {nil, false, job.GPUs{Numbers: []int{0}}, "", "tells numbers"},
		"beside NVIDIA's":      {nil, true, two, "", "two makers"},
		"beside AMD's":         {[][3]string{{"renderD130", "0000:c3:00.0", amdVendor}}, false, job.GPUs{Numbers: []int{0, 1, 2}}, "", "two makers"},
		"and the processor's":  {[][3]string{{"renderD130", "0000:00:02.0", intelVendor}}, false, two, "", "tells numbers"},
		"named, none has that": {nil, false, job.GPUs{UUIDs: []string{"GPU-1"}}, "", "not on this node"},
	} {
		sys := t.TempDir()
		if err := os.CopyFS(sys+"/bus", os.DirFS(discrete+"/bus")); err != nil {
			t.Fatal(err)
		}
		for _, g := range append([][3]string{{"renderD128", "0000:9a:00.0", intelVendor}, {"renderD129", "0000:4d:00.0", intelVendor}}, c.also...) {
			dir := plantCard(t, sys, g[0], g[1], g[2], "")
			put(t, filepath.Join(dir, "mem_info_vram_total"), []byte("1\n"))
		}
		p := params(t, sys, c.told)
		p.Dev = t.TempDir()
		if c.nvidia {
			put(t, filepath.Join(p.Dev, "nvidiactl"), nil)
		}
		o := openAll(t, p)
		if c.says == "" {
			source(t, o, "gpu0_kernel")
			source(t, o, "gpu1_kernel")
		} else if len(o.Sources) != 0 || len(o.Notes) != 1 || o.Notes[0].Code != note.GPUsWithheld || !strings.Contains(o.Notes[0].Text, c.says) {
			t.Errorf("%s: %d sources, notes %v", name, len(o.Sources), o.Notes)
		}
		closeAll(t, o)
	}
	own := []card{{vendor: intelVendor, pci: "0000:00:02.0"}}
	if len(given(own, false)) != 1 || len(given(own, true)) != 0 || len(given(append(own, card{vendor: amdVendor}), false)) != 1 {
		t.Error("a processor's own GPU is given out beside others, or not where it is the only one")
	}
}

func TestProbeOfIntel(t *testing.T) {
	sys, _, xe := plantIntel(t)
	put(t, filepath.Join(xe, "power/runtime_status"), []byte("suspended\n"))
	counts := func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		defer unix.Close(pair[1])
		for i := range calls {
			if _, err := unix.Write(pair[1], binary.NativeEndian.AppendUint64(nil, uint64(i)*1e6)); err != nil {
				return -1, err
			}
		}
		return pair[0], nil
	}
	var out strings.Builder
	if err := Probe(&out, Params{Sys: sys, Dev: t.TempDir(), Perf: counts}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Intel 0000:9a:00.0, /dev/dri/renderD128: the GPU is suspended", "Intel 0000:4d:00.0, /dev/dri/renderD129: PMU i915_0000_4d_00.0, type 23 on CPU 3; 3 engines",
		"ccs1", "new in 199 of 200 readings; count 199000000", "a reading of all of them takes", "energy1_input: 5000000 uJ, a reading takes", "energy was new in 0 of 200 readings"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// A field's value lies in its bits and in no others.
func FuzzConfig(f *testing.F) {
	for _, s := range [][2]string{{"config:60-63", "gt=1"}, {"config:0-20", "config=0x1000"}, {"config:5", "event=2"}, {"config1:0-3", "a=1"}, {"config:7-3", "=1"},
		{"config:0-63", "a=18446744073709551615"}, {"config:64", "a"}, {"", ""}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, format, term string) {
		name, v, err := parseTerm(term)
		if err == nil && (name == "" || !strings.Contains(term, "=")) || err != nil && (name != "" || v != 0) {
			t.Errorf("term %q: %q, %d, %v", term, name, v, err)
		}
		at, err := parseField(format)
		if err != nil {
			return
		}
		if !strings.HasPrefix(format, "config:") || at.lo < 0 || at.hi > 63 || at.lo > at.hi {
			t.Errorf("format %q: %+v", format, at)
		}
		if got, err := at.put(0, v); err == nil && (got>>at.lo != v || got&(1<<at.lo-1) != 0 || at.hi < 63 && got>>(at.hi+1) != 0) {
			t.Errorf("%q of %q: %#x", term, format, got)
		}
	})
}
