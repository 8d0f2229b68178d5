package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// files makes a tree of small files.
func files(t testing.TB, text map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, content := range text {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// twoCPUs is a machine of two AMD CPUs with memory and nothing else.
func twoCPUs(t testing.TB, open perf.Opener) host {
	proc := files(t, map[string]string{
		"self/mountinfo":                        "36 25 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"cpuinfo":                               "vendor_id\t: AuthenticAMD\nmodel name\t: CPU\n",
		"meminfo":                               "MemTotal: 100 kB\nMemAvailable: 60 kB\n",
		"stat":                                  "cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n",
		"sys/kernel/perf_event_paranoid":        "2\n",
		"sys/kernel/nmi_watchdog":               "0\n",
		"sys/kernel/perf_event_mlock_kb":        "516\n",
		"sys/kernel/perf_event_max_sample_rate": "100000\n",
	})
	sys := files(t, map[string]string{
		"devices/system/cpu/online":    "0-1\n",
		"devices/system/cpu/present":   "0-1\n",
		"fs/cgroup/cgroup.controllers": "memory\n",
	})
	return host{proc: proc, sys: sys, open: open}
}

// Every step down the ladder is taken and noted.
func TestFallbackChain(t *testing.T) {
	// of the job's processes, always
	const procs = "proc_cpu proc_wait proc_storage_wait proc_read_bytes proc_write_bytes proc_mem proc_mem_peak " +
		"others_cpu stolen_cpu"
	const kernelBit = unix.PerfBitExcludeKernel
	whole := func(pid int) error {
		if pid == -1 {
			return unix.EACCES
		}
		return nil
	}
	const (
		node  = "context_switches page_faults major_faults cpu_migrations"
		own   = "task_clock context_switches page_faults cpu_migrations instructions cycles"
		group = "cgroup_*"
	)
	everything := func(*unix.PerfEventAttr, int) error { return nil }
	nothing := func(*unix.PerfEventAttr, int) error { return unix.EACCES }
	for _, c := range []struct {
		name      string
		root      int
		exclusive bool
		refuse    func(a *unix.PerfEventAttr, pid int) error
		scope     string
		columns   string
		notes     string
	}{
		{"everything", 0, true, everything, "job",
			"instructions cycles ref_cycles l2_misses branch_misses " + node + " mem_used " + group + " " + procs, ""},
		{"no PMU", 0, true, func(a *unix.PerfEventAttr, pid int) error {
			if a.Type == unix.PERF_TYPE_HARDWARE {
				return unix.ENOENT
			}
			return nil
		}, "job", node + " mem_used " + group + " " + procs, "no_pmu"},
		{"shared node", 0, false, everything, "job", own + " " + group + " " + procs, "node_scope_withheld"},
		{"old kernel", 0, false, func(a *unix.PerfEventAttr, pid int) error {
			if a.Bits&(1<<34) != 0 {
				return unix.EINVAL
			}
			return nil
		}, "job", own + " " + group + " " + procs, "node_scope_withheld"},
		{"a command of root", 1, false, everything, "job", own + " " + group + " " + procs, "node_scope_withheld"},
		{"own tasks", 1, false, func(a *unix.PerfEventAttr, pid int) error {
			return whole(pid)
		}, "task", own + " " + group + " " + procs, "node_scope_withheld"},
		{"own tasks, user only", 1, false, func(a *unix.PerfEventAttr, pid int) error {
			if a.Bits&kernelBit == 0 {
				return unix.EACCES
			}
			return whole(pid)
		}, "task", "task_clock page_faults instructions cycles " + group + " " + procs,
			"node_scope_withheld user_only user_only"},
		{"own tasks under Slurm", 0, true, func(a *unix.PerfEventAttr, pid int) error { return whole(pid) },
			"proc", "mem_used node_cpu " + group + " " + procs, "no_perf proc_only"},
		{"nothing", 1, false, nothing, "proc", group + " " + procs, "node_scope_withheld no_perf proc_only"},
		{"seccomp", 1, false, func(*unix.PerfEventAttr, int) error {
			return unix.EPERM
		}, "proc", group + " " + procs, "node_scope_withheld no_perf proc_only"},
		{"no addresses", 0, true, func(a *unix.PerfEventAttr, pid int) error {
			if a.Sample_type&unix.PERF_SAMPLE_IP != 0 {
				return unix.EINVAL
			}
			return nil
		}, "proc", "instructions cycles ref_cycles l2_misses branch_misses " + node + " mem_used " + group + " " + procs,
			"no_addresses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := twoCPUs(t, kernelThat(t, c.refuse))
			r := job.Run{Key: run.Key{JobID: 7}, RootPID: c.root, Exclusive: c.exclusive}
			in, err := openInputs(h, r, configs.Default().Agent, prices{interruptNS: 3e3})
			if err != nil {
				t.Fatal(err)
			}
			defer in.close()
			head := in.header(r)
			var columns, notes []string
			for _, col := range head.Columns {
				name := col.Name
				if strings.HasPrefix(name, "cgroup_") {
					name = group // of which there are, is package kernel's
				}
				if !strings.HasPrefix(name, "psi_") && !slices.Contains(columns, name) {
					columns = append(columns, name)
				}
			}
			for _, n := range head.Notes {
				notes = append(notes, string(n.Code))
				if strings.Contains(n.Text, "\n") {
					t.Errorf("note of several lines: %q", n.Text)
				}
			}
			if head.Scope != c.scope || strings.Join(columns, " ") != c.columns || strings.Join(notes, " ") != c.notes {
				t.Errorf("scope %q, columns %q, notes %q", head.Scope, columns, notes)
			}
			if (head.AddressHz > 0) != (c.scope != "proc") {
				t.Errorf("%v Hz of addresses in scope %q", head.AddressHz, c.scope)
			}
			for _, s := range head.Sources {
				if s.Name == "" || strings.Contains(s.Absent, "\n") {
					t.Errorf("source %+v", s)
				}
			}
		})
	}
}

// Where there is nothing to lower, nothing is said to be.
func TestNothingSampledIsNotLowered(t *testing.T) {
	h := twoCPUs(t, kernelThat(t, func(*unix.PerfEventAttr, int) error { return unix.EACCES }))
	settings := configs.Default().Agent
	settings.BudgetPct = 0.2
	r := job.Run{Key: run.Key{JobID: 7}, Exclusive: true, AddressHz: 1000}
	in, err := openInputs(h, r, settings, prices{interruptNS: 7e3})
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	head := in.header(r)
	if in.slowGridNote == "" || in.fewerAddressesNote == "" {
		t.Fatalf("there was room: grid %q, addresses %q", in.slowGridNote, in.fewerAddressesNote)
	}
	if has(head.Notes, note.BudgetLowered) || !has(head.Notes, note.NoPerf) {
		t.Errorf("notes %v", head.Notes)
	}
	absent := map[string]string{}
	for _, s := range head.Sources {
		absent[s.Name] = s.Absent
	}
	if absent["instructions"] == "" || absent["context_switches"] == "" {
		t.Errorf("it is not said why counters are missing: %v", absent)
	}
}

// A budget with no room for addresses has none, and says so; a wish that has no
// room is cut to the budget.
func TestBudgetLimitsWishes(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit float64
		wish  int
		hz    float64
		code  note.Code
	}{
		{"usual", 2, 0, 1000, ""},
		{"a wish with room", 2, 400, 400, ""},
		{"a wish without", 2, 10_000, 1000, note.BudgetLowered},
		{"no room", 0.1, 0, 0, note.BudgetLowered},
	} {
		h := twoCPUs(t, kernelThat(t, func(*unix.PerfEventAttr, int) error { return nil }))
		settings := configs.Default().Agent
		settings.BudgetPct = c.limit
		in, err := openInputs(h, job.Run{Key: run.Key{JobID: 7}, AddressHz: c.wish}, settings, prices{interruptNS: 12e3})
		if err != nil {
			t.Fatal(err)
		}
		head := in.header(job.Run{})
		if head.AddressHz != c.hz || head.BudgetPct != c.limit || head.InterruptNS != 12e3 {
			t.Errorf("%s: %g Hz, header %+v", c.name, head.AddressHz, head)
		}
		if c.code != "" && !has(head.Notes, c.code) || c.code == "" && has(head.Notes, note.BudgetLowered) {
			t.Errorf("%s: notes %v", c.name, head.Notes)
		}
		if err := in.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPlaceIsCached(t *testing.T) {
	now, asked, there := int64(5), 0, false
	dir := cachedDir(func(c string) (string, bool) { asked++; return "/" + c, there }, func() int64 { return now })
	check := func(want bool, times int) {
		t.Helper()
		if d, ok := dir("io"); ok != want || d != "/io" || asked != times {
			t.Errorf("%q, %v after %d times, want %v after %d", d, ok, asked, want, times)
		}
	}
	check(false, 1)
	there = true
	check(false, 1)
	now += dirCacheNS
	check(true, 2)
	if d, ok := dir("cpuacct"); d != "/cpuacct" || !ok {
		t.Errorf("%q, %v of another controller", d, ok)
	}
}
