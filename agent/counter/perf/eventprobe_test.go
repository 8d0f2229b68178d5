package perf

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

func intelFiles() map[string]string {
	return map[string]string{
		"proc/cpuinfo":                          "vendor_id\t: GenuineIntel\n",
		"proc/sys/kernel/perf_event_paranoid":   "2\n",
		"sys/bus/event_source/devices/cpu/type": "4\n",
		"sys/devices/system/cpu/present":        "0-1\n",
		"sys/devices/system/cpu/online":         "0-1\n",
	}
}

func with(files map[string]string, name, text string) map[string]string {
	files[name] = text
	return files
}

func absent(sources []run.CounterSource, name string) string {
	for _, s := range sources {
		if s.Name == name {
			return s.Absent
		}
	}
	return "not even a candidate"
}

func noHardware(a *unix.PerfEventAttr, err error) error {
	if a.Type == unix.PERF_TYPE_HARDWARE {
		return err
	}
	return nil
}

const softwareColumns = "context_switches page_faults major_faults cpu_migrations"

// The fallback chain, step by step: the available columns, and the reason for each missing one.
func TestFallbackChain(t *testing.T) {
	const config = unix.PERF_COUNT_HW_REF_CPU_CYCLES
	for _, c := range []struct {
		name       string
		files      map[string]string
		slots      int
		held       int
		refuse     func(a *unix.PerfEventAttr, cpu int) error
		columns    string
		lacks, why string
		notes      []note.Code
	}{
		{name: "Intel, all", columns: "instructions cycles ref_cycles llc_misses branch_misses " + softwareColumns,
			lacks: "syscalls", why: "tracefs is not mounted"},
		{name: "AMD", files: with(intelFiles(), "proc/cpuinfo", "vendor_id : AuthenticAMD\n"),
			refuse: func(a *unix.PerfEventAttr, cpu int) error {
				if a.Type == unix.PERF_TYPE_HARDWARE && a.Config == config {
					return unix.ENOENT
				}
				return nil
			},
			columns: "instructions cycles l2_misses branch_misses " + softwareColumns, lacks: "ref_cycles",
			why: "no such event"},
		{name: "unknown vendor", files: with(intelFiles(), "proc/cpuinfo", "vendor_id : Who\n"),
			columns: "instructions cycles ref_cycles branch_misses " + softwareColumns, lacks: anyCache, why: "not known"},
		{name: "no PMU", refuse: func(a *unix.PerfEventAttr, cpu int) error { return noHardware(a, unix.ENOENT) },
			columns: softwareColumns, lacks: "instructions", why: "no such event", notes: []note.Code{note.NoPMU}},
		{name: "PMU forbidden", refuse: func(a *unix.PerfEventAttr, cpu int) error { return noHardware(a, unix.EACCES) },
			columns: softwareColumns, lacks: "cycles",
			why:   "perf_event_paranoid is 2; set it to 0 or lower, or run as root or with CAP_PERFMON",
			notes: []note.Code{note.NoPMU}},
		{name: "four counters", slots: 4, columns: "instructions cycles ref_cycles llc_misses " + softwareColumns,
			lacks: "branch_misses", why: reasonTooFewCounters},
		{name: "two counters", slots: 2, columns: "instructions cycles " + softwareColumns, lacks: "ref_cycles",
			why: reasonTooFewCounters},
		{name: "one counter", slots: 1, columns: "instructions " + softwareColumns, lacks: "cycles",
			why:   reasonTooFewCounters,
			notes: []note.Code{note.NoPMU}},
		{name: "others hold two of six", slots: 6, held: 2, columns: "instructions cycles ref_cycles llc_misses " +
			softwareColumns,
			lacks: "branch_misses", why: reasonCountersInUse},
		{name: "others hold five of six", slots: 6, held: 5, columns: "instructions cycles " + softwareColumns,
			lacks: "ref_cycles", why: reasonCountersInUse},
		{name: "watchdog", files: with(intelFiles(), "proc/sys/kernel/nmi_watchdog", "1\n"), slots: 6, held: 1,
			columns: "instructions cycles ref_cycles llc_misses " + softwareColumns, lacks: "branch_misses",
			why: reasonWatchdog},
		{name: "watchdog and four counters", files: with(intelFiles(), "proc/sys/kernel/nmi_watchdog", "1\n"), slots: 4,
			held:    1,
			columns: "instructions cycles ref_cycles " + softwareColumns, lacks: "llc_misses",
			why: "the NMI watchdog one of them"},
		{name: "tracepoints", files: with(intelFiles(), "sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "443\n"),
			columns: "instructions cycles ref_cycles llc_misses branch_misses " + softwareColumns + " syscalls",
			lacks:   "block_requests", why: "no such tracepoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.files == nil {
				c.files = intelFiles()
			}
			k := newFakeKernel(t, c.files)
			if k.slots, k.held = c.slots, c.held; c.refuse != nil {
				k.refuse = c.refuse
			}
			counters := k.counters(nil)
			if got := names(counters); got != c.columns {
				t.Errorf("columns %s\nwant    %s", got, c.columns)
			}
			if why := absent(counters.Sources(), c.lacks); !strings.Contains(why, c.why) {
				t.Errorf("%s is absent: %q, want %q", c.lacks, why, c.why)
			}
			var codes []note.Code
			for _, n := range counters.Notes() {
				codes = append(codes, n.Code)
			}
			if len(codes) != len(c.notes) || len(codes) > 0 && codes[0] != c.notes[0] {
				t.Errorf("notes %v, want %v", counters.Notes(), c.notes)
			}
		})
	}
}

// A group that shares the PMU half of the time and cannot be made smaller is kept; Ran reports its share.
func TestInstructionsAndCyclesAreKeptForAShare(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	k.slots, k.held = 6, 5
	if l, err := probeEvents(k.calls(), k.roots, []int{0, 1}, 5e6); err != nil || len(l.events()) != 6 {
		t.Errorf("%d events, %v", len(l.events()), err)
	}
}

// A group that never gets the PMU does not run, and neither does its timer, so it is not kept.
func TestNothingIsKeptThatNeverRuns(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	k.slots, k.held, k.pinned = 6, 6, true
	c := k.counters(nil)
	if got := names(c); got != softwareColumns {
		t.Errorf("columns %s", got)
	}
	if why := absent(c.Sources(), "cycles"); why != reasonCountersInUse {
		t.Errorf("cycles are absent: %q", why)
	}
}

// A clock that does not advance while its CPU is read is not used.
func TestAnEventThatCountsNothingIsAbsent(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	k.perMS = func(a *unix.PerfEventAttr, cpu int) float64 {
		if a.Type == unix.PERF_TYPE_HARDWARE && a.Config == unix.PERF_COUNT_HW_CPU_CYCLES {
			return 0
		}
		return 1000
	}
	c := k.counters(nil)
	if why := absent(c.Sources(), "cycles"); why != reasonCountsNothing {
		t.Errorf("cycles are absent: %q", why)
	}
	if n := c.Notes(); len(n) != 1 || n[0].Code != note.NoPMU || !strings.Contains(n[0].Text, reasonCountsNothing) {
		t.Errorf("notes %v", n)
	}
}

// On a hybrid machine each kind of core has its own type in the upper half of config. Events that only one kind
// supports are not counted.
func TestHybrid(t *testing.T) {
	k := newFakeKernel(t, hybridFiles())
	kinds := map[int]uint64{}
	k.refuse = func(a *unix.PerfEventAttr, cpu int) error {
		if a.Type != unix.PERF_TYPE_HARDWARE {
			return nil
		}
		kind := uint64(4)
		if cpu >= 4 {
			kind = 10
		}
		if a.Config>>32 != kind || cpu >= 4 && a.Config&0xff == unix.PERF_COUNT_HW_REF_CPU_CYCLES {
			return unix.ENOENT
		}
		kinds[cpu] = a.Config >> 32
		return nil
	}
	c := k.counters(nil)
	if got := names(c); got != "instructions cycles llc_misses branch_misses "+softwareColumns+" syscalls" {
		t.Errorf("columns %s", got)
	}
	if len(kinds) != 6 || c.Lanes() != 6 {
		t.Errorf("CPUs %v on %d lanes", kinds, c.Lanes())
	}
	if s := c.Sources()[0]; s.PMU != "cpu_core+cpu_atom" ||
		s.Config != "type 0 config 0x400000001 + type 0 config 0xa00000001" {
		t.Errorf("%+v", s)
	}
	if n := c.Notes(); len(n) != 1 || n[0].Code != note.HybridCPUs ||
		!strings.Contains(n[0].Text, "cpu_atom on CPUs 4-5") {
		t.Errorf("notes %v", n)
	}
}

func TestSourcesNameTheirEvents(t *testing.T) {
	k := newFakeKernel(t, with(intelFiles(), "sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "443\n"))
	want := map[string][3]string{
		"instructions":  {"instructions", "cpu", "type 0 config 0x1"},
		"llc_misses":    {"cache-misses", "cpu", "type 0 config 0x3"},
		"page_faults":   {"page-faults", "software", "type 1 config 0x2"},
		"syscalls":      {"raw_syscalls:sys_enter", "tracepoint", "type 2 config 0x1bb"},
		"net_received":  {"net:netif_receive_skb", "tracepoint", ""},
		"branch_misses": {"branch-misses", "cpu", "type 0 config 0x5"},
	}
	for _, s := range k.counters(nil).Sources() {
		if w, ok := want[s.Name]; ok && (w != [3]string{s.Event, s.PMU, s.Config} || s.Scope != "node") {
			t.Errorf("%+v, want %v", s, w)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("nothing said of %v", want)
	}
}

func TestMissingPermissionIsReported(t *testing.T) {
	for _, err := range []error{unix.EACCES, unix.EPERM, unix.ENOSYS} {
		k := newFakeKernel(t, intelFiles())
		k.refuse = func(*unix.PerfEventAttr, int) error { return err }
		_, got := newCounters(k.calls(), k.roots, nil, 5e6)
		if !IsForbidden(got) || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
		sources := Probe(k.open, k.roots, nil)
		if len(sources) != 13 {
			t.Errorf("%v: %d sources", err, len(sources))
		}
		for _, s := range sources {
			if s.Absent == "" {
				t.Errorf("%v: %s is there", err, s.Name)
			}
		}
	}
}

// The message on a missing permission names what helps.
func TestReason(t *testing.T) {
	level := func(n string) kernel.Roots {
		return tree(t, map[string]string{"proc/sys/kernel/perf_event_paranoid": n + "\n"})
	}
	for _, c := range []struct {
		roots kernel.Roots
		err   error
		want  string
	}{
		{level("3"), unix.EACCES, "kernel.perf_event_paranoid is 3; set it to 0 or lower, or run as root or with " +
			"CAP_SYS_ADMIN"},
		{level("1"), unix.EPERM, "kernel.perf_event_paranoid is 1; set it to 0 or lower"},
		{level("-1"), unix.EPERM, "blocked, perhaps by a container"},
		{level("0"), unix.ENOSYS, "no perf events"},
		{tree(t, nil), unix.EACCES, "no perf events"},
		{level("0"), unix.ENOENT, "no such event"},
		{level("0"), unix.EOPNOTSUPP, "no such event"},
		{level("0"), unix.EINVAL, "refuses it in a group"},
		{level("0"), errTraceID, "only root may read"},
		{level("0"), unix.EMFILE, "too many open files"},
	} {
		if got := absentReason(c.roots, c.err); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// On any machine, the probe counts each candidate or gives a reason, and opens no more events than the PMU has.
func TestProbeThisMachine(t *testing.T) {
	for _, s := range Probe(Open, host(), nil) {
		t.Logf("%-18s %-24s %-12s %-22s %s", s.Name, s.Event, s.PMU, s.Config, s.Absent)
		if s.Absent == "" && s.Config == "" {
			t.Errorf("%s: not said how it is counted", s.Name)
		}
	}
}
