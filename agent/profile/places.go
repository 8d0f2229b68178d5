package profile

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// Places are where within its files a job's code was hit, in the whole run so far.
// Pages say when which code ran; places of 16 bytes tell the functions in them apart.
type Places struct {
	Files []PlaceFile
	// Kernel and Anonymous are the hits without a file, Lost those of places that
	// there was no room for.
	Kernel, Anonymous, Lost uint64
}

// PlaceFile is a file whose code was hit. It has no path.
type PlaceFile struct {
	// Key is what PageKey makes the keys of the file's pages of.
	Key   uint64
	Build string // build id in hexadecimal digits, "" if it has none
	Name  string // the last part of its path
	// Places are in ascending order.
	Places []Place
}

// Place is PlaceBytes of a file, from At*PlaceBytes on, and how often it was hit.
type Place struct{ At, Count uint64 }

// PlaceBytes is the size of a place: compilers begin functions at its multiples, so that
// no two share one. Of 64 bytes up to 1.6 % of samples got the neighbour's name.
// MostPlaces is how many there are in a profile, MostFiles of how many files.
const (
	PlaceBytes = 16
	MostPlaces = 1 << 14
	MostFiles  = 1 << 12
)

// PageKey names the page of a file in which an offset lies. It mixes both with the
// finalizer of SplitMix64 and keeps clear of the keys that have a meaning of their
// own.
func PageKey(file, offset uint64) uint64 {
	x := file + (offset/4096+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	if x <= AnonymousPage {
		x += 1 << 32
	}
	return x
}

// mark says of columns of code which are pages of libraries in which is waited.
func (p Places) mark(columns []series.Column) {
	waits := map[string]bool{}
	for _, f := range p.Files {
		if !anatomy.Waits(f.Name) {
			continue
		}
		for _, at := range f.Places {
			waits[PageName(PageKey(f.Key, at.At*PlaceBytes))] = true
		}
	}
	for i, c := range columns {
		page, _, _ := strings.Cut(c.Name, "+") // or a block of it
		columns[i].Waits = waits[page]
	}
}

// Places writes what was counted so far; the last of a profile holds. It says again
// what hits have said: where it cannot be written, the file is as good without.
func (w *Writer) Places(p Places) {
	if !w.sealed {
		w.buf = p.append(openFrame(w.buf[:0]))
		_ = w.write(placesFrame)
	}
}

// What a payload may hold: 16,384 places of 40 files take 45 KB.
const (
	maxPlaceName = 255
	maxBuild     = 64
	maxHits      = uint64(1) << 48
	maxPlace     = uint64(1) << 48
)

// append appends the payload of a places frame: the hits in the kernel, in anonymous
// code and lost; the number of files; per file key (8 bytes), length and bytes of
// build id and name, number of places; per place how far it is behind the one before,
// and hits. All but the key are varints.
func (p Places) append(dst []byte) []byte {
	for _, v := range []uint64{p.Kernel, p.Anonymous, p.Lost, uint64(len(p.Files))} {
		dst = binary.AppendUvarint(dst, v)
	}
	for _, f := range p.Files {
		dst = binary.LittleEndian.AppendUint64(dst, f.Key)
		build, _ := hex.DecodeString(f.Build)
		for _, text := range [][]byte{build[:min(len(build), maxBuild)], []byte(f.Name[:min(len(f.Name), maxPlaceName)])} {
			dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
		}
		dst = binary.AppendUvarint(dst, uint64(len(f.Places)))
		next := uint64(0)
		for _, x := range f.Places {
			dst = binary.AppendUvarint(dst, x.At-next)
			dst = binary.AppendUvarint(dst, x.Count)
			next = x.At + 1
		}
	}
	return dst
}

// decodePlaces reads what append wrote; false for anything else.
func decodePlaces(payload []byte) (Places, bool) {
	d := decoder{p: payload}
	p := Places{Kernel: d.hits(), Anonymous: d.hits(), Lost: d.hits()}
	left := MostPlaces
	for range d.count(MostFiles) {
		f := PlaceFile{}
		if key := d.bytes(8); key != nil {
			f.Key = binary.LittleEndian.Uint64(key)
		}
		f.Build = hex.EncodeToString(d.bytes(d.count(maxBuild)))
		f.Name = note.Clean(string(d.bytes(d.count(maxPlaceName))), maxPlaceName)
		n := d.count(left)
		left -= n
		next := uint64(0)
		for range min(n, len(d.p)) { // two bytes each at least
			x := Place{At: next + d.uvarint(), Count: d.hits()}
			if x.At < next || x.At > maxPlace || d.bad {
				return Places{}, false
			}
			next = x.At + 1
			f.Places = append(f.Places, x)
		}
		if d.bad || len(f.Places) != n {
			return Places{}, false
		}
		p.Files = append(p.Files, f)
	}
	return p, !d.bad && len(d.p) == 0
}

// hits reads a count.
func (d *decoder) hits() uint64 {
	v := d.uvarint()
	if v > maxHits {
		d.fail()
		return 0
	}
	return v
}
