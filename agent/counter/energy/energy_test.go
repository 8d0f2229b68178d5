package energy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
)

// plant writes files below a new root; a path that ends in a slash is a directory.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		put(t, filepath.Join(root, name), content)
	}
	return root
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func clock() func() int64 {
	now := int64(0)
	return func() int64 { now += 1e4; return now }
}

// power is the sysfs tree of an Intel server with two packages; psys and cores
// are there to be left alone.
func power() map[string]string {
	const at = "bus/event_source/devices/power/"
	files := map[string]string{at + "type": "9\n", at + "cpumask": "0,16\n"}
	for name, config := range map[string]string{"energy-cores": "0x01", "energy-pkg": "0x02", "energy-ram": "0x03",
		"energy-psys": "0x05"} {
		files[at+"events/"+name] = "event=" + config + "\n"
		files[at+"events/"+name+".unit"] = "Joules\n"
		files[at+"events/"+name+".scale"] = "2.3283064365386962890625e-10\n"
	}
	return files
}

// pmu is an injected perf_event_open whose events give readings in a row.
type pmu struct {
	t      *testing.T
	fail   map[uint64]error // by config
	counts func(config uint64, cpu, reading int) uint64
	opened []string
	ends   []int
}

func (p *pmu) open(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
	p.opened = append(p.opened, fmt.Sprintf("type %d config %d pid %d cpu %d group %d bits %d", a.Type, a.Config, pid, cpu,
		group, a.Bits))
	if err := p.fail[a.Config]; err != nil {
		return -1, err
	}
	// Each message is what one read(2) gives.
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { unix.Close(pair[1]) })
	for i := range 4 {
		var b [8]byte
		binary.NativeEndian.PutUint64(b[:], p.counts(a.Config, cpu, i))
		if _, err := unix.Write(pair[1], b[:]); err != nil {
			p.t.Fatal(err)
		}
	}
	p.ends = append(p.ends, pair[0])
	return pair[0], nil
}

func never(*unix.PerfEventAttr, int, int, int, int) (int, error) { return -1, unix.EACCES }

// totals drains a source and returns the last reading by column.
func totals(t *testing.T, p *polled.Source, readings int) map[string]uint64 {
	t.Helper()
	var to countertest.Sink
	p.Start()
	drain(t, p, &to, func() bool { return len(to.Readings) == readings })
	r, _ := to.Last(0)
	got := map[string]uint64{}
	for i, c := range p.Columns() {
		got[c.Name] = r.Counts[i]
		if c.Unit != "uJ" || c.Scope != "node" || c.Gauge || c.Hz != 20 {
			t.Errorf("%+v", c)
		}
	}
	return got
}

// drain drains until it is enough: a drain does not wait for a device's firmware.
func drain(t *testing.T, p *polled.Source, to *countertest.Sink, enough func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !enough(); {
		if err := p.Drain(to); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(end) {
			t.Fatalf("not enough: %+v", to.Readings)
		}
	}
}

func TestPowerPMU(t *testing.T) {
	// A joule is 2^32 counts. Each reading, package 0 takes 1 J and package 16
	// 2 J, their memory a tenth and a fifth.
	joule := uint64(1) << 32
	p := &pmu{t: t, counts: func(config uint64, cpu, reading int) uint64 {
		take := joule * uint64(1+cpu/16) * uint64(reading)
		if config == 3 {
			take /= 10
		}
		return take
	}}
	have, lack := Open(p.open, plant(t, power()))(clock())
	if len(have) != 1 || len(lack) != 0 {
		t.Fatalf("%d sources, lacking %v", len(have), lack)
	}
	want := []string{
		"type 9 config 2 pid -1 cpu 0 group -1 bits 0", "type 9 config 2 pid -1 cpu 16 group -1 bits 0",
		"type 9 config 3 pid -1 cpu 0 group -1 bits 0", "type 9 config 3 pid -1 cpu 16 group -1 bits 0",
	}
	if !slices.Equal(p.opened, want) {
		t.Errorf("opened %q", p.opened)
	}
	if s := have[0].Sources(); s[0].PMU != "power" || !strings.Contains(s[0].Config, "type 9") ||
		!strings.Contains(s[0].Event, "energy-pkg config 0x2") {
		t.Errorf("%+v", s)
	}
	// The probe took the first of the four readings.
	got := totals(t, have[0], 3)
	if got["energy_pkg"] != 2*3_000_000 || got["energy_dram"] < 599_998 || got["energy_dram"] > 600_002 {
		t.Errorf("%v", got)
	}
	if err := have[0].Close(); err != nil {
		t.Error(err)
	}
	for _, fd := range p.ends {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
			t.Errorf("descriptor %d is open: %v", fd, err)
		}
	}
}

func TestPowerPMUThatLacks(t *testing.T) {
	still := func(uint64, int, int) uint64 { return 0 }
	for name, c := range map[string]struct {
		change  map[string]string // below the power PMU
		fail    map[uint64]error
		columns string
		absent  string // of what is lacking
	}{
		"memory, as on AMD": {nil, map[uint64]error{3: unix.ENOENT}, "energy_pkg", "no such domain"},
		"memory, old AMD":   {nil, map[uint64]error{3: unix.EINVAL}, "energy_pkg", "no such domain"},
		"permission":        {nil, map[uint64]error{2: unix.EACCES, 3: unix.EACCES}, "", "permission denied"},
		"joules":            {map[string]string{"events/energy-ram.unit": "kWh\n"}, nil, "energy_pkg", "no such domain"},
		"a sane scale": {map[string]string{"events/energy-ram.scale": "nan\n", "events/energy-pkg.scale": "-1\n"}, nil,
			"", "no readable energy counter"},
		"a mask": {map[string]string{"cpumask": "\n"}, nil, "", "cpumask"},
		"a type": {map[string]string{"type": "nine\n"}, nil, "", "type"},
	} {
		t.Run(name, func(t *testing.T) {
			root := plant(t, power())
			for file, content := range c.change {
				put(t, filepath.Join(root, "bus/event_source/devices/power", file), content)
			}
			p := &pmu{t: t, fail: c.fail, counts: still}
			have, lack := Open(p.open, root)(clock())
			columns := ""
			for _, h := range have {
				for _, col := range h.Columns() {
					columns += col.Name
				}
				h.Close()
			}
			if columns != c.columns || len(lack) == 0 || !strings.Contains(lack[0].Absent, c.absent) {
				t.Errorf("columns %q, lacking %+v", columns, lack)
			}
			for _, fd := range p.ends {
				if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
					t.Errorf("descriptor %d is open", fd)
				}
			}
		})
	}
}

// powercap is two packages with memory, one of them twice, and zones that are
// parts or the whole of them.
func powercap() map[string]string {
	files := map[string]string{}
	for zone, name := range map[string]string{"intel-rapl:0": "package-0", "intel-rapl:0:0": "core",
		"intel-rapl:0:1": "dram",
		"intel-rapl:1":   "package-1", "intel-rapl:1:0": "dram", "intel-rapl:2": "psys", "intel-rapl-mmio:0": "package-0"} {
		at := "class/powercap/" + zone + "/"
		files[at+"name"], files[at+"energy_uj"], files[at+"max_energy_range_uj"] = name+"\n", "1000\n", "262143328850\n"
	}
	return files
}

func TestPowercap(t *testing.T) {
	root := plant(t, powercap())
	have, lack := Open(never, root)(clock())
	if len(have) != 1 || len(lack) != 0 {
		t.Fatalf("%d sources, lacking %v", len(have), lack)
	}
	defer have[0].Close()
	set := func(zone string, uj uint64) {
		put(t, filepath.Join(root, "class/powercap", zone, "energy_uj"), fmt.Sprintln(uj))
	}
	var to countertest.Sink
	for _, step := range []struct {
		zone string
		uj   uint64
		want []uint64
	}{
		{"intel-rapl:0", 2000, []uint64{0, 0}}, // the beginning
		{"intel-rapl:0", 3000, []uint64{1000, 0}},
		{"intel-rapl:1", 1500, []uint64{1500, 0}},
		{"intel-rapl:0:1", 1007, []uint64{1500, 7}},
		{"intel-rapl:1:0", 1001, []uint64{1500, 8}},
		{"intel-rapl:0:0", 9999, []uint64{1500, 8}}, // cores are in their package
		{"intel-rapl:2", 9999, []uint64{1500, 8}},
		{"intel-rapl-mmio:0", 9999, []uint64{1500, 8}},
		{"intel-rapl:0", 262143328000, []uint64{1500, 8}}, // 262 kJ at once: it restarted
		{"intel-rapl:0", 150, []uint64{2500, 8}},          // 850 to the end and 150 on
	} {
		set(step.zone, step.uj)
		if err := have[0].Drain(&to); err != nil {
			t.Fatal(err)
		}
		if r, _ := to.Last(0); !slices.Equal(r.Counts, step.want) {
			t.Errorf("%s = %d: %v, want %v", step.zone, step.uj, r.Counts, step.want)
		}
	}
}

func TestPowercapThatCannotBeRead(t *testing.T) {
	root := plant(t, powercap())
	os.Remove(filepath.Join(root, "class/powercap/intel-rapl:1/energy_uj"))
	have, lack := Open(never, root)(clock())
	if len(have) != 0 || len(lack) != 2 || !strings.Contains(lack[0].Absent, "intel-rapl:1/energy_uj") {
		t.Errorf("%d sources, lacking %+v", len(have), lack)
	}
	if os.Getuid() == 0 {
		return // root may read any file of a fake tree
	}
	root = plant(t, powercap())
	os.Chmod(filepath.Join(root, "class/powercap/intel-rapl:0/energy_uj"), 0)
	if _, lack := Open(never, root)(clock()); len(lack) != 2 || !strings.Contains(lack[0].Absent, "for root only") {
		t.Errorf("lacking %+v", lack)
	}
}

// What this machine has, it gives; what it has not, it names.
func TestHere(t *testing.T) {
	have, lack := Open(perf.Open, "/sys")(clock())
	for _, p := range have {
		t.Log(totals(t, p, 2))
		p.Close()
	}
	for _, s := range lack {
		t.Log(s)
		if s.Absent == "" {
			t.Errorf("no reason: %+v", s)
		}
	}
	if len(have) == 0 && len(lack) != 2 {
		t.Errorf("lacking %+v", lack)
	}
}

func TestUnwrap(t *testing.T) {
	const second = 1e9
	for name, c := range map[string]struct {
		limit    uint64
		readings []uint64 // one a second
		want     uint64
	}{
		"grows":            {1e9, []uint64{5, 7, 9}, 4},
		"wraps":            {1e9, []uint64{1e9 - 10, 5}, 15},
		"wraps at once":    {1e9, []uint64{1e9, 0}, 0},
		"begins anew":      {1 << 62, []uint64{1 << 40, 5, 9}, 4},
		"never wraps":      {0, []uint64{1e6, 5, 9}, 4},
		"jumps":            {1e15, []uint64{0, 1e14, 1e14 + 5}, 5},
		"300 W, 20 min on": {262143328850, []uint64{262143000000, 299671150}, 300_000_000},
	} {
		u := unwrapper{limit: c.limit}
		var got uint64
		for i, v := range c.readings {
			got = u.add(v, int64(i)*second)
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func FuzzEvent(f *testing.F) {
	for _, s := range []string{"event=0x02", "event=2,umask=1", "event=", "", "event=99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := parseEvent(s); err == nil && !strings.HasPrefix(s, "event=") || err != nil && v != 0 {
			t.Errorf("%q: %d, %v", s, v, err)
		}
	})
}

func FuzzUnwrap(f *testing.F) {
	f.Add(uint64(10), uint64(9), uint64(1), uint64(3), int64(1e9))
	f.Add(uint64(0), uint64(9), uint64(1), uint64(3), int64(-5))
	f.Fuzz(func(t *testing.T, limit, a, b, c uint64, step int64) {
		u := unwrapper{limit: limit}
		was, now := uint64(0), int64(0)
		for _, v := range []uint64{a, b, c, a} {
			got := u.add(v, now)
			if got < was {
				t.Fatalf("%d after %d", got, was)
			}
			was, now = got, now+step%1e12
		}
	})
}
