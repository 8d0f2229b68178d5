package kernel

import (
	"bytes"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
)

// resident is the memory of a process in bytes, without mapped files.
type resident struct{ anonymous, shared, highest uint64 }

// readMemory returns the memory of a process, 0 if it cannot be read, and in grown by how many bytes its peak exceeds
// its present memory; grown is 0 if the peak did not rise since the last reading. It adds the CPUs that the process
// may run on to those of the job.
func (u *jobUse) readMemory(pid int, p *processUse) (m resident, grown uint64) {
	b, err := rawcall.ReadRecord(filepath.Join(u.proc, strconv.Itoa(pid), "status"), u.buf, maxStat)
	if err == nil {
		m, err = parseResident(b)
	}
	if !u.sizes.count(err) {
		return resident{}, 0
	}
	u.meanwhile.allowCPUs(b)
	if now := m.anonymous + m.shared; m.highest > p.highest && m.highest > now {
		grown = m.highest - now
	}
	p.highest = max(p.highest, m.highest)
	return m, grown
}

// parseResident parses the memory in /proc/PID/status; highest is the peak without the mapped files of now. A zombie
// lacks these lines and has no memory.
func parseResident(b []byte) (resident, error) {
	if !bytes.Contains(b, []byte("State:")) {
		return resident{}, errUnexpectedFormat
	}
	kb := func(key string) uint64 {
		v, _ := findKey(b, key)
		return min(v, 1<<50) << 10
	}
	m := resident{anonymous: kb("RssAnon"), shared: kb("RssShmem")}
	if high, file := kb("VmHWM"), kb("RssFile"); high > file {
		m.highest = high - file
	}
	return m, nil
}
