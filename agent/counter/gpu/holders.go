package gpu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// Holders finds out whether processes of the job hold its GPUs open. That does not prove use, and another GPU
// open beside them does not disprove it: CUDA opens the node's first one unless that is prevented.
type Holders struct {
	// Proc is normally "/proc", Members are processes of the job.
	Proc    string
	Members func() []int
	// Sharing asks a process of the job whether others may have its GPUs too.
	Sharing func(pid int) job.Sharing
	// JobFiles returns the device files of the job's GPUs, false while they are unknown.
	JobFiles func() (files map[string]bool, known bool)
	// Lost is why they can never be known, nil while they can; nil never is.
	Lost func() error
	Now  func() int64
	// Spent is the CPU time of this program: looks are spaced by what they take of it. nil is
	// Now, whose time is many times that on a busy node.
	Spent func() int64
	// Started is when a process started, in ns of CLOCK_MONOTONIC, 0 where that is not
	// known; nil knows it of none. OnHeld is called once, when a GPU is known to be held.
	Started func(pid int) int64
	OnHeld  func()
	// OnFound is called with each device file of JobFiles that is found to be held; the search for others continues.
	// nil means that all of them are the job's once one is held.
	OnFound func(file string)

	begunNS, nextNS int64
	sinceNS         int64            // from when on a GPU was held, at the earliest
	found           map[string]int64 // the same of each device file, with OnFound
	looks           map[int]int64    // when each process was last seen to hold none
	confirmed       bool
	looked          bool // at least once
	blind           bool // of a process it could not be seen what it holds
	shares          bool // others may have them
	untold          bool // a process holds them and did not say whether others may
	others          bool // a process holds GPUs, and none of the job's
}

// A look reads the links of some descriptors of some processes: at 1 us each the largest
// takes 4 ms. The next one comes after 30 ms, or later so that looks take at most 1/500 of
// a CPU, and after 10 s at the latest. They end when the GPUs are known to be the job's.
const (
	leastLookNS, mostLookNS = 30e6, 10e9
	lookPart                = 500
	mostProcesses           = 128
	mostDescriptors         = 256
)

// Confirmed is whether a process of the job holds one of its GPUs, and has it alone.
// Once it was so it stays so.
func (h *Holders) Confirmed() bool {
	now := h.Now()
	if h.begunNS == 0 {
		h.begunNS = now
	}
	if h.confirmed && h.OnFound == nil || h.shares || now < h.nextNS {
		return h.confirmed
	}
	spent := h.Now
	if h.Spent != nil {
		spent = h.Spent
	}
	before, begun := h.confirmed, spent()
	jobFiles, known := h.JobFiles()
	if known {
		h.look(now, jobFiles)
	}
	h.nextNS = h.Now() + min(mostLookNS, max(leastLookNS, lookPart*(spent()-begun)))
	if h.confirmed && !before && h.OnHeld != nil {
		h.OnHeld()
	}
	return h.confirmed
}

// FoundSince is from when on a device file may have been held, false while it was not.
func (h *Holders) FoundSince(file string) (int64, bool) {
	at, ok := h.found[file]
	return at, ok
}

// SinceNS is from when on a GPU may have been held: when its holder was last seen to hold
// none, or started.
func (h *Holders) SinceNS() int64 { return h.sinceNS }

func (h *Holders) look(now int64, jobFiles map[string]bool) {
	pids := h.Members()
	others, looks := false, map[int]int64{}
	h.looked, h.blind = true, h.blind || len(pids) > mostProcesses
	for _, pid := range pids[:min(len(pids), mostProcesses)] {
		own, other := h.holds(pid, jobFiles)
		others = others || other
		if len(own) == 0 {
			looks[pid] = now
			continue
		}
		switch h.Sharing(pid) {
		case job.WholeGPUs:
			h.confirm(pid, now, own)
			if h.OnFound != nil {
				continue
			}
			return
		case job.GPUShares:
			h.shares = true
			return
		}
		h.untold = true
	}
	h.others, h.looks = others, looks
}

// confirm notes what a process holds.
func (h *Holders) confirm(pid int, now int64, files []string) {
	since := h.notBefore(pid, now)
	if !h.confirmed {
		h.confirmed, h.untold, h.sinceNS = true, false, since
	}
	if h.OnFound == nil {
		return
	}
	for _, file := range files {
		if _, known := h.found[file]; !known {
			if h.found == nil {
				h.found = map[string]int64{}
			}
			h.found[file] = since
			h.OnFound(file)
		}
	}
}

// notBefore is the latest time at which a process that holds a GPU now did not hold it.
func (h *Holders) notBefore(pid int, now int64) int64 {
	at := h.looks[pid]
	if at == 0 && h.Started != nil {
		at = h.Started(pid)
	}
	if at == 0 || at > now {
		return now
	}
	return max(at, h.begunNS)
}

// holds returns which of the job's GPUs a process has open, and whether it has another. Reading where a
// descriptor leads waits neither for a memory lock nor for the file.
func (h *Holders) holds(pid int, jobFiles map[string]bool) (own []string, other bool) {
	dir := filepath.Join(h.Proc, strconv.Itoa(pid), "fd")
	f, err := os.Open(dir)
	if err != nil {
		h.blind = h.blind || !errors.Is(err, fs.ErrNotExist) // one that has ended holds nothing
		return nil, false
	}
	names, _ := f.Readdirnames(mostDescriptors) // what could be read counts
	_ = f.Close()
	for _, name := range names {
		file, err := rawcall.Readlink(filepath.Join(dir, name))
		if err != nil || !isGPU(file) {
			continue
		}
		if !jobFiles[file] {
			other = true
			continue
		}
		if own = append(own, file); h.OnFound == nil {
			return own, other
		}
	}
	return own, other
}

// isGPU tells whether a device file is that of one GPU: not that of all, as nvidiactl
// and kfd are.
func isGPU(file string) bool {
	for _, prefix := range []string{nvidiaFile, renderFile} {
		if rest, ok := strings.CutPrefix(file, prefix); ok {
			_, number := job.Count(rest)
			return number
		}
	}
	return false
}

// Device files of one GPU, before their number.
const (
	nvidiaFile = "/dev/nvidia"
	renderFile = "/dev/dri/renderD"
)

// Notes say why nothing was read.
func (h *Holders) Notes() []note.Note {
	var why string
	if h.Lost != nil && h.Lost() != nil && !h.confirmed {
		return []note.Note{note.New(note.GPUsUnread, "the job's GPUs were not recorded: %v", h.Lost())}
	}
	switch {
	case h.confirmed, h.OnFound != nil && !h.shares:
		return nil
	case h.shares:
		why = "the job has a share of a GPU: what all of it does is not the job's own"
	case h.untold:
		why = "no process of the job told whether others may have them too"
	case h.others:
		why = "its processes held other GPUs open than the scheduler named, and none of these"
	case !h.looked:
		why = "until the end it was not known which they are"
	case h.blind:
		why = "no process of the job was seen to hold one of them open, and not of all could it be seen"
	default:
		return []note.Note{note.New(note.GPUsNotHeld,
			"the job's GPUs were not recorded: no process of the job held one of them open")}
	}
	return []note.Note{note.New(note.GPUsWithheld, "the job's GPUs were not recorded: %s", why)}
}
