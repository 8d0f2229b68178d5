package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/address"
	"jobgait/agent/counter/gpu"
	"jobgait/agent/counter/jobevent"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// probeResult is the output of `jobgait-agent probe --json`.
type probeResult struct {
	Schema   string              `json:"schema"`
	Version  string              `json:"version"`
	Kernel   string              `json:"kernel"`
	CPUModel string              `json:"cpu_model"`
	CPUs     int                 `json:"cpus"`
	Paranoid *int                `json:"perf_event_paranoid"` // null: a kernel without perf events
	Sources  []run.CounterSource `json:"sources"`
	// More is one line that says which privilege or setting would permit more, "" if all is permitted.
	More string `json:"more"`
}

// probe prints which counters this host has, why others are absent, and what would permit more; with --gpu it
// measures the GPUs instead.
func probe(o options, stdout io.Writer) error {
	if o.gpu {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		return gpu.Probe(stdout, gpu.ReadingParams{Sys: "/sys", Dev: "/dev",
			Helper: filepath.Join(filepath.Dir(program), nvmlProgram)})
	}
	h := host{proc: "/proc", sys: "/sys", open: perf.Open}
	p, err := probeHost(h)
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(p)
	}
	return p.print(stdout)
}

// probeHost opens the counters that candidateSources lists, which are not all that the agent samples, and
// returns what it found.
func probeHost(h host) (probeResult, error) {
	cpus, err := kernel.OnlineCPUs(h.sys)
	if err != nil {
		return probeResult{}, err
	}
	p := probeResult{Schema: "jobgait.probe/1", Version: configs.Version, Kernel: kernelRelease(),
		CPUModel: kernel.CPUModel(h.proc),
		CPUs:     len(cpus),
		Sources:  candidateSources(h, cpus)}
	if level, ok := kernel.Paranoid(h.proc); ok {
		p.Paranoid = &level
	}
	p.More = missingPrivilege(h)
	return p, nil
}

// missingPrivilege returns which privilege or setting would permit more; "" if a timer on a CPU may be opened,
// because then everything may.
func missingPrivilege(h host) string {
	a := perf.Timer(1e9, unix.PERF_SAMPLE_TIME)
	fd, err := h.open(&a, -1, 0, -1, 0)
	if err == nil {
		unix.Close(fd)
		return ""
	}
	return refusalText(h, err)
}

// print writes a table with one line for each source.
func (p probeResult) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d CPUs, Linux %s\n", p.CPUModel, p.CPUs, p.Kernel)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "COLUMN\tSCOPE\tHZ\tEVENT\tPMU\tWHAT IS READ")
	for _, s := range p.Sources {
		what := s.Config
		if s.Absent != "" {
			what = "absent: " + s.Absent
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Scope, rateText(s), s.Event, s.PMU, what)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if p.More == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, p.More)
	return err
}

// rateText returns the rate of a source in Hz, "step" for a source read in every step of the grid, "-" for an
// absent one.
func rateText(s run.CounterSource) string {
	switch {
	case s.Absent != "":
		return "-"
	case s.Hz == 0:
		return "step"
	}
	return fmt.Sprintf("%g", s.Hz)
}

// candidateSources tries the sources of a node, a command and a job's cgroup, and returns them with what they
// read or why they are absent. It leaves out GPUs, the limits of cgroups and the files of processes.
func candidateSources(h host, cpus []int) []run.CounterSource {
	roots := kernel.Roots{Proc: h.proc, Sys: h.sys}
	nowhere := func(string) (string, bool) { return "", false }
	all := perf.Probe(h.open, kernel.Roots{Proc: h.proc, Sys: h.sys}, cpus)
	all = append(all, addressCandidate(h, cpus, 0), addressCandidate(h, cpus, os.Getpid()))
	all = append(all, taskCandidates(h, cpus)...)
	for _, open := range append(h.nodeFileOpeners(), kernel.NodeBusyTime(roots),
		kernel.JobUsage(kernel.NewJobCgroup(roots, nowhere))) {
		have, lack := open(rawcall.Now)
		for _, p := range have {
			all = append(all, p.Sources()...)
			p.Close()
		}
		all = append(all, lack...)
	}
	return all
}

// addressCandidate tries to sample code addresses, of all processes (root 0) or of the process root, at the
// rate that would be chosen without a budget.
func addressCandidate(h host, cpus []int, root int) run.CounterSource {
	const stepNS = 5e6
	rate := address.ChooseRate(0, len(cpus), stepNS)
	code, err := address.New(h.open,
		address.SamplingParams{Peek: peek.Direct{Proc: h.proc}, Sys: h.sys, CPUs: cpus, Rate: rate, StepNS: stepNS,
			Root: root})
	if err != nil {
		s := run.CounterSource{Name: "code", Event: "cpu-clock", PMU: "software", Scope: "job", Absent: refusalText(h, err)}
		if root != 0 {
			s.Scope = "task"
		}
		return s
	}
	defer code.Close()
	s := withConfig(code.Sources())[0]
	s.Hz = rate.Hz
	return s
}

// taskCandidates tries the events of a command on this process, and returns them, or one source that is absent with
// the reason if they cannot be opened.
func taskCandidates(h host, cpus []int) []run.CounterSource {
	t, err := jobevent.NewTask(h.open, jobevent.TaskParams{Root: os.Getpid(), CPUs: len(cpus)})
	if err != nil {
		return []run.CounterSource{{Name: "task_clock", Event: "task-clock", PMU: "software", Scope: "task",
			Absent: refusalText(h, err)}}
	}
	defer t.Close()
	sources := slices.Clone(t.Sources())
	for i := range sources {
		sources[i].Scope = "task"
	}
	return sources
}
