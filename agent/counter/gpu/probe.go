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

// Probe reads every GPU of this node for some seconds and writes what no document proves:
// what each call costs, how often values are new, which may be read, and of which clock
// time stamps are. It is started by hand; it wakes no GPU.
func Probe(w io.Writer, p ReadingParams) error {
	fmt.Fprintln(w, "NVIDIA: checked on an H100 and an H200. A GPU that is divided by MIG is not read. AMD: built to the "+
		"documentation, not yet run on a GPU.")
	cards, err := listCards(p.Sys)
	if err != nil {
		return err
	}
	for _, c := range cards {
		probeCard(w, c)
	}
	var numbers []string
	for _, n := range numbersIn(p.Dev) {
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

// probeForNS is how long NVIDIA's are read at most: 2 s for the refresh, some 8 s for the
// costs of calls.
const probeForNS = 30e9

// tries is a taker that counts how each value could be read.
type tries struct {
	readings int
	status   map[uint16]map[int]uint8
}

func (t *tries) take(r *record) {
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

func probeNVIDIA(w io.Writer, p ReadingParams, numbers []string) error {
	began := rawcall.Now()
	h, err := startHelper(p.Helper, numbers, p.Env, rawcall.Now, "-p")
	if err != nil {
		return err
	}
	defer h.close()
	seen := &tries{status: map[uint16]map[int]uint8{}}
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
			saidOrOK(d.status), len(h.windows[i]), every(h.windows[i]))
		for v, name := range valueNames() {
			if s, ok := seen.status[uint16(i)][v]; ok {
				fmt.Fprintf(w, "  %-28s %s\n", name, saidOrOK(s))
			}
		}
	}
	for _, c := range h.costs {
		fmt.Fprintf(w, "  %-36s median %7.3f ms, largest %7.3f ms, CPU time %7.3f ms, %s\n", c.words(24),
			float64(c.value[0])/1e6,
			float64(c.value[1])/1e6, float64(c.value[2])/1e6, saidOrOK(c.status[0]))
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

// every is the usual distance of windows in words, "" where it is not known.
func every(list []window) string {
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

// valueNames are those of a reading's values.
func valueNames() []string {
	return []string{"energy", "utilization", "memory used", "memory", "slowed by power cap", "slowed by heat (software)",
		"slowed by heat (hardware)", "slowed by power brake", "PCIe sent", "PCIe received", "power", "clock event reasons",
		"GPM graphics", "GPM SM", "GPM occupancy", "GPM tensor", "GPM DRAM"}
}

func saidOrOK(status uint8) string {
	if status == nvOK {
		return "read"
	}
	return said(status)
}

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

// resident is the memory of a process, as the kernel writes it.
func resident(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(size) + " resident"
		}
	}
	return "memory not known"
}

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
	if !b.known {
		fmt.Fprintf(w, "  gpu_metrics: %v\n", b.look())
		return
	}
	seen, err := watch(func() (uint64, error) { err := b.look(); return b.metrics.microjoules(), err })
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

// watched is how a count of microjoules went on while it was read again and again.
type watched struct {
	first, last     uint64
	news            int
	spentNS, overNS int64
}

// watch reads for two seconds.
func watch(read func() (uint64, error)) (s watched, err error) {
	began := rawcall.Now()
	for i := range calls {
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

func (s watched) String() string {
	return fmt.Sprintf("a reading takes %.0f us; energy was new in %d of %d readings, and %d uJ more in %.1f s",
		float64(s.spentNS)/calls/1e3, s.news, calls, s.last-s.first, float64(s.overNS)/1e9)
}

// How often files and events are read, and how many times.
const (
	calls     = 200
	callEvery = 10 * time.Millisecond
)

func orError(v uint64, err error) string {
	if err != nil {
		return job.Cause(err).Error()
	}
	return strconv.FormatUint(v, 10)
}
