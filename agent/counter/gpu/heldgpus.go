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

// OpenHeldGPUs opens those of NVIDIA's GPUs that processes of the run have open, each when that is found. It is
// for a run whose scheduler assigns no GPUs, such as a command of `jobgait run`. All GPUs of the node have
// columns, but a GPU that no process of the run has open is never read, and the driver is not accessed before
// the first is found.
func OpenHeldGPUs(p ReadingParams) Opened {
	numbers := deviceNumbers(p.Dev)
	if len(numbers) == 0 {
		return Opened{}
	}
	f := &heldGPUs{p: p, holders: p.Holders, files: map[string]bool{}}
	var out Opened
	for n, number := range numbers {
		file := nvidiaFile + strconv.Itoa(number)
		h := newHelper(1, p.Holders.Now)
		f.files[file], f.helpers = true, append(f.helpers, h)
		f.names = append(f.names, file)
		for _, c := range nvColumns(h, n) {
			c.device, c.reportsHelper = 0, c.event == energyEvent
			h.takers = append(h.takers, c)
			out.Sources = append(out.Sources,
				&heldSource{Source: c, holders: &f.holders, file: file, first: len(out.Sources) == 0})
		}
	}
	f.holders.watch = watchOpens(deviceFiles(p.Dev, numbers))
	f.holders.JobFiles = func() (map[string]bool, bool) { return f.files, true }
	f.holders.OnFound = f.start
	out.CPU, out.Devices, out.Windows = f.cpu, f.gpuDevices, f.windows
	out.Flush = func() {
		f.flushed = nil
		for _, h := range f.helpers {
			f.flushed = append(f.flushed, h.flushed)
			h.flushLast()
		}
	}
	out.Flushed = f.allFlushed
	return out
}

// heldGPUs are the NVIDIA GPUs of a node, with a helper for each that the run has open.
type heldGPUs struct {
	p       ReadingParams
	holders Holders
	names   []string // device files, in the order of helpers
	files   map[string]bool
	helpers []*helper
	flushed []int // number of flushes of each helper when the last flush was requested
}

// start starts the helper of the GPU with this device file, which was found to be open. If that fails, it stores the
// cause in the helper's gone.
func (f *heldGPUs) start(file string) {
	i := slices.Index(f.names, file)
	args := []string{"-n", strconv.Itoa(len(f.names)), strings.TrimPrefix(file, nvidiaFile)}
	if err := f.helpers[i].start(f.p.Helper, args, f.p.Env); err != nil {
		f.helpers[i].gone = job.Cause(err)
	}
}

// cpu returns the CPU time of all helpers.
func (f *heldGPUs) cpu() (sum ReaderCPU) {
	for _, h := range f.helpers {
		c := h.cpu()
		sum.TotalNS, sum.StartNS = sum.TotalNS+c.TotalNS, sum.StartNS+c.StartNS
	}
	return sum
}

// gpuDevices returns the GPUs that are read, with their index on the node.
func (f *heldGPUs) gpuDevices() (list []run.GPUDevice) {
	for i, h := range f.helpers {
		for _, b := range h.gpuDevices() {
			b.Index = i
			list = append(list, b)
		}
	}
	return list
}

// windows returns the utilization windows of the open GPUs since the last call.
func (f *heldGPUs) windows() (out []profile.GPUWindows) {
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

// allFlushed reports whether all running helpers have done the last requested flush.
func (f *heldGPUs) allFlushed() bool {
	for i, h := range f.helpers {
		h.poll()
		if h.gone == nil && h.from >= 0 && h.flushed <= f.flushed[i] {
			return false
		}
	}
	return true
}

// deviceFiles returns the paths of NVIDIA's device files with these numbers.
func deviceFiles(dev string, numbers []int) (files []string) {
	for _, n := range numbers {
		files = append(files, filepath.Join(dev, "nvidia"+strconv.Itoa(n)))
	}
	return files
}

// deviceNumbers returns the numbers of NVIDIA's device files, ascending, at most maxGPUs; none if dev is "".
func deviceNumbers(dev string) (numbers []int) {
	if dev == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dev, "nvidia[0-9]*")) // the pattern is valid
	for _, path := range files {
		if n, ok := job.ParseCount(strings.TrimPrefix(filepath.Base(path), "nvidia")); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers[:min(len(numbers), maxGPUs)]
}
