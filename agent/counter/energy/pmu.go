package energy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
)

// scaledEvent is an open event, and the factor that converts its count to microjoules.
type scaledEvent struct {
	perf.SingleCounter
	scale float64
}

// openPMU opens the events of the power PMU on every CPU of its mask. It skips domains that the machine does
// not have, and returns errNotPresent if the PMU or all domains are missing.
func openPMU(open perf.Opener, sys string) (polled.Meter, error) {
	dir := filepath.Join(sys, "bus/event_source/devices/power")
	pmuType, err := readUint(filepath.Join(dir, "type"), 32)
	if errors.Is(err, fs.ErrNotExist) {
		return polled.Meter{}, errNotPresent
	}
	if err != nil {
		return polled.Meter{}, err
	}
	cpus, err := kernel.ReadCPUs(filepath.Join(dir, "cpumask"))
	if err != nil {
		return polled.Meter{}, fmt.Errorf("read the CPUs of the kernel's power PMU: %w", err)
	}
	m := polled.Meter{PMU: "power", EveryNS: everyNS}
	var events []scaledEvent
	var names []string
	m.Close = func() error { return closeEvents(events) }
	for _, d := range domains() {
		config, scale, err := readEvent(dir, d.event)
		if err != nil {
			continue // no such domain, or in a unit that we do not know
		}
		opened, err := openEvents(open, uint32(pmuType), config, cpus, scale)
		if perf.IsAbsent(err) || errors.Is(err, unix.EINVAL) {
			continue // old kernels show domains that an AMD does not have
		}
		if err != nil {
			return polled.Meter{}, errors.Join(fmt.Errorf("open the energy event %s, which needs root or "+
				"kernel.perf_event_paranoid 0: %w", d.event, err), m.Close())
		}
		m.Columns = append(m.Columns, column(d))
		names = append(names, fmt.Sprintf("%s config %#x", d.event, config))
		events = append(events, opened...)
	}
	if len(events) == 0 {
		return polled.Meter{}, errNotPresent
	}
	m.Event, m.Config = strings.Join(names, ", "), fmt.Sprintf("type %d on CPUs %v", pmuType, cpus)
	m.Cells = len(events)
	m.Read = func(cells []uint64) error { return readEvents(events, len(cpus), len(m.Columns), cells) }
	return m, nil
}

// readEvents reads all events into the cells. Cells alternate between columns, while events are sorted by
// domain and then CPU.
func readEvents(events []scaledEvent, cpus, columns int, cells []uint64) error {
	for i, e := range events {
		v, err := e.read()
		if err != nil {
			return err
		}
		cells[i%cpus*columns+i/cpus] = v
	}
	return nil
}

// readEvent reads an event's config and its scale in microjoules per count from sysfs. Units other than joules
// are an error.
func readEvent(dir, event string) (config uint64, scale float64, err error) {
	at := filepath.Join(dir, "events", event)
	var texts [3]string
	for i, suffix := range []string{"", ".unit", ".scale"} {
		if texts[i], err = readText(at + suffix); err != nil {
			return 0, 0, err
		}
	}
	if config, err = parseEvent(texts[0]); err != nil {
		return 0, 0, err
	}
	joules, err := strconv.ParseFloat(texts[2], 64)
	if err != nil || !(joules > 0 && joules < 1) || texts[1] != "Joules" {
		return 0, 0, fmt.Errorf("energy event %s: scale %q, unit %q, want Joules: %w", event, texts[2], texts[1], errFormat)
	}
	return config, joules * 1e6, nil
}

var errFormat = errors.New("the format is unknown, so this energy counter is not read")

// parseEvent parses "event=0x02", the only term that these events have.
func parseEvent(term string) (uint64, error) {
	value, ok := strings.CutPrefix(term, "event=")
	config, err := strconv.ParseUint(value, 0, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("energy event %q: want event=NUMBER: %w", term, errFormat)
	}
	return config, nil
}

// openEvents opens one event on each CPU.
func openEvents(open perf.Opener, pmuType uint32, config uint64, cpus []int, scale float64) ([]scaledEvent, error) {
	var events []scaledEvent
	for _, cpu := range cpus {
		e, err := perf.OpenSingleCounter(open, pmuType, config, cpu)
		if err != nil {
			return nil, errors.Join(err, closeEvents(events))
		}
		events = append(events, scaledEvent{e, scale})
	}
	return events, nil
}

// read returns microjoules since the event was opened.
func (e scaledEvent) read() (uint64, error) {
	count, err := e.Read()
	return scaled(count, e.scale), err
}

// scaled converts a count to microjoules. It never decreases when the count grows, because rounding keeps
// order. After a day at 300 W the count is 2^57 and the error 4 nJ.
func scaled(count uint64, scale float64) uint64 { return uint64(float64(count) * scale) }

// closeEvents closes all events and returns their errors.
func closeEvents(events []scaledEvent) error {
	var all error
	for _, e := range events {
		all = errors.Join(all, e.Close())
	}
	return all
}

// readText returns the text of a file without surrounding space.
func readText(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

// readUint reads a decimal number of at most this many bits from a file.
func readUint(path string, bits int) (uint64, error) {
	s, err := readText(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(s, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("parse %s: want a number: %w", path, errFormat)
	}
	return v, nil
}
