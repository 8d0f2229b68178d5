package energy

import (
	"path/filepath"
	"strings"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/polled"
)

// openHwmon reads the socket sensors of AMD's driver amd_energy, which adds up
// the hardware's counter by itself.
func openHwmon(sys string) (polled.Meter, error) {
	labels, err := filepath.Glob(filepath.Join(sys, "class/hwmon/hwmon*/energy*_label"))
	if err != nil {
		return polled.Meter{}, errNone
	}
	var files []kernel.Number
	for _, path := range labels {
		label, err := readText(path)
		driver, errName := readText(filepath.Join(filepath.Dir(path), "name"))
		if err == nil && errName == nil && driver == "amd_energy" && strings.HasPrefix(label, "Esocket") {
			files = append(files, kernel.NewFirmwareNumber(strings.TrimSuffix(path, "_label")+"_input"))
		}
	}
	if len(files) == 0 {
		return polled.Meter{}, errNone
	}
	m := polled.Meter{Event: "Esocket", PMU: "amd_energy", Config: files[0].Path(), EveryNS: everyNS, Cells: len(files), Hangs: true,
		Close: func() error { return kernel.CloseAll(files) }}
	m.Columns = append(m.Columns, column(domains()[0]))
	m.Read = func(cells []uint64) (err error) {
		for i, f := range files {
			if cells[i], err = f.Read(); err != nil {
				return err
			}
		}
		return nil
	}
	return m, nil
}
