package perf

import (
	"path/filepath"
	"reflect"
	"testing"
)

// hybridFiles is a machine with four fast and two slow cores, CPU 5 offline.
func hybridFiles() map[string]string {
	return map[string]string{
		"proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: x\n\nprocessor\t: 1\n",
		"sys/bus/event_source/devices/cpu_atom/cpus":          "4-5\n",
		"sys/bus/event_source/devices/cpu_atom/type":          "10\n",
		"sys/bus/event_source/devices/cpu_core/cpus":          "0-3\n",
		"sys/bus/event_source/devices/cpu_core/type":          "4\n",
		"sys/bus/event_source/devices/uncore_imc_0/cpumask":   "0\n",
		"sys/bus/event_source/devices/uncore_imc_0/type":      "20\n",
		"sys/bus/event_source/devices/software/type":          "1\n",
		"sys/bus/event_source/devices/cstate_core/cpumask":    "0-5\n",
		"sys/bus/event_source/devices/broken_pmu/cpus":        "x-y\n",
		"sys/bus/event_source/devices/nowhere_yet/cpus":       "\n",
		"sys/devices/system/cpu/present":                      "0-5\n",
		"sys/devices/system/cpu/online":                       "0-5\n",
		"sys/kernel/tracing/events/raw_syscalls/sys_enter/id": "443\n",
	}
}

func TestReadMachine(t *testing.T) {
	cpu := []corePMU{{name: "cpu"}}
	for name, c := range map[string]struct {
		files map[string]string
		want  machine
	}{
		"empty": {nil, machine{cores: cpu}},
		"AMD with watchdog": {map[string]string{
			"proc/cpuinfo":                               "processor\t: 0\nvendor_id\t: AuthenticAMD\n",
			"proc/sys/kernel/nmi_watchdog":               "1\n",
			"sys/bus/event_source/devices/cpu/type":      "4\n",
			"sys/bus/event_source/devices/amd_l3/type":   "11\n",
			"sys/bus/event_source/devices/ibs_op/type":   "9\n",
			"sys/bus/event_source/devices/power/cpumask": "0\n",
		}, machine{cores: cpu, vendor: "AuthenticAMD", watchdog: true}},
		"arm64": {map[string]string{
			"proc/cpuinfo":                                    "processor\t: 0\nBogoMIPS\t: 125.00\nCPU implementer\t: 0x41\n",
			"proc/sys/kernel/nmi_watchdog":                    "0\n",
			"sys/bus/event_source/devices/armv8_pmuv3_0/cpus": "0-3\n",
			"sys/bus/event_source/devices/armv8_pmuv3_0/type": "8\n",
		}, machine{cores: []corePMU{{"armv8_pmuv3_0", 8, []int{0, 1, 2, 3}}}, vendor: armVendor}},
		"hybrid": {hybridFiles(), machine{vendor: "GenuineIntel",
			cores: []corePMU{{"cpu_core", 4, []int{0, 1, 2, 3}}, {"cpu_atom", 10, []int{4, 5}}}}},
	} {
		if got := readMachine(tree(t, c.files)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestCoreOfACPU(t *testing.T) {
	m := readMachine(tree(t, hybridFiles()))
	for cpu, want := range map[int]int{0: 0, 3: 0, 4: 1, 5: 1, 6: -1} {
		if got := m.coreOf(cpu); got != want {
			t.Errorf("CPU %d has PMU %d, want %d", cpu, got, want)
		}
	}
	one := machine{cores: []corePMU{{"armv8_pmuv3_0", 8, []int{0}}}}
	if one.coreOf(7) != 0 {
		t.Error("with one kind of cores it is every CPU's")
	}
}

func TestCacheIsNamedByVendor(t *testing.T) {
	for vendor, want := range map[string]string{
		"GenuineIntel": "llc_misses", "AuthenticAMD": "l2_misses", "HygonGenuine": "l2_misses", armVendor: "l1d_refills",
		"": anyCache, "CentaurHauls": anyCache,
	} {
		if got := cacheName(vendor); got != want {
			t.Errorf("%q: %s, want %s", vendor, got, want)
		}
	}
}

func TestFormatCPUs(t *testing.T) {
	for want, cpus := range map[string][]int{"": nil, "3": {3}, "0-1": {0, 1}, "0,2-4,9": {0, 2, 3, 4, 9}} {
		if got := formatCPUs(cpus); got != want {
			t.Errorf("%v: %q, want %q", cpus, got, want)
		}
	}
}

func TestTracepointID(t *testing.T) {
	tp := tracepoint{"block_requests", "requests", "block", "block_rq_issue"}
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
		err   error
	}{
		"tracefs":       {map[string]string{"sys/kernel/tracing/events/block/block_rq_issue/id": "2104\n"}, 2104, nil},
		"debugfs":       {map[string]string{"sys/kernel/debug/tracing/events/block/block_rq_issue/id": "7\n"}, 7, nil},
		"not mounted":   {map[string]string{"sys/kernel/mm/x": ""}, 0, errNoTraceFS},
		"no such event": {map[string]string{"sys/kernel/tracing/events/net/net_dev_queue/id": "1\n"}, 0, errNoTracepoint},
		"not a number":  {map[string]string{"sys/kernel/tracing/events/block/block_rq_issue/id": "x\n"}, 0, errNoTracepoint},
		"negative": {map[string]string{"sys/kernel/tracing/events/block/block_rq_issue/id": "-1\n"}, 0,
			errNoTracepoint},
		"empty id":       {map[string]string{"sys/kernel/tracing/events/block/block_rq_issue/id": ""}, 0, errNoTracepoint},
		"events is file": {map[string]string{"sys/kernel/tracing/events": ""}, 0, errNoTracepoint},
	} {
		if got, err := tp.id(tree(t, c.files).Sys); got != c.want || err != c.err {
			t.Errorf("%s: %d, %v; want %d, %v", name, got, err, c.want, c.err)
		}
	}
}

func FuzzParseVendor(f *testing.F) {
	f.Add([]byte("processor\t: 0\nvendor_id\t: GenuineIntel\n"))
	f.Add([]byte("CPU implementer : 0x41"))
	f.Add([]byte("\n:\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if v := parseVendor(text); len(v) > len(text)+len(armVendor) {
			t.Errorf("%q", v)
		}
	})
}

// A list of CPUs that was written is read back unchanged, by the kernel's rules.
func TestPresentCPUs(t *testing.T) {
	r := tree(t, map[string]string{"sys/devices/system/cpu/present": "0-2,5\n"})
	cpus, err := presentCPUs(r.Sys)
	if err != nil || formatCPUs(cpus) != "0-2,5" {
		t.Errorf("%v, %v", cpus, err)
	}
	if _, err := presentCPUs(filepath.Join(r.Sys, "none")); err == nil {
		t.Error("no error without a file")
	}
}
