package gpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
)

// pmu is what an Intel GPU's driver counts for perf, as sysfs describes it.
type pmu struct {
	dir  string
	kind uint32 // of its events
	cpu  int    // the one of its mask: a count is the same on all
	xe   bool   // xe's, which counts ticks, or i915's, which counts ns
}

// Errors of PMUs.
var (
	errNoPMU   = errors.New("its driver counts nothing for perf")
	errFormat  = errors.New("unknown format")
	errEngines = errors.New("its driver counts for none of its render and compute engines")
)

// findPMU finds a card's: named by its driver and its address, which has colons that
// perf keeps for itself; i915's of a processor's own GPU is without the address.
func findPMU(sys string, c card) (pmu, error) {
	address := strings.ReplaceAll(c.pci, ":", "_")
	names := []string{"xe_" + address, "i915_" + address}
	if c.builtIn() {
		names = append(names, "i915")
	}
	for _, name := range names {
		p := pmu{dir: filepath.Join(sys, "bus/event_source/devices", name), xe: strings.HasPrefix(name, "xe_")}
		kind, err := os.ReadFile(filepath.Join(p.dir, "type"))
		if err != nil {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(string(kind)), 10, 32)
		if err != nil {
			return pmu{}, fmt.Errorf("PMU %s: type %.20q: %w", name, kind, errFormat)
		}
		cpus, err := kernel.ReadCPUs(filepath.Join(p.dir, "cpumask"))
		if err != nil {
			return pmu{}, fmt.Errorf("PMU %s: %w", name, err)
		}
		p.kind, p.cpu = uint32(n), cpus[0]
		return p, nil
	}
	return pmu{}, errNoPMU
}

// name is the PMU's, as perf has it.
func (p pmu) name() string { return filepath.Base(p.dir) }

// config is that of an event with further terms, as "gt=1".
func (p pmu) config(event, more string) (config uint64, err error) {
	terms := kernel.Text(filepath.Join(p.dir, "events", event)) + more
	for term := range strings.SplitSeq(terms, ",") {
		name, v, err := parseTerm(term)
		if err != nil {
			return 0, fmt.Errorf("event %s: %w", event, err)
		}
		at := field{0, 63}
		if name != "config" {
			if at, err = parseField(kernel.Text(filepath.Join(p.dir, "format", filepath.Base(name)))); err != nil {
				return 0, fmt.Errorf("event %s: format of %s: %w", event, name, err)
			}
		}
		if config, err = at.put(config, v); err != nil {
			return 0, fmt.Errorf("event %s: %s: %w", event, term, err)
		}
	}
	return config, nil
}

// parseTerm reads "event=0x02".
func parseTerm(term string) (name string, v uint64, err error) {
	name, number, ok := strings.Cut(strings.TrimSpace(term), "=")
	v, err = strconv.ParseUint(number, 0, 64)
	if !ok || err != nil || name == "" {
		return "", 0, fmt.Errorf("term %.40q: %w", term, errFormat)
	}
	return name, v, nil
}

// field is which bits of the config a term has.
type field struct{ lo, hi int }

// parseField reads "config:60-63" or "config:5". Other words and several ranges, which
// perf knows too, these PMUs do not have.
func parseField(format string) (field, error) {
	bits, ok := strings.CutPrefix(format, "config:")
	first, last, isRange := strings.Cut(bits, "-")
	if !isRange {
		last = first
	}
	lo, errLo := strconv.ParseUint(first, 10, 6)
	hi, errHi := strconv.ParseUint(last, 10, 6)
	if !ok || errLo != nil || errHi != nil || lo > hi {
		return field{}, fmt.Errorf("%.40q: %w", format, errFormat)
	}
	return field{int(lo), int(hi)}, nil
}

// put adds a value that fits.
func (f field) put(config, v uint64) (uint64, error) {
	if width := f.hi - f.lo + 1; width < 64 && v>>width != 0 {
		return 0, fmt.Errorf("%d has more than %d bits: %w", v, width, errFormat)
	}
	return config | v<<f.lo, nil
}

// engineClass is a kind of engine that runs kernels, in i915's words and xe's numbers.
// Those that copy and those for video do not.
type engineClass struct {
	name   string
	number int
}

func engineClasses() []engineClass { return []engineClass{{"rcs", 0}, {"ccs", 4}} }

// Of an xe GPU are asked at most so many parts, each for so many engines of a class.
const (
	mostParts   = 4
	mostEngines = 8
)

// openEngines opens the events of all engines that run kernels.
func (p pmu) openEngines(open perf.Opener) (engines []engine, err error) {
	if p.xe {
		engines, err = p.openXe(open)
	} else {
		engines, err = p.openI915(open)
	}
	if err == nil && len(engines) == 0 {
		err = errEngines
	}
	if err != nil {
		return nil, errors.Join(err, closeEngines(engines))
	}
	return engines, nil
}

// openI915 opens rcs0-busy and the like, which count ns.
func (p pmu) openI915(open perf.Opener) (engines []engine, err error) {
	for _, class := range engineClasses() {
		files, err := filepath.Glob(filepath.Join(p.dir, "events", class.name+"[0-9]*-busy"))
		if err != nil {
			return engines, err
		}
		for _, file := range files {
			event := filepath.Base(file)
			if unit := kernel.Text(file + ".unit"); unit != "ns" {
				return engines, fmt.Errorf("event %s: unit %.20q: %w", event, unit, errFormat)
			}
			config, err := p.config(event, "")
			if err != nil {
				return engines, err
			}
			busy, err := perf.OpenAlone(open, p.kind, config, p.cpu)
			if err != nil {
				return engines, fmt.Errorf("event %s: %w", event, err)
			}
			engines = append(engines, engine{name: strings.TrimSuffix(event, "-busy"), busy: busy})
		}
	}
	return engines, nil
}

// openXe opens what xe counts of an engine: the ticks for which it was active and all.
// Which engines there are sysfs does not tell: one that is not there cannot be opened,
// and they are numbered from 0 on.
func (p pmu) openXe(open perf.Opener) (engines []engine, err error) {
	for part := range mostParts {
		for _, class := range engineClasses() {
			for i := range mostEngines {
				e := engine{name: fmt.Sprintf("%s%d of gt%d", class.name, i, part), ticks: true}
				more := fmt.Sprintf(",gt=%d,engine_class=%d,engine_instance=%d", part, class.number, i)
				if e.busy, err = p.openTicks(open, "engine-active-ticks", more); perf.Absent(err) {
					break
				}
				if err != nil {
					return engines, err
				}
				if e.total, err = p.openTicks(open, "engine-total-ticks", more); err != nil {
					return engines, errors.Join(err, e.busy.Close())
				}
				engines = append(engines, e)
			}
		}
	}
	return engines, nil
}

func (p pmu) openTicks(open perf.Opener, event, more string) (perf.Alone, error) {
	config, err := p.config(event, more)
	if err != nil {
		return perf.Alone{}, err
	}
	e, err := perf.OpenAlone(open, p.kind, config, p.cpu)
	if err != nil {
		return e, fmt.Errorf("event %s: %w", event, err)
	}
	return e, nil
}

func closeEngines(engines []engine) (err error) {
	for _, e := range engines {
		err = errors.Join(err, e.busy.Close())
		if e.ticks {
			err = errors.Join(err, e.total.Close())
		}
	}
	return err
}
