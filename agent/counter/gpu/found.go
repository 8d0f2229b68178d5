package gpu

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// OpenFound opens those of NVIDIA's GPUs that processes hold open, each when it is found:
// of a run whose scheduler named none, as a command of `jobgait run`. There are columns for
// all of the node's; a GPU that is held by no process of the run is not read, and nothing
// of the driver is touched before the first is held.
func OpenFound(p ReadingParams) Opened {
	numbers := numbersIn(p.Dev)
	if len(numbers) == 0 {
		return Opened{}
	}
	f := &found{p: p, holders: p.Holders, files: map[string]bool{}}
	var out Opened
	for n, number := range numbers {
		file := nvidiaFile + strconv.Itoa(number)
		h := newHelper(1, p.Holders.Now)
		f.files[file], f.helpers = true, append(f.helpers, h)
		f.names = append(f.names, file)
		for _, c := range nvColumns(h, n) {
			c.device, c.tells = 0, c.event == energyEvent
			h.takers = append(h.takers, c)
			out.Sources = append(out.Sources, &held{Source: c, by: &f.holders, file: file, first: len(out.Sources) == 0})
		}
	}
	f.holders.JobFiles = func() (map[string]bool, bool) { return f.files, true }
	f.holders.OnFound = f.start
	out.CPU, out.Devices, out.Windows = f.cpu, f.boards, f.windows
	out.Flush = func() {
		f.flushed = nil
		for _, h := range f.helpers {
			f.flushed = append(f.flushed, h.flushed)
			h.flush()
		}
	}
	out.Flushed = f.allFlushed
	return out
}

// found are the GPUs of a node of which a run may open some.
type found struct {
	p       ReadingParams
	holders Holders
	names   []string // device files, in the order of helpers
	files   map[string]bool
	helpers []*helper
	flushed []int // how often each had read everything when the last flush was requested
}

// start starts the helper of a GPU that is held.
func (f *found) start(file string) {
	i := slices.Index(f.names, file)
	args := []string{"-n", strconv.Itoa(len(f.names)), strings.TrimPrefix(file, nvidiaFile)}
	if err := f.helpers[i].start(f.p.Helper, args, f.p.Env); err != nil {
		f.helpers[i].gone = job.Cause(err)
	}
}

func (f *found) cpu() (sum ReaderCPU) {
	for _, h := range f.helpers {
		c := h.cpu()
		sum.TotalNS, sum.StartNS = sum.TotalNS+c.TotalNS, sum.StartNS+c.StartNS
	}
	return sum
}

func (f *found) boards() (list []run.GPUDevice) {
	for i, h := range f.helpers {
		for _, b := range h.boards() {
			b.Index = i
			list = append(list, b)
		}
	}
	return list
}

func (f *found) windows() (out []profile.GPUWindows) {
	for i, h := range f.helpers {
		since, ok := f.holders.FoundSince(f.names[i])
		if !ok {
			continue
		}
		if w := newWindows(i, h.takeWindows(0, since)); len(w.EndNS) > 0 {
			out = append(out, w)
		}
	}
	return out
}

func (f *found) allFlushed() bool {
	for i, h := range f.helpers {
		h.poll()
		if h.gone == nil && h.from >= 0 && h.flushed <= f.flushed[i] {
			return false
		}
	}
	return true
}

// numbersIn are the numbers of NVIDIA's device files, ascending, as many as a profile has
// room for.
func numbersIn(dev string) (numbers []int) {
	if dev == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dev, "nvidia[0-9]*")) // the pattern is valid
	for _, path := range files {
		if n, ok := job.Count(strings.TrimPrefix(filepath.Base(path), "nvidia")); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers[:min(len(numbers), mostGPUs)]
}
