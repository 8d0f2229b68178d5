package gpu

import (
	"errors"
	"path/filepath"
	"strings"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
)

// builtIn tells a processor's own GPU, which has the same address everywhere.
func (c card) builtIn() bool { return c.vendor == intelVendor && c.pci == "0000:00:02.0" }

// engine is a part of an Intel GPU that runs kernels, and its open events.
type engine struct {
	name  string
	ticks bool // busy counts ticks, of which total has all; else ns
	busy  perf.Alone
	total perf.Alone

	begun               bool
	lastBusy, lastTotal uint64
	sinceNS             int64
}

// stillNS is after how long ticks must have moved that an idle engine moves too.
const stillNS = 1e9

var errStill = errors.New("its ticks stand still")

// ran is for how many ns since it was last asked the engine ran. A count that is smaller
// than it was, or has grown by more than there was time for, began anew, and nobody knows
// what it had counted before.
func (e *engine) ran(nowNS int64) (ns float64, err error) {
	busy, err := e.busy.Read()
	if err != nil {
		return 0, err
	}
	total := e.lastTotal
	if e.ticks {
		if total, err = e.total.Read(); err != nil {
			return 0, err
		}
	}
	grew, all, passed := busy-e.lastBusy, total-e.lastTotal, nowNS-e.sinceNS
	anew := !e.begun || busy < e.lastBusy || total < e.lastTotal
	switch {
	case anew:
	case !e.ticks && float64(grew) > 2*float64(passed)+stillNS:
	case !e.ticks:
		ns = float64(grew)
	case all == 0 && passed > stillNS:
		return 0, errStill
	case all == 0:
		return 0, nil // too soon: what was is not forgotten
	default:
		ns = min(1, float64(grew)/float64(all)) * float64(passed)
	}
	e.begun, e.lastBusy, e.lastTotal, e.sinceNS = true, busy, total, nowNS
	return ns, nil
}

// engines is an Intel GPU whose events are read again and again. They are opened only
// when the job holds the GPU: xe keeps it awake for as long as one is open.
type engines struct {
	pmu   pmu
	card  card
	open  perf.Opener
	now   func() int64
	list  []engine // nil until they are open
	ranNS float64
}

// read adds for how long the busiest engine ran. Time in which several did is not to be
// had, and is not counted twice.
func (g *engines) read() (uint64, error) {
	if g.list == nil {
		if err := g.begin(); err != nil {
			return 0, err
		}
	}
	most, now := 0.0, g.now()
	for i := range g.list {
		ns, err := g.list[i].ran(now)
		if err != nil {
			return 0, errors.Join(err, g.close()) // opened anew the next time
		}
		most = max(most, ns)
	}
	g.ranNS += most
	return uint64(g.ranNS), nil
}

func (g *engines) begin() (err error) {
	if g.pmu.xe {
		if err := g.card.awake(); err != nil {
			return err
		}
	}
	g.list, err = g.pmu.openEngines(g.open)
	return err
}

func (g *engines) close() error {
	list := g.list
	g.list = nil
	return closeEngines(list)
}

// whenHeld makes a reading wait until the GPU is held: package polled reads once to see
// whether there is anything, which is before, and then not until then (held).
func whenHeld(read func() (uint64, error)) func(cells []uint64) error {
	asked := false
	return func(cells []uint64) (err error) {
		if !asked {
			asked = true
			return polled.ErrAbsent
		}
		cells[0], err = read()
		return err
	}
}

// intelKernel is for how long some kernel ran on an Intel GPU.
func intelKernel(n int, c card, p Params) (polled.Meter, error) {
	found, err := findPMU(p.Sys, c)
	if err != nil {
		return polled.Meter{Config: c.dir}, err
	}
	g := &engines{pmu: found, card: c, open: p.Perf, now: p.Holders.Now}
	m := polled.Meter{Event: found.events(), PMU: found.name(), Config: c.pci, EveryNS: countsNS, Hangs: true, Close: g.close, Read: whenHeld(g.read)}
	m.Columns = append(m.Columns, column(n, "kernel", "ns", false))
	return m, nil
}

// events are those that are counted, in words.
func (p pmu) events() string {
	if p.xe {
		return "engine-active-ticks of engine-total-ticks"
	}
	return "rcs*-busy, ccs*-busy"
}

// intelEnergy is what an Intel board took, or its chip where the board is not told of.
func intelEnergy(n int, c card) (polled.Meter, error) {
	path := c.hwmonEnergy()
	if path == "" {
		return polled.Meter{Config: c.dir}, errNothing
	}
	file := kernel.NewFirmwareNumber(path)
	m := polled.Meter{Event: filepath.Base(path), PMU: "hwmon", Config: path, EveryNS: countsNS, Hangs: true, Close: file.Close}
	m.Columns = append(m.Columns, column(n, "energy", "uJ", false))
	m.Read = whenHeld(func() (uint64, error) {
		if err := c.awake(); err != nil {
			return 0, err
		}
		return file.Read()
	})
	return m, nil
}

// hwmonEnergy finds the sensor of all of a card, not that of one of its parts, which
// i915 names i915_gt0 and so on; "" if it has none.
func (c card) hwmonEnergy() string {
	for _, name := range []string{"energy1_input", "energy2_input"} {
		found, _ := filepath.Glob(filepath.Join(c.dir, "hwmon/hwmon*", name))
		for _, path := range found {
			if !strings.Contains(kernel.Text(filepath.Join(filepath.Dir(path), "name")), "_gt") {
				return path
			}
		}
	}
	return ""
}
