package address

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"sort"
	"strconv"

	"golang.org/x/sys/unix"

	"jobgait/agent/peek"
)

// inode identifies a file on this node. It lacks the generation that some records have, because /proc/PID/maps
// does not show it and both must give the same identity.
type inode struct {
	dev, ino uint64
}

// area is one mapping of code.
type area struct {
	start, end, offset uint64
	inode              inode
	// file is the hash of the file's identity, 0 while unknown.
	file uint64
	// id is the file's index in the hit table, 0 if it has none.
	id int32
	// purpose is what the file's code is for.
	purpose purpose
}

// vdsoFile is the identity of the vdso, the kernel's code that is mapped into each process. It has no file, but its
// functions have names.
var vdsoFile = hashBuildID([]byte(peek.VDSO))

// anonymous reports whether the code is in no file and not the vdso: it was generated at run time.
func (a area) anonymous() bool { return a.file == 0 && a.inode.ino == 0 }

// space is the code areas of one process, in order of addresses.
type space []area

// find returns the index of the area that holds an address, -1 if none does.
func (s space) find(ip uint64) int {
	i, found := slices.BinarySearchFunc(s, ip, func(a area, ip uint64) int {
		switch {
		case ip < a.start:
			return 1
		case ip >= a.end:
			return -1
		}
		return 0
	})
	if !found {
		return -1
	}
	return i
}

// insert returns the space with a new mapping, which replaces what it covers. It changes the slice in place, so
// that a process that maps code repeatedly costs a search and a move each time but no copy.
func (s space) insert(n area) space {
	from := sort.Search(len(s), func(i int) bool { return s[i].end > n.start })
	to := from
	var left [3]area
	put := left[:0]
	if from < len(s) && s[from].start < n.start {
		head := s[from]
		head.end = n.start
		put = append(put, head)
	}
	put = append(put, n)
	for to < len(s) && s[to].start < n.end {
		to++
	}
	if to > from && s[to-1].end > n.end {
		tail := s[to-1]
		tail.start, tail.offset = n.end, tail.offset+(n.end-tail.start)
		put = append(put, tail)
	}
	return slices.Replace(s, from, to, put...)
}

// maxAreas limits the areas kept of one process, maxMaps what is read of its maps, in bytes: normal programs
// have up to a thousand areas of code and 300 KB of maps.
const (
	maxAreas = 1 << 12
	maxMaps  = 8 << 20
)

var errMaps = errors.New("/proc/PID/maps has a malformed line: want ADDRESS-ADDRESS RIGHTS OFFSET DEVICE INODE PATH")

// parseMaps parses /proc/PID/maps and returns the executable areas; know registers each area's file. It reads
// at most maxMaps bytes and maxAreas areas:
//
//	7f2c0d028000-7f2c0d1bd000 r-xp 00028000 fe:01 1234   /usr/lib/libc.so.6
func parseMaps(r io.Reader, know func(a area, path string) int32) (space, error) {
	var s space
	lines := bufio.NewScanner(r)
	for left := maxMaps; len(s) < maxAreas && left > 0 && lines.Scan(); left -= len(lines.Bytes()) + 1 {
		a, exec, err := parseMapsLine(lines.Bytes())
		if err != nil {
			return nil, err
		}
		if exec {
			path := pathOf(lines.Bytes())
			if path == peek.VDSO {
				a.file = vdsoFile
			}
			a.id, a.purpose = know(a, path), purposeOf(baseName(path))
			s = append(s, a)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(s, func(a, b area) int { return cmp.Compare(a.start, b.start) })
	return s, nil
}

// pathOf returns the path at the end of a line of /proc/PID/maps or peek.VDSO, "" if the line has neither.
func pathOf(line []byte) string {
	if bytes.HasSuffix(bytes.TrimRight(line, " "), []byte(" "+peek.VDSO)) && !bytes.Contains(line, []byte("/")) {
		return peek.VDSO
	}
	if i := bytes.IndexByte(line, '/'); i >= 0 {
		return string(line[i:])
	}
	return ""
}

// parseMapsLine parses one line of /proc/PID/maps; exec says whether the area is executable.
func parseMapsLine(line []byte) (a area, exec bool, err error) {
	f := bytes.Fields(line)
	if len(f) < 5 {
		return area{}, false, errMaps
	}
	from, to, ok := bytes.Cut(f[0], []byte("-"))
	major, minor, ok2 := bytes.Cut(f[3], []byte(":"))
	if !ok || !ok2 || len(f[1]) < 3 {
		return area{}, false, errMaps
	}
	var v [6]uint64
	for i, n := range []struct {
		text []byte
		base int
	}{{from, 16}, {to, 16}, {f[2], 16}, {major, 16}, {minor, 16}, {f[4], 10}} {
		if v[i], err = strconv.ParseUint(string(n.text), n.base, 64); err != nil {
			return area{}, false, errMaps
		}
	}
	if v[1] <= v[0] {
		return area{}, false, errMaps
	}
	a = area{start: v[0], end: v[1], offset: v[2], inode: inode{unix.Mkdev(uint32(v[3]), uint32(v[4])), v[5]}}
	return a, f[1][2] == 'x', nil
}
