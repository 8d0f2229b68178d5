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

// ReadingParams say whose GPUs, and where they are.
type ReadingParams struct {
	GPUs job.GPUs
	// Sys and Dev are normally "/sys" and "/dev".
	Sys, Dev string
	// Helper is the program jobgait-nvml, Env what of an environment it gets.
	Helper string
	Env    []string
	// Holders has Proc, Members, Sharing and Now; this package sets JobFiles.
	Holders Holders
}

// Opened are the sources of a job's GPUs, what of them is not to be had, and notes.
type Opened struct {
	Sources []counter.Source
	Absent  []run.CounterSource
	Notes   []note.Note
	// CPU returns what other processes used for them; nil without such a process.
	CPU func() ReaderCPU
	// Devices are which boards they are, as far as that is known by now.
	Devices func() []run.GPUDevice
	// Windows are the windows of utilization since the last call; nil where the driver
	// has none.
	Windows func() []profile.GPUWindows
	// Flush asks for a last reading of everything, Flushed is whether it has come, or
	// will not; nil where readings need no asking.
	Flush   func()
	Flushed func() bool
}

// ReaderCPU is CPU time of the programs that read GPUs, in ns: all of it, and the part that
// starting them and loading the library took.
type ReaderCPU struct{ TotalNS, StartNS int64 }

// Open opens the job's GPUs. It asks no device that may hang but in another goroutine,
// which is waited for 2 s at most.
func Open(p ReadingParams) Opened {
	if p.GPUs.Parted != "" {
		return withheld("the job has parts of them by %s: what all of a GPU does is not the job's own", p.GPUs.Parted)
	}
	if n := max(len(p.GPUs.UUIDs), len(p.GPUs.Numbers)); n > mostGPUs {
		return withheld("%d are more than the %d that a profile has room for", n, mostGPUs)
	}
	if g := p.GPUs; len(g.UUIDs) > 0 && len(g.Numbers) > 0 && len(g.UUIDs) != len(g.Numbers) {
		return withheld("the scheduler gives %d names and %d numbers of them", len(g.UUIDs), len(g.Numbers))
	}
	cards, err := listCards(p.Sys)
	if err != nil {
		return withheld("%v", err)
	}
	_, missing := os.Stat(filepath.Join(p.Dev, "nvidiactl"))
	switch mine, err := pick(cards, p.GPUs); {
	case len(cards) == 0 && missing != nil:
		return withheld("the node shows none that can be read")
	case len(cards) == 0, missing == nil && err != nil && len(p.GPUs.UUIDs) > 0:
		return openNVIDIA(p)
	case len(p.GPUs.UUIDs) == 0 && missing == nil:
		return withheld("the node has GPUs of two makers, and the scheduler gives numbers")
	case err != nil:
		return withheld("%v", err)
	default:
		return openCards(p, mine)
	}
}

// waitsForHolder has the helper read only the energy until a GPU is known to be held.
const waitsForHolder = "-w"

// openNVIDIA starts the program that asks NVIDIA's library, and does not wait for it.
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
	out := Opened{CPU: h.cpu, Devices: h.boards}
	for n := range names {
		for _, c := range nvColumns(h, n) {
			c.tells = len(out.Sources) == 0
			h.takers = append(h.takers, c)
			out.Sources = append(out.Sources, c)
		}
	}
	holders := p.Holders
	holders.JobFiles = h.files
	holders.Lost = func() error { return h.gone }
	holders.OnHeld = h.flush // energy is counted from here on
	out.Windows = func() []profile.GPUWindows { return windowsOf(h, &holders) }
	asked := 0
	out.Flush = func() { asked = h.flushed + 1; h.flush() }
	out.Flushed = func() bool { h.poll(); return h.gone != nil || h.flushed >= asked }
	return out.held(&holders)
}

// windowsOf are the windows of each device since a process of the job holds one; none
// before. What the driver saw before that is not the job's.
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

func newWindows(gpu int, list []window) profile.GPUWindows {
	w := profile.GPUWindows{GPU: gpu}
	for _, x := range list {
		w.EndNS, w.Percent = append(w.EndNS, x.endNS), append(w.Percent, x.percent)
	}
	return w
}

// mostGPUs is how many a profile takes the columns of, of 256 that it may have.
const mostGPUs = 16

func withheld(format string, args ...any) Opened {
	n := note.New(note.GPUsWithheld, "the job's GPUs were not recorded: "+format, args...)
	return Opened{Notes: []note.Note{n}, Absent: []run.CounterSource{{Name: "gpu", Scope: "job", Absent: n.Text}}}
}

// openCards opens AMD's.
func openCards(p ReadingParams, cards []card) Opened {
	h := p.Holders
	files := map[string]bool{}
	out := Opened{Devices: func() []run.GPUDevice { return boardsOf(cards) }, Notes: []note.Note{note.New(note.GPUUnproven,
		"readings of AMD's GPUs are built to the documentation and have not yet been checked on a GPU")}}
	for n, c := range cards {
		files[c.file] = true
		have, lack := polled.Open(kinds(n, c, p)...)(h.Now)
		for _, s := range have {
			out.Sources = append(out.Sources, s)
		}
		out.Absent = append(out.Absent, lack...)
	}
	h.JobFiles = func() (map[string]bool, bool) { return files, true }
	return out.held(&h)
}

// kinds are what is read of a card: each in a goroutine of its own, with state of its
// own.
func kinds(n int, c card, p ReadingParams) []polled.CounterKind {
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
	return []polled.CounterKind{amd("energy", func(b *board) (polled.Meter, error) { return b.counts(p.Holders.Now) }),
		amd("memory", (*board).levels)}
}

// held makes all sources wait for a holder.
func (o Opened) held(h *Holders) Opened {
	for i, s := range o.Sources {
		o.Sources[i] = &held{Source: s, by: h, first: i == 0}
	}
	return o
}
