package gpu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// Holders determines whether processes of the job have its GPUs open. That does not prove use, and another open
// GPU does not disprove it: CUDA opens the node's first GPU unless that is prevented.
type Holders struct {
	// Proc is normally "/proc"; Members returns processes of the job.
	Proc    string
	Members func() []int
	// Sharing returns whether other jobs may use the GPUs too, from a process of the job.
	Sharing func(pid int) job.Sharing
	// JobFiles returns the device files of the job's GPUs, false while they are unknown.
	JobFiles func() (files map[string]bool, known bool)
	// WhyUnknown returns why the job's GPUs can never be known, nil while they can; the function may be nil.
	WhyUnknown func() error
	Now        func() int64
	// CPUTime returns the CPU time of this program, by which checks are spaced. nil uses Now, whose time is many
	// times longer on a busy node.
	CPUTime func() int64
	// StartOf returns when a process started, in ns of CLOCK_MONOTONIC, 0 if unknown; it may be nil. OnHeld is
	// called once, when a GPU is found to be open.
	StartOf func(pid int) int64
	OnHeld  func()
	// OnFound is called with each device file of JobFiles that is found to be open; the search for others
	// continues. nil means that all are the job's once one is open.
	OnFound func(file string)

	// watch reports that a process opened one of the device files, whether of the job or not; nil if unknown.
	watch *openWatch

	checkTimes
	holding
	doubts
}

// checkTimes plans the checks by their CPU time.
type checkTimes struct {
	begunNS int64   // when the first check was made
	lastNS  int64   // when the last check ended
	nextNS  int64   // when the next is due
	costsNS []int64 // CPU time of the last checks, at most recentChecks
	spareNS int64   // CPU time left of the reserve when the last check ended
}

// holding is what the checks have found so far.
type holding struct {
	sinceNS   int64            // the earliest time from which a GPU may have been open
	found     map[string]int64 // the same for each device file, with OnFound
	notHeldNS map[int]int64    // when each process was last seen without an open GPU
	confirmed bool
	complete  bool // nothing is left to find
}

// doubts are the reasons for which a job's GPUs are not recorded.
type doubts struct {
	checked        bool // processes were checked at least once
	incomplete     bool // the descriptors of some process could not be read
	shared         bool // other jobs may use them
	sharingUnknown bool // a process has them open and does not say whether other jobs may use them
	otherGPUs      bool // a process has only other GPUs open
}

// A check reads the links of at most mostDescriptors descriptors of each of mostProcesses processes, at about 1
// us each. Checks take at most 1/lookPart of a CPU, and a reserve of reserveNS of CPU time, which fills at that rate
// and is full at the start. The next check comes after 30 ms as long as half of the reserve is left, else after
// lookPart times the cost of a check, at the latest after 10 s. When a process opens a device file, the check is
// due at once, unless the whole reserve is used. The cost of a check is the smallest CPU time of the last
// recentChecks checks: the measured time is that of this whole process, which the garbage collector and other
// threads can only increase; 2.4 ms of that put the next check off by 1.2 s. Checks end when the GPUs are known to
// be the job's; with OnFound, when all are.
const (
	leastLookNS, mostLookNS = 30e6, 10e9
	lookPart                = 500
	reserveNS               = 10e6
	mostProcesses           = 128
	mostDescriptors         = 256
	recentChecks            = 3
)

// Confirmed reports whether a process of the job was found with one of the job's GPUs open, while no other job
// may use that GPU. If the time of the next check has come, it checks the processes first. It calls OnHeld when
// the result becomes true. The result then stays true; further checks are made only with OnFound, to find the
// job's other GPUs.
func (h *Holders) Confirmed() bool {
	now := h.Now()
	if h.begunNS == 0 {
		h.begunNS, h.lastNS, h.spareNS = now, now, reserveNS
	}
	if h.complete || h.shared {
		return h.confirmed
	}
	if h.watch.opened() && h.spareAt(now) > 0 {
		h.nextNS = min(h.nextNS, now)
	}
	if now < h.nextNS {
		return h.confirmed
	}
	spent := h.Now
	if h.CPUTime != nil {
		spent = h.CPUTime
	}
	before, begun := h.confirmed, spent()
	jobFiles, known := h.JobFiles()
	if known {
		h.checkHolders(now, jobFiles)
		h.complete = h.confirmed && (h.OnFound == nil || len(h.found) == len(jobFiles))
	}
	h.planNext(h.Now(), spent()-begun)
	if h.confirmed && !before && h.OnHeld != nil {
		h.OnHeld()
	}
	return h.confirmed
}

// spareAt returns how much of the reserve is left at a time, in ns of CPU time; negative if it is overdrawn.
func (t *checkTimes) spareAt(now int64) int64 {
	return min(reserveNS, t.spareNS+(now-t.lastNS)/lookPart)
}

// planNext plans the next check after one that ended at a time and took this CPU time.
func (t *checkTimes) planNext(now, cost int64) {
	if t.costsNS = append(t.costsNS, cost); len(t.costsNS) > recentChecks {
		t.costsNS = t.costsNS[1:]
	}
	least := slices.Min(t.costsNS)
	t.spareNS, t.lastNS = t.spareAt(now)-least, now
	pause := int64(leastLookNS)
	if t.spareNS < reserveNS/2 {
		pause = max(pause, lookPart*least)
	}
	t.nextNS = now + min(mostLookNS, pause)
}

// close ends the watch of device files.
func (h *Holders) close() error { return h.watch.close() }

// FoundSince returns from when on a device file may have been open, false if it was not found open.
func (h *Holders) FoundSince(file string) (int64, bool) {
	at, ok := h.found[file]
	return at, ok
}

// SinceNS returns from when on a GPU may have been open: when its holder started or was last seen without it.
func (h *Holders) SinceNS() int64 { return h.sinceNS }

// checkHolders checks which processes of the job, at most mostProcesses, have its GPUs open. It stops at the
// first that has only a share of a GPU and, without OnFound, at the first that has a whole GPU.
func (h *Holders) checkHolders(now int64, jobFiles map[string]bool) {
	pids := h.Members()
	others, looks := false, map[int]int64{}
	h.checked, h.incomplete = true, h.incomplete || len(pids) > mostProcesses
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
			h.shared = true
			return
		}
		h.sharingUnknown = true
	}
	h.otherGPUs, h.notHeldNS = others, looks
}

// confirm records that a process has these device files open, and calls OnFound for each file that was not
// known to be open.
func (h *Holders) confirm(pid int, now int64, files []string) {
	since := h.lastNotHeld(pid, now)
	if !h.confirmed {
		h.confirmed, h.sharingUnknown, h.sinceNS = true, false, since
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

// lastNotHeld returns the latest known time at which a process that has a GPU open now did not have it open: that of
// the last check, or the start of the process. The time is not before the first check; it is now if both are unknown.
func (h *Holders) lastNotHeld(pid int, now int64) int64 {
	at := h.notHeldNS[pid]
	if at == 0 && h.StartOf != nil {
		at = h.StartOf(pid)
	}
	if at == 0 || at > now {
		return now
	}
	return max(at, h.begunNS)
}

// holds returns which of the job's GPUs a process has open, and whether it has a GPU open that is not the
// job's. Without OnFound it stops at the first GPU of the job. Reading where a descriptor leads waits neither
// for a memory lock nor for the file.
func (h *Holders) holds(pid int, jobFiles map[string]bool) (own []string, other bool) {
	dir := filepath.Join(h.Proc, strconv.Itoa(pid), "fd")
	f, err := os.Open(dir)
	if err != nil {
		h.incomplete = h.incomplete || !errors.Is(err, fs.ErrNotExist) // one that has ended holds nothing
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

// isGPU reports whether a device file is that of one GPU, and not one of all GPUs such as nvidiactl and kfd.
func isGPU(file string) bool {
	for _, prefix := range []string{nvidiaFile, renderFile} {
		if rest, ok := strings.CutPrefix(file, prefix); ok {
			_, number := job.ParseCount(rest)
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

// Notes returns a note that says why nothing was read. It returns nil if a GPU was found to be open and, with
// OnFound, unless the GPUs are shared or can never be known.
func (h *Holders) Notes() []note.Note {
	var why string
	if h.WhyUnknown != nil && h.WhyUnknown() != nil && !h.confirmed {
		return []note.Note{note.New(note.GPUsUnread, "the job's GPUs were not recorded: %v", h.WhyUnknown())}
	}
	switch {
	case h.confirmed, h.OnFound != nil && !h.shared:
		return nil
	case h.shared:
		why = "the job has a share of a GPU, and its counters cover the whole GPU"
	case h.sharingUnknown:
		why = "jobgait could not find out whether other jobs may use them too"
	case h.otherGPUs:
		why = "its processes held other GPUs than those that the scheduler names"
	case !h.checked:
		why = "jobgait could not find out which GPUs the job has"
	case h.incomplete:
		why = "no process of the job held one of them open, as far as the processes could be read"
	default:
		return []note.Note{note.New(note.GPUsNotHeld,
			"the job's GPUs were not recorded: no process of the job held one of them open, so it probably used none")}
	}
	return []note.Note{note.New(note.GPUsWithheld, "the job's GPUs were not recorded: %s", why)}
}
