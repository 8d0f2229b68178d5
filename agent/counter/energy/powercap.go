package energy

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// openPowercap returns a meter that reads energy_uj of the zones of the control type intel-rapl. It returns
// errNotPresent without such zones.
func openPowercap(sys string, now func() int64) (polled.Meter, error) {
	zones, err := findZones(filepath.Join(sys, "class/powercap"))
	if err != nil {
		return polled.Meter{}, err
	}
	columns, at := assignCells(zones)
	unwrap := make([]unwrapper, len(zones))
	files := make([]kernel.NumberFile, len(zones))
	for i, z := range zones {
		unwrap[i].limit = z.limit
		files[i] = kernel.NewNumber(z.path)
	}
	return polled.Meter{
		Columns: columns, Event: "energy_uj", PMU: "powercap", Config: zones[0].path, EveryNS: everyNS,
		Cells: len(columns) * len(zones),
		Read: func(cells []uint64) error {
			for i, f := range files {
				v, err := f.Read()
				if errors.Is(err, fs.ErrPermission) {
					return fmt.Errorf("open the energy counters, which only root may read: %w", err)
				}
				if err != nil {
					return err
				}
				cells[at[i]] = unwrap[i].add(v, now())
			}
			return nil
		},
		Close: func() error { return kernel.CloseAll(files) },
	}, nil
}

// sensor is one zone's file of microjoules.
type sensor struct {
	domain int // index in domains
	path   string
	limit  uint64 // the value at which it wraps to 0; 0 for never
}

// findZones returns the zones of packages, intel-rapl:N, and of their memory, intel-rapl:N:M. It ignores other
// control types such as intel-rapl-mmio, which show the same packages again.
func findZones(dir string) ([]sensor, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "intel-rapl:*"))
	if err != nil || len(paths) == 0 {
		return nil, errNotPresent
	}
	var zones []sensor
	for _, path := range paths {
		name, err := readText(filepath.Join(path, "name"))
		if err != nil {
			continue
		}
		depth := strings.Count(filepath.Base(path), ":") - 1
		for i, d := range domains() {
			if depth != i || !strings.HasPrefix(name, d.zone) {
				continue // a package is at depth 0, memory at 1
			}
			limit, err := readUint(filepath.Join(path, "max_energy_range_uj"), 63)
			if err != nil {
				return nil, fmt.Errorf("read the energy counter of zone %s: %w", filepath.Base(path), err)
			}
			zones = append(zones, sensor{i, filepath.Join(path, "energy_uj"), limit})
		}
	}
	if len(zones) == 0 {
		return nil, errNotPresent
	}
	return zones, nil
}

// assignCells returns a column for each domain that has a sensor, and for each sensor the index of its cell.
func assignCells(sensors []sensor) (columns []profile.Column, cell []int) {
	at := map[int]int{}
	for i, d := range domains() {
		for _, s := range sensors {
			if _, ok := at[i]; !ok && s.domain == i {
				at[i] = len(columns)
				columns = append(columns, column(d))
			}
		}
	}
	for i, s := range sensors {
		cell = append(cell, i*len(columns)+at[s.domain])
	}
	return columns, cell
}

// unwrapper turns a counter that wraps into one that only grows.
type unwrapper struct {
	limit       uint64
	last, total uint64
	timeNS      int64
	begun       bool
}

// maxWatts is an upper bound for the power of one zone. More means that the counter was reset, not that it
// wrapped. The joule on top is for readings in quick succession.
const (
	maxWatts   = 10_000
	slackMicro = 1_000_000
)

// add takes the counter's value v at nowNS and returns the total growth since the first call. An increase
// that needs more than maxWatts counts as a reset and is ignored. Without a limit, a smaller value is a
// reset.
func (u *unwrapper) add(v uint64, nowNS int64) uint64 {
	if u.begun {
		grew := v - u.last
		if v < u.last {
			grew = v + u.limit - u.last // 0 - something, if there is no limit
		}
		if float64(grew) <= maxWatts*1e-3*float64(nowNS-u.timeNS)+slackMicro {
			u.total += grew
		}
	}
	u.begun, u.last, u.timeNS = true, v, nowNS
	return u.total
}
