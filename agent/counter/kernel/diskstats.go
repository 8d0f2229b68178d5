package kernel

import (
	"path/filepath"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// Disks returns a meter of /proc/diskstats: bytes and operations of whole disks that have a hardware device.
//
//	254 0 vda 2134315 206621 54367330 1625747 1322713 580420 124381384 686044 0 235052 ...
//
// After the name: reads completed, merged, sectors, ms; writes completed,
// merged, sectors, ms. A sector has 512 bytes whatever the disk says.
func Disks(r Roots) (polled.Meter, error) {
	disks, err := wholeDisks(r.Sys)
	if err != nil {
		return polled.Meter{}, err
	}
	names := make([]string, len(disks))
	for i, d := range disks {
		names[i] = d.name
	}
	return perDevice(filepath.Join(r.Proc, "diskstats"), names, []profile.Column{
		{Name: "disk_read_bytes", Unit: "bytes", Scope: "node"},
		{Name: "disk_write_bytes", Unit: "bytes", Scope: "node"},
		{Name: "disk_reads", Unit: "operations", Scope: "node"},
		{Name: "disk_writes", Unit: "operations", Scope: "node"},
	}, parseDiskstats), nil
}

// disk is a whole disk (no partition): its name and its device number as "major:minor".
type disk struct{ name, device string }

// wholeDisks returns the disks that have a hardware device: not loop, dm, md and zram, whose bytes are those of
// other disks or of memory, and not hidden paths to a disk that is also listed itself.
func wholeDisks(sys string) ([]disk, error) {
	dir := filepath.Join(sys, "block")
	names, err := withDevice("disk", dir, func(at string) bool { return ReadText(filepath.Join(at, "hidden")) != "1" })
	if err != nil {
		return nil, err
	}
	disks := make([]disk, len(names))
	for i, name := range names {
		disks[i] = disk{name, ReadText(filepath.Join(dir, name, "dev"))}
	}
	return disks, nil
}

const sector = 512

// parseDiskstats fills the cells of each named disk: read and written bytes, reads and writes.
func parseDiskstats(b []byte, names []string, cells []uint64) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest := cutField(cutFields(line, 2))
		i := indexOf(names, name)
		if i < 0 {
			continue
		}
		var n [7]uint64
		if !cutNumbers(rest, n[:]) {
			return errUnexpectedFormat
		}
		cells[4*i], cells[4*i+1], cells[4*i+2], cells[4*i+3] = n[2]*sector, n[6]*sector, n[0], n[4]
	}
	return nil
}
