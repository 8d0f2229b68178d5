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

// helper runs the program jobgait-nvml and reads its records. Nothing waits for it: records are read without
// blocking, and if none arrives for long the program is abandoned but not killed, since it may be in a call of
// the driver.
type helper struct {
	process *os.Process
	to      int // closed to end it
	from    int
	in      []byte
	now     func() int64
	// polledNS is when it was last polled, silentNS for how long no record came while it was polled.
	polledNS, silentNS int64
	cpuNS, startNS     int64 // its CPU time so far, and until it had described its GPUs
	driver             string
	devices            []deviceInfo
	refresh            *record
	costs              []record // costs of calls, in a probe
	flushed            int      // number of completed flushes
	// windows are the utilization windows of each device that were not taken yet.
	windows [][]window
	gone    error
	// takers receive each reading.
	takers []taker
}

// deviceInfo is the helper's description of a device.
type deviceInfo struct {
	known        bool
	status       uint8
	minor        uint64
	minorUnknown bool
	memory       uint64
	gpm          bool
	uuid         string
	name         string
}

// taker receives readings of devices.
type taker interface{ take(r *record) }

// The helper is abandoned if it sends nothing for maxSilentNS. A pause between two polls counts for at most
// maxPauseNS, because the agent may have been stopped together with the helper.
const (
	maxSilentNS = 10e9
	maxPauseNS  = 1e9
)

var (
	errSilent = errors.New("NVIDIA's driver gave no answer for more than 10 s (does nvidia-smi hang?)")
	errEnded  = errors.New("jobgait-nvml ended before the job")
)

// startHelper starts the program for devices, each a UUID or the number of a device file, with options before
// them. Its environment is env, which only tests set.
func startHelper(program string, devices, env []string, now func() int64, options ...string) (*helper, error) {
	h := newHelper(len(devices), now)
	if err := h.start(program, append(options, devices...), env); err != nil {
		return nil, err
	}
	return h, nil
}

// start starts the program with pipes for its input and output.
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
		h.closePipes()
		return fmt.Errorf("start jobgait-nvml: %w", err)
	}
	h.polledNS = h.now()
	return nil
}

// newHelper returns a helper whose program is not started yet.
func newHelper(devices int, now func() int64) *helper {
	return &helper{now: now, devices: make([]deviceInfo, devices), windows: make([][]window, devices), polledNS: now(),
		to: -1, from: -1}
}

// flush requests that the program read all values now, and does not wait.
func (h *helper) flush() { h.request('F') }

// flushLast requests a last reading of all values, which ends with a new value of the energy, and does not wait.
func (h *helper) flushLast() { h.request('L') }

// request sends a request to the program.
func (h *helper) request(what byte) {
	if h.gone == nil && h.to >= 0 {
		_, _ = unix.Write(h.to, []byte{what}) // one that is gone is found by poll
	}
}

// ownCopy duplicates a file's descriptor, so that the copy stays open when the file is closed.
func ownCopy(f *os.File) (int, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	return fd, nil
}

// poll reads and handles the records that have arrived, without waiting. It abandons a program that has ended
// or hangs.
func (h *helper) poll() {
	if h.gone == nil && h.from < 0 {
		return // not started
	}
	now := h.now()
	paused := min(now-h.polledNS, maxPauseNS)
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
			if h.silentNS > maxSilentNS {
				h.abandon(errSilent)
			}
			return
		case err != nil:
			h.abandon(err)
		case n == 0:
			h.abandon(errEnded)
		default:
			heard = true
			h.decode(b[:n])
		}
	}
}

// decode splits received bytes into records and handles them. An invalid record makes it abandon the program.
func (h *helper) decode(b []byte) {
	h.in = append(h.in, b...)
	for h.gone == nil {
		r, rest, ok, err := cutRecord(h.in)
		if err == nil && ok && r.kind != recHello && r.kind != recFailed && r.kind != recFlushed &&
			int(r.device) >= len(h.devices) {
			err = errGarbled
		}
		if err != nil {
			h.abandon(err)
			return
		}
		if !ok {
			h.in = append(h.in[:0:0], rest...)
			return
		}
		h.in, h.cpuNS = rest, max(h.cpuNS, r.cpuNS)
		h.handle(&r)
	}
}

// cpu returns the program's CPU time.
func (h *helper) cpu() ReaderCPU { return ReaderCPU{TotalNS: h.cpuNS, StartNS: h.startNS} }

// handle stores the content of a record by its kind, and passes readings to the takers.
func (h *helper) handle(r *record) {
	switch r.kind {
	case recHello, recName, recDevice:
		h.startNS = r.cpuNS
	}
	switch r.kind {
	case recHello:
		h.driver = r.textAt(0)
	case recName:
		h.devices[r.device].name = r.textAt(0)
	case recDevice:
		h.devices[r.device] = deviceInfo{known: true, status: r.status[0], minor: r.value[0],
			minorUnknown: r.status[1] != nvOK, memory: r.value[1], gpm: r.value[2] != 0, uuid: r.textAt(24)}
	case recRefresh:
		h.refresh = r
	case recWindows:
		w := append(h.windows[r.device], r.windows()...)
		h.windows[r.device] = w[max(0, len(w)-maxWindows):]
	case recCost:
		h.costs = append(h.costs, *r)
	case recFlushed:
		h.flushed++
	case recReading:
		for _, t := range h.takers {
			t.take(r)
		}
	case recFailed:
		h.abandon(fmt.Errorf("jobgait-nvml cannot read the GPU: %s (%s)", r.textAt(0), statusText(r.status[0])))
	}
}

// maxWindows limits the windows of a device that wait to be taken: two minutes.
const maxWindows = 600

// takeWindows removes the waiting windows of a device and returns those that end after a time, in order.
func (h *helper) takeWindows(device int, afterNS int64) []window {
	all := h.windows[device]
	h.windows[device] = nil
	return slices.DeleteFunc(all, func(w window) bool { return w.endNS <= afterNS })
}

// files reads what has arrived and returns the device files of the helper's GPUs. It returns false until all
// GPUs are described, and if no GPU has a known device number.
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

// refused returns why a device is not read; nil if it is read or not described yet.
func (h *helper) refused(device uint16) error {
	if d := h.devices[device]; d.known && d.status != nvOK {
		return errors.New(statusText(d.status))
	}
	return nil
}

// gpuDevices returns the GPUs that the program has described and can read, with the index among its arguments.
func (h *helper) gpuDevices() []run.GPUDevice {
	var list []run.GPUDevice
	for i, d := range h.devices {
		if d.known && d.status == nvOK {
			list = append(list, run.GPUDevice{Index: i, Name: d.name, UUID: d.uuid, MemoryBytes: float64(d.memory)})
		}
	}
	return list
}

// abandon closes the pipes and records why. The program may finish its call and then ends by itself.
func (h *helper) abandon(why error) {
	h.gone = why
	h.closePipes()
}

// closePipes closes both pipes.
func (h *helper) closePipes() {
	for _, fd := range []int{h.to, h.from} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	h.to, h.from = -1, -1
}

// close ends the program by closing its pipes, and does not wait for it.
func (h *helper) close() error {
	if h.gone == nil {
		h.abandon(io.EOF)
	}
	if h.process == nil {
		return nil
	}
	p := h.process
	h.process = nil
	return p.Release()
}
