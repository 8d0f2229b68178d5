package polled_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
)

// openThermal opens a source as a separate package would: the sum of the temperatures of all thermal zones.
func openThermal(sys string) polled.Opener {
	return polled.Open(polled.CounterKind{Name: "temperature", Scope: "node", Open: func() (polled.Meter, error) {
		paths, err := filepath.Glob(filepath.Join(sys, "class/thermal/thermal_zone*/temp"))
		if err == nil && len(paths) == 0 {
			err = fmt.Errorf("no thermal zone")
		}
		if err != nil {
			return polled.Meter{}, err
		}
		var files []kernel.NumberFile
		for _, path := range paths {
			files = append(files, kernel.NewFirmwareNumber(path))
		}
		return polled.Meter{
			Columns: []profile.Column{{Name: "temperature", Unit: "mK", Scope: "node", Gauge: true}},
			Event:   "temp", PMU: "thermal", Config: paths[0], EveryNS: 1e9, Cells: len(files), Hangs: true,
			Read: func(cells []uint64) (err error) {
				for i, f := range files {
					if cells[i], err = f.Read(); err != nil {
						return err
					}
				}
				return nil
			},
			Close: func() error { return kernel.CloseAll(files) },
		}, nil
	}})
}

// The steps of the package's comment make a whole source: its columns, readings, rate
// and reasons.
func TestThirtyLines(t *testing.T) {
	sys := t.TempDir()
	if have, lack := openThermal(sys)(rawcall.Now); len(have) != 0 || len(lack) != 1 || lack[0].Name != "temperature" ||
		lack[0].Absent != "no thermal zone" {
		t.Fatalf("%d sources of nothing, lacking %+v", len(have), lack)
	}
	set := func(zone string, text string) {
		path := filepath.Join(sys, "class/thermal", zone, "temp")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set("thermal_zone0", "40000\n")
	set("thermal_zone1", "50000\n")
	have, lack := openThermal(sys)(rawcall.Now)
	if len(have) != 1 || len(lack) != 0 {
		t.Fatalf("%d sources, lacking %+v", len(have), lack)
	}
	s := have[0]
	defer s.Close()
	if c := s.Columns(); len(c) != 1 || c[0].Name != "temperature" || !(c[0].Hz > 0 && c[0].Hz <= 1) ||
		s.Sources()[0].Hz != c[0].Hz {
		t.Errorf("columns %+v, sources %+v", c, s.Sources())
	}
	var to countertest.Sink
	for len(to.Readings) == 0 { // a drain does not wait for firmware
		if err := s.Drain(&to); err != nil {
			t.Fatal(err)
		}
	}
	set("thermal_zone1", "51000\n")
	for read := len(to.Readings); len(to.Readings) < read+2; { // the first may be under way already
		if err := s.Drain(&to); err != nil {
			t.Fatal(err)
		}
	}
	if first, last := to.Readings[0].Counts,
		to.Readings[len(to.Readings)-1].Counts; !slices.Equal(first, []uint64{90000}) ||
		!slices.Equal(last, []uint64{91000}) {
		t.Errorf("readings %v to %v", first, last)
	}
	set("thermal_zone0", "hot\n")
	err := error(nil)
	for read := len(to.Readings); err == nil && len(to.Readings) < read+3; {
		err = s.Drain(&to)
	}
	if n := s.Notes(); err == nil || len(n) != 1 || !strings.Contains(n[0].Text, "temperature") {
		t.Errorf("error %v, notes %v", err, n)
	}
}
