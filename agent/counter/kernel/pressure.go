package kernel

import (
	"bytes"
	"errors"
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// Pressure returns a meter of /proc/pressure/{cpu,io,memory}: the time for which some or all tasks waited for
// the resource. Every read updates the totals; the averages are not used.
//
//	some avg10=1.94 avg60=1.56 avg300=3.09 total=9211914085
//	full avg10=0.00 avg60=0.00 avg300=0.00 total=0
func Pressure(r Roots) (polled.Meter, error) {
	dir := filepath.Join(r.Proc, "pressure")
	if !exists(dir) {
		return polled.Meter{}, errors.New("this kernel reports no pressure (PSI): boot it with psi=1")
	}
	return pressure("psi", "node", dir, newMovingFiles(fixedDir(dir), "cpu", "io", "memory")), nil
}

// pressure returns a meter of three pressure files: of cpu, io and memory. It uses "some" for the CPU, since a
// whole node never waits for CPUs, and "full" for the others, the time in which no task ran.
func pressure(prefix, scope, where string, p *movingFiles) polled.Meter {
	return polled.Meter{
		Columns: []profile.Column{
			{Name: prefix + "_cpu_some", Unit: "ns", Scope: scope},
			{Name: prefix + "_io_full", Unit: "ns", Scope: scope},
			{Name: prefix + "_mem_full", Unit: "ns", Scope: scope},
		},
		Event: "total", PMU: "psi", Config: where, EveryNS: every5Hz,
		Read: func(cells []uint64) error {
			for i, share := range [...]string{"some", "full", "full"} {
				b, err := p.read(i)
				if err != nil {
					return err
				}
				if cells[i], err = parsePressure(b, share); err != nil {
					return err
				}
			}
			return nil
		},
		Close: p.close,
	}
}

// parsePressure returns the total waiting time, in nanoseconds, from the line of a pressure file that begins with
// share ("some" or "full"). The file gives it in microseconds.
func parsePressure(b []byte, share string) (uint64, error) {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		if name, _ := cutField(line); string(name) != share {
			continue
		}
		_, total, ok := bytes.Cut(line, []byte(" total="))
		if us, _, isNumber := cutNumber(total); ok && isNumber && us < 1<<53 {
			return us * 1000, nil
		}
		return 0, errUnexpectedFormat
	}
	return 0, errUnexpectedFormat
}
