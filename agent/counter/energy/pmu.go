package energy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
)

// counted is an open event: what its count is to be multiplied with for
// microjoules.
type counted struct {
	fd    int
	scale float64
}

// openPMU opens the events of the power PMU, on every CPU of its mask.
func openPMU(open perf.Opener, sys string) (polled.Meter, error) {
	dir := filepath.Join(sys, "bus/event_source/devices/power")
	pmuType, err := readUint(filepath.Join(dir, "type"), 32)
	if errors.Is(err, fs.ErrNotExist) {
		return polled.Meter{}, errNone
	}
	if err != nil {
		return polled.Meter{}, err
	}
	cpus, err := kernel.ReadCPUs(filepath.Join(dir, "cpumask"))
	if err != nil {
		return polled.Meter{}, fmt.Errorf("power PMU: %w", err)
	}
	m := polled.Meter{PMU: "power", EveryNS: everyNS}
	var events []counted
	var names []string
	m.Close = func() error { return closeEvents(events) }
	for _, d := range domains() {
		attr, scale, err := describe(dir, d.event, uint32(pmuType))
		if err != nil {
			continue // no such domain, or in a unit that we do not know
		}
		opened, err := openOn(open, attr, cpus, scale)
		if perf.Absent(err) || errors.Is(err, unix.EINVAL) {
			continue // old kernels show domains that an AMD does not have
		}
		if err != nil {
			return polled.Meter{}, errors.Join(fmt.Errorf("%s: %w", d.event, err), m.Close())
		}
		m.Columns = append(m.Columns, column(d))
		names = append(names, fmt.Sprintf("%s config %#x", d.event, attr.Config))
		events = append(events, opened...)
	}
	if len(events) == 0 {
		return polled.Meter{}, errNone
	}
	m.Event, m.Config = strings.Join(names, ", "), fmt.Sprintf("type %d on CPUs %v", pmuType, cpus)
	m.Cells = len(events)
	m.Read = func(cells []uint64) error { return readEvents(events, len(cpus), len(m.Columns), cells) }
	return m, nil
}

// readEvents fills the cells. They go round the columns; events are a domain's,
// CPU by CPU.
func readEvents(events []counted, cpus, columns int, cells []uint64) error {
	for i, e := range events {
		v, err := e.read()
		if err != nil {
			return err
		}
		cells[i%cpus*columns+i/cpus] = v
	}
	return nil
}

// describe reads an event's config, scale and unit. An event in anything but
// joules is none of ours.
func describe(dir, event string, pmuType uint32) (unix.PerfEventAttr, float64, error) {
	at := filepath.Join(dir, "events", event)
	term, err := readText(at)
	if err != nil {
		return unix.PerfEventAttr{}, 0, err
	}
	config, err := parseEvent(term)
	if err != nil {
		return unix.PerfEventAttr{}, 0, err
	}
	unit, err := readText(at + ".unit")
	if err != nil {
		return unix.PerfEventAttr{}, 0, err
	}
	number, err := readText(at + ".scale")
	if err != nil {
		return unix.PerfEventAttr{}, 0, err
	}
	joules, err := strconv.ParseFloat(number, 64)
	if err != nil || !(joules > 0 && joules < 1) || unit != "Joules" {
		return unix.PerfEventAttr{}, 0, fmt.Errorf("%s: scale %q, unit %q: %w", event, number, unit, errFormat)
	}
	attr := unix.PerfEventAttr{Type: pmuType, Config: config}
	attr.Size = uint32(unsafe.Sizeof(attr))
	return attr, joules * 1e6, nil
}

var errFormat = errors.New("unknown format")

// parseEvent reads "event=0x02", the one term that these events have.
func parseEvent(term string) (uint64, error) {
	value, ok := strings.CutPrefix(term, "event=")
	config, err := strconv.ParseUint(value, 0, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("event %q: %w", term, errFormat)
	}
	return config, nil
}

func openOn(open perf.Opener, attr unix.PerfEventAttr, cpus []int, scale float64) ([]counted, error) {
	var events []counted
	for _, cpu := range cpus {
		a := attr
		fd, err := open(&a, -1, cpu, -1, 0)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open on CPU %d: %w", cpu, err), closeEvents(events))
		}
		events = append(events, counted{fd, scale})
	}
	return events, nil
}

// read returns microjoules since the event was opened.
func (e counted) read() (uint64, error) {
	var b [8]byte
	n, err := unix.Read(e.fd, b[:])
	if err != nil {
		return 0, os.NewSyscallError("read", err)
	}
	if n != len(b) {
		return 0, errFormat // the CPU went offline: there is nothing to read
	}
	return scaled(binary.NativeEndian.Uint64(b[:]), e.scale), nil
}

// scaled never decreases when the count grows: rounding keeps order. After a day
// of 300 W the count is 2^57 and the error 4 nJ.
func scaled(count uint64, scale float64) uint64 { return uint64(float64(count) * scale) }

func closeEvents(events []counted) error {
	var all error
	for _, e := range events {
		all = errors.Join(all, os.NewSyscallError("close", unix.Close(e.fd)))
	}
	return all
}

func readText(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

func readUint(path string, bits int) (uint64, error) {
	s, err := readText(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(s, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("parse %s: %w", path, errFormat)
	}
	return v, nil
}
