package address

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"jobgait/agent/profile"
)

// places counts where within files code was hit, in the whole run. It is a table
// with open addressing: a hit takes 5 to 15 ns of CPU time, with maps of maps it was
// 150 to 290.
type places struct {
	files []file
	ids   map[fileKey]int32 // indexes of files, from 1 on
	slots []slot            // a power of two, half of them empty at least
	used  int
	// kernel and anonymous are hits without a file, lost those of places for which
	// there was no room.
	kernel, anonymous, lost uint64
}

// slot counts the hits of one place: the key is the file's index and the place's number, 0 for none; the top
// bit of the count is set once the function of the place was requested.
type slot struct{ key, count uint64 }

const (
	askedBit  = uint64(1) << 63
	placeBits = 48
	leastRoom = 1 << 10
)

// file is one that the job mapped as code. Its path is kept only here, because the name lookup needs a path; no
// profile stores it.
type file struct {
	hash  uint64 // 0 as long as it is not known
	build string // in hexadecimal digits
	inode uint64
	path  string // as the process sees it that mapped it first
	pid   int32  // of the process that was in it last
}

type fileKey struct {
	hash  uint64
	inode inode
}

func newPlaces() *places {
	return &places{ids: map[fileKey]int32{}, slots: make([]slot, leastRoom)}
}

// know gives a file its index, 0 if there are too many.
func (x *places) know(a area, path, build string) int32 {
	if a.anonymous() {
		return 0
	}
	k := fileKey{a.file, a.inode}
	id, ok := x.ids[k]
	if !ok && len(x.files) < profile.MostFiles {
		x.files = append(x.files, file{hash: a.file, build: build, inode: a.inode.ino, path: path})
		id = int32(len(x.files))
		x.ids[k] = id
	}
	return id
}

// hit counts one in a file, known by its area.
func (x *places) hit(a *area, off uint64, pid int32) {
	if a.id == 0 || off>>4 >= 1<<placeBits {
		x.lost++
		return
	}
	x.files[a.id-1].pid = pid
	key := uint64(a.id)<<placeBits | off>>4
	s := x.slot(key)
	if s.key == 0 {
		if x.used >= profile.MostPlaces || 2*x.used >= len(x.slots) {
			x.makeRoom()
			s = x.slot(key)
		}
		s.key = key
		x.used++
	}
	s.count++
}

// slot is that of a key, or the empty one where it belongs.
func (x *places) slot(key uint64) *slot {
	shift := 65 - bits.Len(uint(len(x.slots)))
	for i := key * 0x9e3779b97f4a7c15 >> shift; ; i++ {
		s := &x.slots[i&uint64(len(x.slots)-1)]
		if s.key == key || s.key == 0 {
			return s
		}
	}
}

// makeRoom doubles the table, or when there are as many places as may be forgets those
// that were hit no more often than the mean: the start of a program that imports a
// thousand others must not take the place of its loop.
func (x *places) makeRoom() {
	old, size, least := x.slots, 2*len(x.slots), uint64(0)
	if x.used >= profile.MostPlaces {
		total := uint64(0)
		for _, s := range old {
			total += s.count &^ askedBit
		}
		size, least = len(old), total/uint64(x.used)
	}
	x.slots, x.used = make([]slot, size), 0
	for _, s := range old {
		switch n := s.count &^ askedBit; {
		case s.key == 0:
		case n <= least:
			x.lost += n
		default:
			*x.slot(s.key) = s
			x.used++
		}
	}
}

// CodeFile is a file whose code was hit, and what finding it takes.
type CodeFile struct {
	profile.PlaceFile
	Inode uint64 // 0 where the kernel told the build id in its place
	Path  string // as the process sees it
	PID   int    // of a process that was in it
	// New returns the places, in the form of Places, whose functions were not requested yet.
	New []profile.Place
}

// snapshot lists the files that were hit.
func (x *places) snapshot() []CodeFile {
	all := make([]CodeFile, len(x.files))
	for i, f := range x.files {
		all[i] = CodeFile{PlaceFile: profile.PlaceFile{Key: f.hash, Build: f.build, Name: baseName(f.path)},
			Inode: f.inode, Path: f.path, PID: int(f.pid)}
	}
	for _, s := range x.slots {
		if s.key == 0 {
			continue
		}
		f, p := &all[s.key>>placeBits-1], profile.Place{At: s.key & (1<<placeBits - 1), Count: s.count &^ askedBit}
		f.Places = append(f.Places, p)
		if s.count&askedBit == 0 {
			f.New = append(f.New, p)
		}
	}
	all = slices.DeleteFunc(all, func(f CodeFile) bool { return len(f.Places) == 0 })
	for _, f := range all {
		for _, list := range [][]profile.Place{f.Places, f.New} {
			slices.SortFunc(list, func(a, b profile.Place) int { return cmp.Compare(a.At, b.At) })
		}
	}
	return all
}

// fresh returns the share of the hits in files at places whose functions were not requested yet.
func (x *places) fresh() float64 {
	unasked, all := uint64(0), uint64(0)
	for _, s := range x.slots {
		all += s.count &^ askedBit
		if s.count&askedBit == 0 {
			unasked += s.count
		}
	}
	return float64(unasked) / float64(max(1, all))
}

// ask marks the functions of all places as requested.
func (x *places) ask() {
	for i := range x.slots {
		if x.slots[i].key != 0 {
			x.slots[i].count |= askedBit
		}
	}
}

// CountPlaces makes the source count places, from now on.
func (s *Sampler) CountPlaces() { s.table.places = newPlaces() }

// Code returns the files whose code was hit, nil where places are not counted.
func (s *Sampler) Code() []CodeFile {
	if s.table.places == nil {
		return nil
	}
	return s.table.places.snapshot()
}

// NewCode is the part of the hits in files that is at places that Asked was not
// called for yet.
func (s *Sampler) NewCode() float64 {
	if s.table.places == nil {
		return 0
	}
	return s.table.places.fresh()
}

// Asked marks the functions of all present places as requested.
func (s *Sampler) Asked() { s.table.places.ask() }

// Places is what of Code a profile takes.
func (s *Sampler) Places() (p profile.Places, ok bool) {
	x := s.table.places
	if x == nil {
		return p, false
	}
	p = profile.Places{Kernel: x.kernel, Anonymous: x.anonymous, Lost: x.lost}
	for _, f := range x.snapshot() {
		p.Files = append(p.Files, f.PlaceFile)
	}
	return p, true
}

// baseName is the last part of a path.
func baseName(path string) string {
	path = strings.TrimSuffix(path, " (deleted)")
	return path[strings.LastIndexByte(path, '/')+1:]
}
