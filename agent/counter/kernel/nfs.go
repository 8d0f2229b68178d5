package kernel

import (
	"bytes"
	"errors"
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// NFS reads the bytes that went to and came from NFS servers, of all mounts,
// from /proc/self/mountstats.
//
//	device srv:/home mounted on /home with fstype nfs4 statvers=1.1
//		bytes:	1 2 0 0 4096 8192 1 2
//
// The numbers are bytes that programs read and wrote, the same past the cache,
// then those of the server, then pages.
func NFS(r Roots) (polled.Meter, error) {
	f := newList(filepath.Join(r.Proc, "self/mountstats"))
	b, err := f.read()
	if err != nil {
		return polled.Meter{}, err
	}
	if !bytes.Contains(b, []byte(" with fstype nfs")) {
		return polled.Meter{}, errors.Join(errors.New("no NFS file system is mounted"), f.close())
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

// maxMounts bounds the comparison of mounts with each other.
const maxMounts = 256

// parseNFS adds up the server's bytes. One server's file system that is mounted
// twice counts once: all its numbers are the same, and not zero.
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
				return 0, 0, errFormat
			}
		}
		if again(seen[:mounts], n) {
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

func again(seen [][8]uint64, n [8]uint64) bool {
	for _, s := range seen {
		if s == n {
			return true
		}
	}
	return false
}
