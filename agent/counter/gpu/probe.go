package gpu

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/rawcall"
	"jobgait/analysis/quantity"
)

// Probe reads every GPU of this node for some seconds and prints what no document states: the cost of each
// call, how often values change, which values may be read, and the clock of time stamps. It is started by hand
// and wakes no GPU.
func Probe(w io.Writer, p ReadingParams) error {
	fmt.Fprintln(w, "NVIDIA: checked on an H100 and an H200. A GPU that is divided by MIG is not read. AMD: according to "+
		"the documentation, not yet checked on a GPU.")
	cards, err := listCards(p.Sys)
	if err != nil {
		return err
	}
	for _, c := range cards {
		probeCard(w, c)
	}
	var numbers []string
	for _, n := range deviceNumbers(p.Dev) {
		numbers = append(numbers, strconv.Itoa(n))
	}
	if len(numbers) > 0 {
		return probeNVIDIA(w, p, numbers)
	}
	if len(cards) == 0 {
		fmt.Fprintln(w, "This node shows no GPU of NVIDIA or AMD.")
	}
	return nil
}

// probeForNS limits how long NVIDIA's GPUs are read: it takes 2 s for the refresh and some 8 s for the costs of
// calls.
const probeForNS = 30e9

// readOutcomes is a taker that records with which status each value could be read.
type readOutcomes struct {
	readings int
	status   map[uint16]map[int]uint8
}

// take counts a record and stores the status of each value that was read.
func (t *readOutcomes) take(r *record) {
	t.readings++
	if t.status[r.device] == nil {
		t.status[r.device] = map[int]uint8{}
	}
	for i := range valuesRead {
		if s := r.status[i]; s != nvNotRead {
			t.status[r.device][i] = s
		}
	}
}

// probeNVIDIA starts jobgait-nvml in probe mode for these devices and prints what it measured.
func probeNVIDIA(w io.Writer, p ReadingParams, numbers []string) error {
	began := rawcall.Now()
	h, err := startHelper(p.Helper, numbers, p.Env, rawcall.Now, "-p")
	if err != nil {
		return err
	}
	defer h.close()
	seen := &readOutcomes{status: map[uint16]map[int]uint8{}}
	h.takers = append(h.takers, seen)
	hello := int64(0)
	for h.gone == nil && rawcall.Now()-began < probeForNS && seen.readings < 6*len(numbers) {
		if h.poll(); h.driver != "" && hello == 0 {
			hello = rawcall.Now() - began
		}
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Fprintf(w, "NVIDIA driver %s, ready after %d ms; jobgait-nvml: %s, %.1f ms of CPU time in %.1f s, most of it "+
		"for this probe\n", h.driver, hello/1e6,
		resident(h.process.Pid), float64(h.cpuNS)/1e6, float64(rawcall.Now()-began)/1e9)
	for i, d := range h.devices {
		fmt.Fprintf(w, "/dev/nvidia%s: %s, %d bytes of memory, GPM %v; to find it: %s; %d windows of utilization%s\n",
			numbers[i], d.uuid, d.memory, d.gpm,
			statusOrOK(d.status), len(h.windows[i]), intervalText(h.windows[i]))
		for v, name := range valueNames() {
			if s, ok := seen.status[uint16(i)][v]; ok {
				fmt.Fprintf(w, "  %-28s %s\n", name, statusOrOK(s))
			}
		}
	}
	for _, c := range h.costs {
		fmt.Fprintf(w, "  %-36s median %7.3f ms, largest %7.3f ms, CPU time %7.3f ms, %s\n", c.textAt(24),
			float64(c.value[0])/1e6,
			float64(c.value[1])/1e6, float64(c.value[2])/1e6, statusOrOK(c.status[0]))
	}
	if r := h.refresh; r != nil {
		fmt.Fprintf(w, "/dev/nvidia%s, %d calls for energy and power in 2 s, %.0f us each: energy was new %d times, every "+
			"%.1f ms; power %d times, every %.1f ms; stamps are of the %s clock.\n",
			numbers[r.device], r.value[5], float64(r.value[4])/1e3, r.value[1], float64(r.value[0])/1e6, r.value[3],
			float64(r.value[2])/1e6, clockName(r.value[6]))
	}
	if h.gone != nil {
		fmt.Fprintln(w, "It ended:", h.gone)
	}
	return nil
}

// intervalText returns the median distance of windows in words, "" if unknown.
func intervalText(list []window) string {
	if len(list) < 2 {
		return ""
	}
	steps := make([]int64, 0, len(list))
	for i := range list[1:] {
		steps = append(steps, list[i+1].endNS-list[i].endNS)
	}
	slices.Sort(steps)
	return fmt.Sprintf(", every %.1f ms", float64(steps[len(steps)/2])/1e6)
}

// valueNames returns the names of a reading's values.
func valueNames() []string {
	return []string{"energy", "utilization", "memory used", "memory", "slowed by power cap", "slowed by heat (software)",
		"slowed by heat (hardware)", "slowed by power brake", "PCIe sent", "PCIe received", "power", "clock event reasons",
		"GPM graphics", "GPM SM", "GPM occupancy", "GPM tensor", "GPM DRAM"}
}

// statusOrOK returns a status in words, "read" for nvOK.
func statusOrOK(status uint8) string {
	if status == nvOK {
		return "read"
	}
	return statusText(status)
}

// clockName returns the name of a clock that jobgait-nvml reports.
func clockName(domain uint64) string {
	switch domain {
	case 1:
		return "wall"
	case 2:
		return "monotonic"
	case 3:
		return "boot"
	}
	return "no known"
}

// resident returns the resident memory of a process in the kernel's words.
func resident(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(size) + " resident"
		}
	}
	return "memory not known"
}

// probeCard reads an AMD GPU for two seconds and prints what it measured.
func probeCard(w io.Writer, c card) {
	fmt.Fprintf(w, "AMD %s, %s, %s: ", c.pci, c.file, c.name)
	b, err := newBoard(0, c)
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	defer b.close()
	busy, errBusy := b.busy.Read()
	used, errUsed := b.memory.Read()
	fmt.Fprintf(w, "gpu_busy_percent %s, mem_info_vram_used %s\n", orError(busy, errBusy), orError(used, errUsed))
	if !b.hasMetrics {
		fmt.Fprintf(w, "  gpu_metrics: %v\n", b.readMetrics())
		return
	}
	seen, err := measureReads(func() (uint64, error) { err := b.readMetrics(); return b.metrics.microjoules(), err })
	if err != nil {
		fmt.Fprintf(w, "  gpu_metrics: %v\n", err)
		return
	}
	m := b.metrics
	fmt.Fprintf(w, "  gpu_metrics %d.%d: energy %d uJ (%v), clock %d MHz (%v), power %d mW (%v), busy %s (%v)\n",
		m.version[0], m.version[1],
		m.microjoules(), m.hasEnergy, m.clockMHz, m.hasClock, m.socketMW, m.hasPower, quantity.Chosen(float64(m.busyPct)),
		m.hasBusy)
	fmt.Fprintln(w, " ", seen)
}

// repeatedReads is the result of reading a count of microjoules repeatedly.
type repeatedReads struct {
	first, last     uint64
	news            int
	spentNS, overNS int64
}

// measureReads calls read for two seconds and measures cost and changes.
func measureReads(read func() (uint64, error)) (s repeatedReads, err error) {
	began := rawcall.Now()
	for i := range probeReads {
		at := rawcall.Now()
		v, err := read()
		if err != nil {
			return s, err
		}
		s.spentNS += rawcall.Now() - at
		if i == 0 {
			s.first = v
		} else if v != s.last {
			s.news++
		}
		s.last = v
		time.Sleep(callEvery)
	}
	s.overNS = rawcall.Now() - began
	return s, nil
}

// String describes the cost of a reading, how often the energy was new, and how much it grew.
func (s repeatedReads) String() string {
	return fmt.Sprintf("a reading takes %.0f us; energy was new in %d of %d readings, and %d uJ more in %.1f s",
		float64(s.spentNS)/probeReads/1e3, s.news, probeReads, s.last-s.first, float64(s.overNS)/1e9)
}

// The number of repeated reads and the time between them.
const (
	probeReads = 200
	callEvery  = 10 * time.Millisecond
)

// orError returns a number or the error as text.
func orError(v uint64, err error) string {
	if err != nil {
		return job.Cause(err).Error()
	}
	return strconv.FormatUint(v, 10)
}
