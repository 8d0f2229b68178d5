package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// perDevice returns a Meter of a file with a short line for each of many devices. parse fills the cells of the
// named devices, one for each column.
func perDevice(path string, names []string, columns []profile.Column,
	parse func(b []byte, names []string, cells []uint64) error) polled.Meter {
	f := newLines(path)
	return polled.Meter{
		Columns: columns, Event: strings.Join(names, ","), PMU: "proc", Config: path,
		EveryNS: every5Hz, Cells: len(columns) * len(names),
		Read: func(cells []uint64) error {
			b, err := f.read()
			if err != nil {
				return err
			}
			return parse(b, names, cells)
		},
		Close: f.close,
	}
}

// withDevice returns the entries of a directory in /sys that have a hardware device and pass the test.
// Entries without one are built on others and would count twice. It returns an error if none is left.
func withDevice(kind, dir string, passes func(at string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list the node's devices of kind %s: %w", kind, err)
	}
	var names []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if exists(filepath.Join(at, "device")) && passes(at) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("this node has no %s backed by a hardware device: there is nothing to measure", kind)
	}
	return names, nil
}
