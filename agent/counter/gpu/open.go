package gpu

import (
	"os"
	"path/filepath"
	"strconv"

	"jobgait/agent/counter"
	"jobgait/agent/counter/polled"
	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// ReadingParams says which GPUs are read, and where their files are.
type ReadingParams struct {
	GPUs job.GPUs
	// Sys and Dev are normally "/sys" and "/dev".
	Sys, Dev string
	// Helper is the path of jobgait-nvml, Env its environment.
	Helper string
	Env    []string
	// Holders has Proc, Members, Sharing and Now; this package sets JobFiles.
	Holders Holders
}

// Opened has the opened sources of a job's GPUs, absent ones with reasons, and notes.
type Opened struct {
	Sources []counter.Source
	Absent  []run.CounterSource
	Notes   []note.Note
	// CPU returns the CPU time of the programs that read GPUs; nil if no such program runs.
	CPU func() ReaderCPU
	// Devices returns the GPUs that are read, as far as they are known by now.
	Devices func() []run.GPUDevice
	// Windows returns the utilization windows since the last call; nil if the driver has none.
	Windows func() []profile.GPUWindows
	// Flush requests a last reading of all values, and Flushed reports whether it has arrived or never will; both
	// are nil if readings need no request.
	Flush   func()
	Flushed func() bool
}

// ReaderCPU is CPU time of the programs that read GPUs, in ns: all of it, and the part that
// starting them and loading the library took.
type ReaderCPU struct{ TotalNS, StartNS int64 }

// Open opens the GPUs that the scheduler assigned to the job. It accesses devices that may hang only in other
// goroutines, all at the same time, and waits at most 2 s for their first readings together. GPUs that the job
// shares, or that cannot be identified, are not opened; a note says why.
func Open(p ReadingParams) Opened {
	if p.GPUs.Parted != "" {
		return withheld("the job has parts of them by %s: what all of a GPU does is not the job's own", p.GPUs.Parted)
	}
	if n := max(len(p.GPUs.UUIDs), len(p.GPUs.Numbers)); n > maxGPUs {
		return withheld("the job has %d, more than the %d that a profile has room for", n, maxGPUs)
	}
	if g := p.GPUs; len(g.UUIDs) > 0 && len(g.Numbers) > 0 && len(g.UUIDs) != len(g.Numbers) {
		return withheld("the scheduler gives %d names and %d numbers of them, which do not match: check gres.conf",
			len(g.UUIDs), len(g.Numbers))
	}
	cards, err := listCards(p.Sys)
	if err != nil {
		return withheld("%v", err)
	}
	_, missing := os.Stat(filepath.Join(p.Dev, "nvidiactl"))
	switch mine, err := selectCards(cards, p.GPUs); {
	case len(cards) == 0 && missing != nil:
		return withheld("the node shows none that can be read: check that the driver is loaded")
	case len(cards) == 0, missing == nil && err != nil && len(p.GPUs.UUIDs) > 0:
		return openNVIDIA(p)
	case len(p.GPUs.UUIDs) == 0 && missing == nil:
		return withheld("the node has GPUs of two makers, and the scheduler gives only numbers, which do not say of which " +
			"maker")
	case err != nil:
		return withheld("%v", err)
	default:
		return openCards(p, mine)
	}
}

// waitsForHolder is the option that makes the helper read only energy until a GPU is found to be open.
const waitsForHolder = "-w"

// openNVIDIA starts the program that calls NVIDIA's library, without waiting for it, and returns the sources.
func openNVIDIA(p ReadingParams) Opened {
	names := p.GPUs.UUIDs
	if len(names) == 0 {
		for _, n := range p.GPUs.Numbers {
			names = append(names, strconv.Itoa(n))
		}
	}
	h, err := startHelper(p.Helper, names, p.Env, p.Holders.Now, waitsForHolder)
	if err != nil {
		n := note.New(note.GPUsUnread, "the job's GPUs were not recorded: jobgait-nvml could not be started: %v",
			job.Cause(err))
		return Opened{Notes: []note.Note{n}, Absent: []run.CounterSource{{Name: "gpu", Scope: "job", Absent: n.Text}}}
	}
	out := Opened{CPU: h.cpu, Devices: h.gpuDevices}
	for n := range names {
		for _, c := range nvColumns(h, n) {
			c.reportsHelper = len(out.Sources) == 0
			h.takers = append(h.takers, c)
			out.Sources = append(out.Sources, c)
		}
	}
	holders := p.Holders
	holders.watch = watchOpens(deviceFiles(p.Dev, deviceNumbers(p.Dev)))
	holders.JobFiles = h.files
	holders.WhyUnknown = func() error { return h.gone }
	holders.OnHeld = h.flush // energy is counted from here on
	out.Windows = func() []profile.GPUWindows { return windowsOf(h, &holders) }
	asked := 0
	out.Flush = func() { asked = h.flushed + 1; h.flushLast() }
	out.Flushed = func() bool { h.poll(); return h.gone != nil || h.flushed >= asked }
	return out.waitForHolder(&holders)
}

// windowsOf removes and returns the waiting utilization windows of each device that end after a process of the
// job opened a GPU; nil before that.
func windowsOf(h *helper, holders *Holders) (out []profile.GPUWindows) {
	if !holders.confirmed {
		return nil
	}
	for n := range h.devices {
		if w := newWindows(n, h.takeWindows(n, holders.sinceNS)); len(w.EndNS) > 0 {
			out = append(out, w)
		}
	}
	return out
}

// newWindows returns the windows of a GPU in the form of a profile.
func newWindows(gpu int, list []window) profile.GPUWindows {
	w := profile.GPUWindows{GPU: gpu}
	for _, x := range list {
		w.EndNS, w.Percent = append(w.EndNS, x.endNS), append(w.Percent, x.percent)
	}
	return w
}

// maxGPUs limits the GPUs whose columns are in a profile, which may have 256 columns.
const maxGPUs = 16

// withheld returns no sources, and a note that says why the GPUs were not recorded.
func withheld(format string, args ...any) Opened {
	n := note.New(note.GPUsWithheld, "the job's GPUs were not recorded: "+format, args...)
	return Opened{Notes: []note.Note{n}, Absent: []run.CounterSource{{Name: "gpu", Scope: "job", Absent: n.Text}}}
}

// openCards opens AMD's GPUs. It returns their sources, which count once a process of the job has one of the GPUs
// open, the absent ones, and a note that readings were never compared with a real GPU.
func openCards(p ReadingParams, cards []card) Opened {
	h := p.Holders
	files := map[string]bool{}
	out := Opened{Devices: func() []run.GPUDevice {
		return devicesOf(cards)
	}, Notes: []note.Note{note.New(note.GPUUnproven,
		"readings of AMD GPUs follow AMD's documentation and were never compared with a real GPU: check them")}}
	var kinds []polled.CounterKind
	for n, c := range cards {
		files[c.file] = true
		kinds = append(kinds, cardKinds(n, c, p)...)
	}
	have, lack := polled.Open(kinds...)(h.Now)
	for _, s := range have {
		out.Sources = append(out.Sources, s)
	}
	out.Absent = lack
	h.JobFiles = func() (map[string]bool, bool) { return files, true }
	return out.waitForHolder(&h)
}

// cardKinds returns what is read of a card: counts and levels, each in a goroutine with its own state.
func cardKinds(n int, c card, p ReadingParams) []polled.CounterKind {
	amd := func(what string, meter func(*board) (polled.Meter, error)) polled.CounterKind {
		open := func() (polled.Meter, error) {
			b, err := newBoard(n, c)
			if err != nil {
				return polled.Meter{PMU: "amdgpu", Config: c.dir}, err
			}
			return meter(b)
		}
		return polled.CounterKind{Name: column(n, what, "", false).Name, Scope: "job", Hangs: true, Open: open}
	}
	return []polled.CounterKind{amd("energy", func(b *board) (polled.Meter, error) { return b.countMeter(p.Holders.Now) }),
		amd("memory", (*board).levelMeter)}
}

// waitForHolder makes all sources count only once a process of the job has a GPU open.
func (o Opened) waitForHolder(h *Holders) Opened {
	for i, s := range o.Sources {
		o.Sources[i] = &heldSource{Source: s, holders: h, first: i == 0}
	}
	return o
}
