package perf

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/counter/kernel"
)

// corePMU is the counters of one kind of core.
type corePMU struct {
	name string
	kind uint32 // perf event type, 0 where sysfs does not say
	cpus []int  // nil = all
}

// machine is what has to be known before an event is opened. Whether an event
// counts is never taken from here: that is found by opening it.
type machine struct {
	cores    []corePMU
	vendor   string // vendor_id of x86, "ARM" for arm64, "" for others
	watchdog bool   // the NMI watchdog holds a counter of each CPU
}

func readMachine(r kernel.Roots) machine {
	m := machine{cores: readCores(r.Sys)}
	if b, err := os.ReadFile(filepath.Join(r.Proc, "cpuinfo")); err == nil {
		m.vendor = parseVendor(b)
	}
	b, err := os.ReadFile(filepath.Join(r.Proc, "sys/kernel/nmi_watchdog"))
	m.watchdog = err == nil && strings.TrimSpace(string(b)) == "1"
	return m
}

// hybrid tells whether there are several kinds of cores, each with its own PMU.
func (m machine) hybrid() bool { return len(m.cores) > 1 }

// core returns the PMU of a CPU, -1 if none claims it: an offline CPU is in no
// mask.
func (m machine) core(cpu int) int {
	if !m.hybrid() {
		return 0
	}
	return slices.IndexFunc(m.cores, func(p corePMU) bool { return slices.Contains(p.cpus, cpu) })
}

// pmuName is what the counters of the cores are called.
func (m machine) pmuName() string {
	var names []string
	for _, p := range m.cores {
		names = append(names, p.name)
	}
	return strings.Join(names, "+")
}

// readCores lists the PMUs of cores: those with a file "cpus" (uncore PMUs have
// "cpumask"). Plain x86 has one PMU without, called cpu.
func readCores(sys string) []corePMU {
	dir := filepath.Join(sys, "bus/event_source/devices")
	entries, _ := os.ReadDir(dir) // none: the generic events are tried all the same
	var cores []corePMU
	for _, e := range entries {
		cpus, err := kernel.ReadCPUs(filepath.Join(dir, e.Name(), "cpus"))
		if err != nil || len(cpus) == 0 {
			continue
		}
		kind, _ := readUint(filepath.Join(dir, e.Name(), "type"))
		cores = append(cores, corePMU{e.Name(), uint32(kind), cpus})
	}
	if len(cores) == 0 {
		cores = []corePMU{{name: "cpu"}}
	}
	slices.SortFunc(cores, func(a, b corePMU) int { return cmp.Compare(b.name, a.name) })
	slices.SortStableFunc(cores, func(a, b corePMU) int { return cmp.Compare(first(a.cpus), first(b.cpus)) })
	return cores
}

func first(cpus []int) int {
	if len(cpus) == 0 {
		return 0
	}
	return cpus[0]
}

// parseVendor reads the first CPU's paragraph of /proc/cpuinfo.
func parseVendor(text []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if !ok {
			break
		}
		switch strings.TrimSpace(name) {
		case "vendor_id":
			return strings.TrimSpace(value)
		case "CPU implementer":
			return arm
		}
	}
	return ""
}

const arm = "ARM"

// presentCPUs are the lanes: all CPUs that are there, online or not.
func presentCPUs(sys string) ([]int, error) {
	return kernel.ReadCPUs(filepath.Join(sys, "devices/system/cpu/present"))
}

// formatCPUs writes an ascending list of CPUs as the kernel does.
func formatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func readUint(path string) (uint64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read number: %w", err)
	}
	return strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
}
