package kernel

import (
	"bytes"
	"errors"
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// NFS returns a meter of the bytes read from and written to NFS servers, over all mounts, from
// /proc/self/mountstats.
//
//	device srv:/home mounted on /home with fstype nfs4 statvers=1.1
//		bytes:	1 2 0 0 4096 8192 1 2
//
// The numbers are the bytes that programs read and wrote, those read and written with O_DIRECT, those read from
// and written to the server, and pages read and written.
func NFS(r Roots) (polled.Meter, error) {
	f := newList(filepath.Join(r.Proc, "self/mountstats"))
	b, err := f.read()
	if err != nil {
		return polled.Meter{}, err
	}
	if !bytes.Contains(b, []byte(" with fstype nfs")) {
		return polled.Meter{}, errors.Join(errors.New("this node mounts no NFS file system: nothing to measure"), f.close())
	}
	return polled.Meter{
		Columns: []profile.Column{
			{Name: "nfs_read_bytes", Unit: "bytes", Scope: "node"},
			{Name: "nfs_write_bytes", Unit: "bytes", Scope: "node"},
		},
		Event: "serverread,serverwrite", PMU: "proc", Config: f.path, EveryNS: every1Hz,
		Read: func(cells []uint64) error {
			b, err := f.read()
			if err == nil {
				cells[0], cells[1], err = parseNFS(b)
			}
			return err
		},
		Close: f.close,
	}, nil
}

// maxMounts limits the mounts that are compared with each other.
const maxMounts = 256

// parseNFS sums the server's bytes of all mounts. A file system that is mounted twice, recognized by equal
// numbers, counts once.
func parseNFS(b []byte) (read, write uint64, err error) {
	var seen [maxMounts][8]uint64
	mounts := 0
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest := cutField(line)
		if string(name) != "bytes:" {
			continue
		}
		var n [8]uint64
		ok := false
		for k := range n {
			if n[k], rest, ok = cutNumber(rest); !ok {
				return 0, 0, errUnexpectedFormat
			}
		}
		if isDuplicate(seen[:mounts], n) {
			continue
		}
		if mounts < maxMounts {
			seen[mounts] = n
			mounts++
		}
		read, write = read+n[4], write+n[5]
	}
	return read, write, nil
}

// isDuplicate reports whether the numbers n are among those seen.
func isDuplicate(seen [][8]uint64, n [8]uint64) bool {
	for _, s := range seen {
		if s == n {
			return true
		}
	}
	return false
}
