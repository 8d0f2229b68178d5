package gpu

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// The intervals of reading AMD's files, in ns: the driver refreshes its table every 1 ms (formerly 100 ms), and
// levels are drawn in bins of seconds.
const (
	countsNS = 200e6
	levelsNS = 1e9
)

// board reads the files of one AMD GPU, in a goroutine that may hang.
type board struct {
	n          int // index among the job's GPUs
	card       card
	buf        [4096]byte
	metrics    metrics
	hasMetrics bool // gpu_metrics could be read
	busy       kernel.NumberFile
	memory     kernel.NumberFile
	power      kernel.NumberFile // in uW
	hasVRAM    bool
	hasUW      bool
	hasBusy    bool
	// kernelNS is the accumulated time in which some kernel ran, up to sinceNS.
	kernelNS float64
	sinceNS  int64
}

// newBoard returns the board of a card, after trying which of its files can be read. A suspended card is an
// error.
func newBoard(n int, c card) (*board, error) {
	b := &board{n: n, card: c,
		busy:   kernel.NewFirmwareNumber(filepath.Join(c.dir, "gpu_busy_percent")),
		memory: kernel.NewFirmwareNumber(filepath.Join(c.dir, "mem_info_vram_used"))}
	if err := c.checkAwake(); err != nil {
		return nil, err
	}
	b.hasMetrics = b.readMetrics() == nil
	_, err := b.busy.Read()
	b.hasBusy = err == nil || b.metrics.hasBusy
	_, err = b.memory.Read()
	b.hasVRAM = err == nil
	// A counter that never moved is not used: some boards leave it at 0.
	b.metrics.hasEnergy = b.metrics.hasEnergy && b.metrics.energy > 0
	for _, name := range []string{"power1_average", "power1_input"} {
		if path := c.hwmon(name); path != "" && !b.hasUW {
			b.power, b.hasUW = kernel.NewFirmwareNumber(path), true
		}
	}
	return b, nil
}

// readMetrics reads and parses gpu_metrics into b.metrics, which an error leaves unchanged.
func (b *board) readMetrics() error {
	path := filepath.Join(b.card.dir, "gpu_metrics")
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	n, err := unix.Read(fd, b.buf[:])
	if err = errors.Join(err, unix.Close(fd)); err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	m, err := parseMetrics(b.buf[:n])
	if err != nil {
		return err
	}
	b.metrics = m
	return nil
}

// column returns a column of the n-th GPU; level says that it is a level and not a count.
func column(n int, what, unit string, level bool) profile.Column {
	return profile.Column{Name: fmt.Sprintf("gpu%d_%s", n, what), Unit: unit, Scope: "job", Gauge: level, Ticked: true}
}

// meter returns a meter of this board without columns.
func (b *board) meter(everyNS int64) polled.Meter {
	return polled.Meter{Event: b.card.pci, PMU: "amdgpu", Config: b.card.dir, EveryNS: everyNS, Hangs: true,
		Close: b.close}
}

// close closes the board's files.
func (b *board) close() error {
	return kernel.CloseAll([]kernel.NumberFile{b.busy, b.memory, b.power}[:b.files()])
}

// files returns how many number files the board has, 2 or 3.
func (b *board) files() int {
	if b.hasUW {
		return 3
	}
	return 2
}

// countMeter returns the meter of the board's counts: energy, and the time in which some kernel ran.
func (b *board) countMeter(now func() int64) (polled.Meter, error) {
	m := b.meter(countsNS)
	var reads []func() (uint64, error)
	if b.metrics.hasEnergy {
		m.Columns = append(m.Columns, column(b.n, "energy", "uJ", false))
		reads = append(reads, func() (uint64, error) { return orNothing(b.metrics.microjoules(), b.metrics.hasEnergy) })
	}
	if b.hasBusy {
		m.Columns = append(m.Columns, column(b.n, "kernel", "ns", false))
		reads = append(reads, func() (uint64, error) { return b.kernelTime(now()) })
	}
	return b.completeMeter(m, reads)
}

// levelMeter returns the meter of the board's levels: memory in use, clock, and power if there is no energy.
// Power of gpu_metrics goes before that of the sensor files.
func (b *board) levelMeter() (polled.Meter, error) {
	m := b.meter(levelsNS)
	var reads []func() (uint64, error)
	if b.hasVRAM {
		m.Columns = append(m.Columns, column(b.n, "memory", "bytes", true))
		reads = append(reads, b.memory.Read)
	}
	if b.metrics.hasClock {
		m.Columns = append(m.Columns, column(b.n, "clock", "MHz", true))
		reads = append(reads, func() (uint64, error) { return orNothing(b.metrics.clockMHz, b.metrics.hasClock) })
	}
	switch {
	case b.metrics.hasEnergy:
	case b.metrics.hasPower:
		m.Columns = append(m.Columns, column(b.n, "power", "mW", true))
		reads = append(reads, func() (uint64, error) { return orNothing(b.metrics.socketMW, b.metrics.hasPower) })
	case b.hasUW:
		m.Columns = append(m.Columns, column(b.n, "power", "mW", true))
		reads = append(reads, func() (uint64, error) { v, err := b.power.Read(); return v / 1000, err })
	}
	return b.completeMeter(m, reads)
}

// completeMeter sets the meter's Read, which calls all reads; if one fails or the card is suspended, the
// reading is a gap. It returns errNothing if reads is empty.
func (b *board) completeMeter(m polled.Meter, reads []func() (uint64, error)) (polled.Meter, error) {
	if len(reads) == 0 {
		return m, errNothing
	}
	m.Read = func(cells []uint64) error {
		if err := b.card.checkAwake(); err != nil {
			return err
		}
		if b.hasMetrics {
			if err := b.readMetrics(); err != nil {
				return err
			}
		}
		for i, read := range reads {
			v, err := read()
			if err != nil {
				return err
			}
			cells[i] = v
		}
		return nil
	}
	return m, nil
}

// orNothing returns v, or errNothing if the field is missing now.
func orNothing(v uint64, ok bool) (uint64, error) {
	if !ok {
		return 0, errNothing
	}
	return v, nil
}

// maxHold is the longest time for which a reading of the utilization is taken to hold.
const maxHold = time.Second

// kernelTime adds the utilization times the time since the last reading, at most maxHold, and returns the sum
// in ns.
func (b *board) kernelTime(now int64) (uint64, error) {
	percent, ok := b.metrics.busyPct, b.metrics.hasBusy
	if !ok {
		v, err := b.busy.Read()
		if err != nil {
			return 0, err
		}
		percent = v
	}
	if b.sinceNS != 0 {
		b.kernelNS += float64(min(percent, 100)) / 100 * float64(min(max(0, now-b.sinceNS), int64(maxHold)))
	}
	b.sinceNS = now
	return uint64(b.kernelNS), nil
}
