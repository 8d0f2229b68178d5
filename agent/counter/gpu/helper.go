package gpu

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/analysis/run"
)

// helper is jobgait-nvml from outside. Nothing waits for it: what it has said is read
// without waiting, and when it says nothing for long it is left behind, never killed,
// since it may be in a call of the driver.
type helper struct {
	process *os.Process
	to      int // closed to end it
	from    int
	in      []byte
	now     func() int64
	// polledNS is when it was last polled, silentNS for how long it has been silent while being polled.
	polledNS, silentNS int64
	cpuNS, startNS     int64 // its CPU time so far, and until it had introduced its GPUs
	driver             string
	devices            []introduced
	refresh            *record
	costs              []record // of calls, in a probe
	flushed            int      // how often it has read everything at once
	// windows are those of each device that were not taken yet.
	windows [][]window
	gone    error
	// takers are given each reading.
	takers []taker
}

// introduced is what is known of a device.
type introduced struct {
	known        bool
	status       uint8
	minor        uint64
	minorUnknown bool
	memory       uint64
	gpm          bool
	uuid         string
	name         string
}

// taker takes readings of a device.
type taker interface{ take(r *record) }

// It is left behind when it has said nothing for silentNS; pauses count for mostPause
// at most: who was stopped beside it must not take it for hung.
const (
	silentMost = 10e9
	mostPause  = 1e9
)

var (
	errSilent = errors.New("NVIDIA's driver gave no answer for more than 10 s")
	errEnded  = errors.New("jobgait-nvml has ended")
)

// startHelper starts the program for devices, each a UUID or the number of a device file,
// with options before them. It gets no environment but env, which tests have.
func startHelper(program string, devices, env []string, now func() int64, options ...string) (*helper, error) {
	h := newHelper(len(devices), now)
	if err := h.start(program, append(options, devices...), env); err != nil {
		return nil, err
	}
	return h, nil
}

// start starts the program; until then there is nothing to listen to.
func (h *helper) start(program string, args, env []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	defer inRead.Close()
	defer inWrite.Close()
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	defer outRead.Close()
	defer outWrite.Close()
	if h.to, err = ownCopy(inWrite); err == nil {
		h.from, err = ownCopy(outRead)
	}
	if err == nil {
		err = unix.SetNonblock(h.from, true)
	}
	if err == nil {
		h.process, err = os.StartProcess(program, append([]string{program}, args...),
			&os.ProcAttr{Dir: "/", Env: append([]string{}, env...),
				Files: []*os.File{inRead, outWrite, null}, Sys: &syscall.SysProcAttr{Setsid: true}})
	}
	if err != nil {
		h.shut()
		return fmt.Errorf("start jobgait-nvml: %w", err)
	}
	h.polledNS = h.now()
	return nil
}

func newHelper(devices int, now func() int64) *helper {
	return &helper{now: now, devices: make([]introduced, devices), windows: make([][]window, devices), polledNS: now(),
		to: -1, from: -1}
}

// flush makes it read everything at once, without waiting for that.
func (h *helper) flush() {
	if h.gone == nil && h.to >= 0 {
		_, _ = unix.Write(h.to, []byte("F")) // one that is gone is found by poll
	}
}

// ownCopy is a descriptor that no file of Go's owns.
func ownCopy(f *os.File) (int, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	return fd, nil
}

// poll takes what it has said.
func (h *helper) poll() {
	if h.gone == nil && h.from < 0 {
		return // not started
	}
	now := h.now()
	paused := min(now-h.polledNS, mostPause)
	h.polledNS = now
	heard := false
	for h.gone == nil {
		var b [64 * recordBytes]byte
		n, err := unix.Read(h.from, b[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			if h.silentNS += paused; heard {
				h.silentNS = 0
			}
			if h.silentNS > silentMost {
				h.leave(errSilent)
			}
			return
		case err != nil:
			h.leave(err)
		case n == 0:
			h.leave(errEnded)
		default:
			heard = true
			h.hear(b[:n])
		}
	}
}

// hear takes records apart.
func (h *helper) hear(b []byte) {
	h.in = append(h.in, b...)
	for h.gone == nil {
		r, rest, ok, err := cutRecord(h.in)
		if err == nil && ok && r.kind != recHello && r.kind != recFailed && r.kind != recFlushed &&
			int(r.device) >= len(h.devices) {
			err = errGarbled
		}
		if err != nil {
			h.leave(err)
			return
		}
		if !ok {
			h.in = append(h.in[:0:0], rest...)
			return
		}
		h.in, h.cpuNS = rest, max(h.cpuNS, r.cpuNS)
		h.keep(&r)
	}
}

// cpu is its CPU time.
func (h *helper) cpu() ReaderCPU { return ReaderCPU{TotalNS: h.cpuNS, StartNS: h.startNS} }

func (h *helper) keep(r *record) {
	switch r.kind {
	case recHello, recName, recDevice:
		h.startNS = r.cpuNS
	}
	switch r.kind {
	case recHello:
		h.driver = r.words(0)
	case recName:
		h.devices[r.device].name = r.words(0)
	case recDevice:
		h.devices[r.device] = introduced{known: true, status: r.status[0], minor: r.value[0],
			minorUnknown: r.status[1] != nvOK, memory: r.value[1], gpm: r.value[2] != 0, uuid: r.words(24)}
	case recRefresh:
		h.refresh = r
	case recWindows:
		w := append(h.windows[r.device], r.windows()...)
		h.windows[r.device] = w[max(0, len(w)-mostWindows):]
	case recCost:
		h.costs = append(h.costs, *r)
	case recFlushed:
		h.flushed++
	case recReading:
		for _, t := range h.takers {
			t.take(r)
		}
	case recFailed:
		h.leave(fmt.Errorf("%s (%s)", r.words(0), said(r.status[0])))
	}
}

// mostWindows is how many windows of a device wait to be taken: two minutes.
const mostWindows = 600

// takeWindows returns the windows of a device that end after a time, in their order.
func (h *helper) takeWindows(device int, afterNS int64) []window {
	all := h.windows[device]
	h.windows[device] = nil
	return slices.DeleteFunc(all, func(w window) bool { return w.endNS <= afterNS })
}

// files are the device files of its GPUs, once all were introduced.
func (h *helper) files() (map[string]bool, bool) {
	h.poll()
	files := map[string]bool{}
	for _, d := range h.devices {
		if !d.known {
			return nil, false
		}
		if d.status == nvOK && !d.minorUnknown {
			files[fmt.Sprint(nvidiaFile, d.minor)] = true
		}
	}
	return files, len(files) > 0
}

// refused is why a device is not read, nil where it is or nothing is known of it.
func (h *helper) refused(device uint16) error {
	if d := h.devices[device]; d.known && d.status != nvOK {
		return errors.New(said(d.status))
	}
	return nil
}

// boards are what has been said of its GPUs.
func (h *helper) boards() []run.GPUDevice {
	var list []run.GPUDevice
	for i, d := range h.devices {
		if d.known && d.status == nvOK {
			list = append(list, run.GPUDevice{Index: i, Name: d.name, UUID: d.uuid, MemoryBytes: float64(d.memory)})
		}
	}
	return list
}

// leave goes on without it. What it is doing it may end, and then ends itself.
func (h *helper) leave(why error) {
	h.gone = why
	h.shut()
}

func (h *helper) shut() {
	for _, fd := range []int{h.to, h.from} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	h.to, h.from = -1, -1
}

// close ends it, and does not wait for that.
func (h *helper) close() error {
	if h.gone == nil {
		h.leave(io.EOF)
	}
	if h.process == nil {
		return nil
	}
	p := h.process
	h.process = nil
	return p.Release()
}
