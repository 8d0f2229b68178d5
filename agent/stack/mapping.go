package stack

import (
	"bytes"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"jobgait/agent/rawcall"
)

// maxMaps limits what is read of the mappings of a process, in bytes.
const maxMaps = 8 << 20

// mapping is a part of a process's memory that holds code.
type mapping struct {
	start, end, offset uint64
	inode              uint64
	path               string // as the process sees it, "" for memory without a file
}

// mappingsOf reads the mappings of a process that hold code, in ascending order.
func mappingsOf(proc string, pid int) ([]mapping, error) {
	text, err := rawcall.ReadList(filepath.Join(proc, strconv.Itoa(pid), "maps"), nil, maxMaps)
	if err != nil {
		return nil, err
	}
	return parseMappings(text), nil
}

// parseMappings parses the text of /proc/PID/maps and returns the executable mappings, in ascending order. It
// leaves out lines that it cannot parse.
func parseMappings(text []byte) (list []mapping) {
	for line := range bytes.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(string(line), "\n"), " ", 6)
		if len(f) < 6 || !strings.Contains(f[1], "x") {
			continue
		}
		from, to, _ := strings.Cut(f[0], "-")
		var m mapping
		var errs [4]error
		m.start, errs[0] = strconv.ParseUint(from, 16, 64)
		m.end, errs[1] = strconv.ParseUint(to, 16, 64)
		m.offset, errs[2] = strconv.ParseUint(f[2], 16, 64)
		m.inode, errs[3] = strconv.ParseUint(f[4], 10, 64)
		m.path = strings.TrimLeft(f[5], " ")
		if errs == [4]error{} && m.start < m.end {
			list = append(list, m)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].start < list[j].start })
	return list
}

// mappingAt returns the mapping that contains an address, nil if none does.
func mappingAt(list []mapping, addr uint64) *mapping {
	i := sort.Search(len(list), func(i int) bool { return list[i].end > addr })
	if i == len(list) || list[i].start > addr {
		return nil
	}
	return &list[i]
}
