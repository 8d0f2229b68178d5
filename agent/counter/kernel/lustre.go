package kernel

import (
	"errors"
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// Lustre returns a meter of the stats of all mounted Lustre file systems: bytes that programs read and wrote,
// cached or not.
//
//	read_bytes   123 samples [bytes] 4096 4194304 515899392
//
// Count, unit, least, most, sum. Since 2.12 only root sees them, in debugfs. The files below /proc are used
// only if debugfs has none.
func Lustre(r Roots) (polled.Meter, error) {
	var files []*file
	for _, pattern := range []string{
		filepath.Join(r.Sys, "kernel/debug/lustre/llite/*/stats"),
		filepath.Join(r.Proc, "fs/lustre/llite/*/stats"),
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(files) > 0 {
			continue
		}
		for _, path := range paths {
			files = append(files, newList(path))
		}
	}
	if len(files) == 0 {
		return polled.Meter{}, errors.New("this node mounts no Lustre file system with readable statistics: there is " +
			"nothing to measure")
	}
	return polled.Meter{
		Columns: []profile.Column{
			{Name: "lustre_read_bytes", Unit: "bytes", Scope: "node"},
			{Name: "lustre_write_bytes", Unit: "bytes", Scope: "node"},
		},
		Event: "read_bytes,write_bytes", PMU: "lustre", Config: files[0].path, EveryNS: every5Hz, Cells: 2 * len(files),
		Read: func(cells []uint64) error {
			for i, f := range files {
				b, err := f.read()
				if err != nil {
					return err
				}
				if cells[2*i], cells[2*i+1], err = parseLustre(b); err != nil {
					return err
				}
			}
			return nil
		},
		Close: func() error { return closeAll(files...) },
	}, nil
}

// parseLustre returns the sums of bytes read and written; 0 if the line does not exist yet.
func parseLustre(b []byte) (read, write uint64, err error) {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest := cutField(line)
		var to *uint64
		switch string(name) {
		case "read_bytes":
			to = &read
		case "write_bytes":
			to = &write
		default:
			continue
		}
		v, _, ok := cutNumber(cutFields(rest, 5))
		if !ok {
			return 0, 0, errUnexpectedFormat
		}
		*to = v
	}
	return read, write, nil
}
