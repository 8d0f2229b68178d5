package kernel

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// InfiniBand returns a meter of the data counters of all active ports below /sys/class/infiniband, which count
// words of four bytes. Every reading queries the adapter's firmware, which takes some 10 us to 1 ms and may hang:
// two files per port, five times a second, in a separate goroutine.
//
// Kernels before 4.5 have the 64-bit counters in counters_ext; their counters directory, and that of old
// adapters since, has 32 bits that stop when they are full, after 17 GB: once one port is full, every reading
// of the meter fails.
func InfiniBand(r Roots) (polled.Meter, error) {
	ports, err := filepath.Glob(filepath.Join(r.Sys, "class/infiniband/*/ports/*"))
	if err != nil || len(ports) == 0 {
		return polled.Meter{}, errors.New("this node has no InfiniBand adapter: there is nothing to measure")
	}
	var files []NumberFile
	var names []string
	for _, dir := range ports {
		if !strings.HasPrefix(ReadText(filepath.Join(dir, "state")), "4:") { // ACTIVE
			continue
		}
		rx, tx := portCounters(dir)
		files = append(files, NewFirmwareNumber(rx), NewFirmwareNumber(tx))
		names = append(names, filepath.Base(filepath.Dir(filepath.Dir(dir)))+"/"+filepath.Base(dir))
	}
	if len(files) == 0 {
		return polled.Meter{}, errors.New("this node has no active InfiniBand port: there is nothing to measure")
	}
	return polled.Meter{
		Columns: []profile.Column{
			{Name: "ib_rx_bytes", Unit: "bytes", Scope: "node"},
			{Name: "ib_tx_bytes", Unit: "bytes", Scope: "node"},
		},
		Event: strings.Join(names, ","), PMU: "infiniband", Config: files[0].Path(), EveryNS: every5Hz, Cells: len(files),
		Hangs: true,
		Read:  func(cells []uint64) error { return readWords(files, cells) },
		Close: func() error { return CloseAll(files) },
	}, nil
}

// portCounters returns the paths of a port's 64-bit counters of received and sent words, else of its other
// counters.
func portCounters(dir string) (rx, tx string) {
	rx = filepath.Join(dir, "counters_ext/port_rcv_data_64")
	tx = filepath.Join(dir, "counters_ext/port_xmit_data_64")
	if exists(rx) && exists(tx) {
		return rx, tx
	}
	return filepath.Join(dir, "counters/port_rcv_data"), filepath.Join(dir, "counters/port_xmit_data")
}

const (
	fullWords = 1<<32 - 1 // a 32-bit counter that has stopped
	wordBytes = 4
)

// readWords reads the counters into the cells, in bytes. A full 32-bit counter is an error.
func readWords(files []NumberFile, cells []uint64) error {
	for i, f := range files {
		v, err := f.Read()
		if err != nil {
			return err
		}
		if v == fullWords {
			return fmt.Errorf("%s is a 32-bit counter that stopped at its maximum: reset it with perfquery -R", f.Path())
		}
		cells[i] = v * wordBytes
	}
	return nil
}
