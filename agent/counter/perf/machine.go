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

// corePMU is the PMU of one kind of core.
type corePMU struct {
	name string
	kind uint32 // perf event type, 0 if unknown
	cpus []int  // nil = all
}

// machine describes the CPUs, as needed before events are opened. Whether an event can be counted is found only
// by opening it.
type machine struct {
	cores    []corePMU
	vendor   string // vendor_id of x86, "ARM" for arm64, "" for others
	watchdog bool   // the NMI watchdog holds a counter of each CPU
}

// readMachine reads the description of the CPUs from /proc and /sys.
func readMachine(r kernel.Roots) machine {
	m := machine{cores: readCores(r.Sys)}
	if b, err := os.ReadFile(filepath.Join(r.Proc, "cpuinfo")); err == nil {
		m.vendor = parseVendor(b)
	}
	b, err := os.ReadFile(filepath.Join(r.Proc, "sys/kernel/nmi_watchdog"))
	m.watchdog = err == nil && strings.TrimSpace(string(b)) == "1"
	return m
}

// hybrid reports whether there are several kinds of cores, each with its own PMU.
func (m machine) hybrid() bool { return len(m.cores) > 1 }

// coreOf returns the index of a CPU's PMU, -1 if the CPU is in no PMU's mask, as offline CPUs are.
func (m machine) coreOf(cpu int) int {
	if !m.hybrid() {
		return 0
	}
	return slices.IndexFunc(m.cores, func(p corePMU) bool { return slices.Contains(p.cpus, cpu) })
}

// pmuName returns the names of the core PMUs, joined by "+".
func (m machine) pmuName() string {
	var names []string
	for _, p := range m.cores {
		names = append(names, p.name)
	}
	return strings.Join(names, "+")
}

// readCores returns the PMUs of cores: those with a file "cpus" (uncore PMUs have "cpumask"). Machines without
// one, such as plain x86, have one PMU named cpu.
func readCores(sys string) []corePMU {
	dir := filepath.Join(sys, "bus/event_source/devices")
	entries, _ := os.ReadDir(dir) // without entries the generic events are still tried
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
	slices.SortStableFunc(cores, func(a, b corePMU) int { return cmp.Compare(firstCPU(a.cpus), firstCPU(b.cpus)) })
	return cores
}

// firstCPU returns the first CPU of a list, 0 for an empty one.
func firstCPU(cpus []int) int {
	if len(cpus) == 0 {
		return 0
	}
	return cpus[0]
}

// parseVendor returns the vendor in the first paragraph of /proc/cpuinfo, "" if unknown.
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
			return armVendor
		}
	}
	return ""
}

const armVendor = "ARM"

// presentCPUs returns all CPUs that are present, online or not.
func presentCPUs(sys string) ([]int, error) {
	return kernel.ReadCPUs(filepath.Join(sys, "devices/system/cpu/present"))
}

// formatCPUs formats an ascending list of CPUs as the kernel does: "0-3,8".
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

// readUint reads a decimal number from a file.
func readUint(path string) (uint64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read a number of the kernel: %w", err)
	}
	return strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
}
