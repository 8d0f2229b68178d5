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

// counted is an open event: what its count is to be multiplied with for
// microjoules.
type counted struct {
	perf.Alone
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
		config, scale, err := describe(dir, d.event)
		if err != nil {
			continue // no such domain, or in a unit that we do not know
		}
		opened, err := openOn(open, uint32(pmuType), config, cpus, scale)
		if perf.Absent(err) || errors.Is(err, unix.EINVAL) {
			continue // old kernels show domains that an AMD does not have
		}
		if err != nil {
			return polled.Meter{}, errors.Join(fmt.Errorf("%s: %w", d.event, err), m.Close())
		}
		m.Columns = append(m.Columns, column(d))
		names = append(names, fmt.Sprintf("%s config %#x", d.event, config))
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

// describe reads an event's config, scale and unit. An event in another unit than joules is not supported.
func describe(dir, event string) (config uint64, scale float64, err error) {
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
		return 0, 0, fmt.Errorf("%s: scale %q, unit %q: %w", event, texts[2], texts[1], errFormat)
	}
	return config, joules * 1e6, nil
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

func openOn(open perf.Opener, pmuType uint32, config uint64, cpus []int, scale float64) ([]counted, error) {
	var events []counted
	for _, cpu := range cpus {
		e, err := perf.OpenAlone(open, pmuType, config, cpu)
		if err != nil {
			return nil, errors.Join(err, closeEvents(events))
		}
		events = append(events, counted{e, scale})
	}
	return events, nil
}

// read returns microjoules since the event was opened.
func (e counted) read() (uint64, error) {
	count, err := e.Read()
	return scaled(count, e.scale), err
}

// scaled never decreases when the count grows: rounding keeps order. After a day
// of 300 W the count is 2^57 and the error 4 nJ.
func scaled(count uint64, scale float64) uint64 { return uint64(float64(count) * scale) }

func closeEvents(events []counted) error {
	var all error
	for _, e := range events {
		all = errors.Join(all, e.Close())
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
