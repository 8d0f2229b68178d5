package profile

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// Places are the hits of a job's code by place within its files, over the whole run so far. Pages say when
// which code ran; places, 16 bytes each, tell the functions in a page apart.
type Places struct {
	Files []PlaceFile
	// Kernel and Anonymous are the hits without a file, Lost the hits of places dropped for lack of room.
	Kernel, Anonymous, Lost uint64
}

// PlaceFile is a file whose code had hits. It has no path.
type PlaceFile struct {
	// Key identifies the file: PageKey computes the keys of its pages from it.
	Key   uint64
	Build string // build id in hexadecimal digits, "" if it has none
	Name  string // the last part of its path
	// Places are sorted by offset, ascending.
	Places []Place
}

// Place is a piece of PlaceBytes (16) bytes of a file, from byte Index*PlaceBytes on, and its number of hits.
type Place struct{ Index, Hits uint64 }

// PlaceBytes is the size of a place: compilers begin functions at its multiples, so that no two share one. With
// places of 64 bytes up to 1.6 % of the samples got the name of a neighbouring function. MaxStoredPlaces limits
// the places in a profile, MaxPlaceFiles their files.
const (
	PlaceBytes      = 16
	MaxStoredPlaces = 1 << 14
	MaxPlaceFiles   = 1 << 12
)

// PageKey returns the key of the page in which an offset (bytes) of a file lies. It mixes the file's key and
// the page number with the finalizer of SplitMix64 and avoids the reserved keys 0 to 2.
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

// markWaiting sets Waits on the columns of code that are pages of libraries in which processes wait, or blocks
// of them.
func (p Places) markWaiting(columns []series.Column) {
	waits := map[string]bool{}
	for _, f := range p.Files {
		if !anatomy.WaitsBusily(f.Name) {
			continue
		}
		for _, at := range f.Places {
			waits[PageName(PageKey(f.Key, at.Index*PlaceBytes))] = true
		}
	}
	for i, c := range columns {
		page, _, _ := strings.Cut(c.Name, "+") // or a block of it
		columns[i].Waits = waits[page]
	}
}

// WritePlaces writes the hits counted so far; a reader uses only the last such frame of a profile. It ignores write
// errors: the blocks have the same hits by page. After Seal it does nothing.
func (w *Writer) WritePlaces(p Places) {
	if !w.sealed {
		w.buf = p.appendPayload(openFrame(w.buf[:0]))
		_ = w.writeFrame(placesFrame)
	}
}

// What a payload may hold: 16,384 places of 40 files take 45 KB.
const (
	maxPlaceName = 255
	maxBuild     = 64
	maxHits      = uint64(1) << 48
	maxPlace     = uint64(1) << 48
)

// appendPayload appends the payload of a places frame: the hits in the kernel, in anonymous code and lost, the number
// of files, and the files. A file is its key, its build id and its name, each of these two after its length in bytes,
// the number of its places, and the places. A place is the distance from the end of the previous one, in places, and
// its hits. The key has 8 bytes, little-endian; all other numbers are varints.
func (p Places) appendPayload(dst []byte) []byte {
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
			dst = binary.AppendUvarint(dst, x.Index-next)
			dst = binary.AppendUvarint(dst, x.Hits)
			next = x.Index + 1
		}
	}
	return dst
}

// decodePlaces decodes what appendPayload wrote, and makes the names of files printable. It returns false for anything
// else, and for more than MaxStoredPlaces places or MaxPlaceFiles files.
func decodePlaces(payload []byte) (Places, bool) {
	d := decoder{p: payload}
	p := Places{Kernel: d.hitCount(), Anonymous: d.hitCount(), Lost: d.hitCount()}
	left := MaxStoredPlaces
	for range d.countUpTo(MaxPlaceFiles) {
		f := PlaceFile{}
		if key := d.bytes(8); key != nil {
			f.Key = binary.LittleEndian.Uint64(key)
		}
		f.Build = hex.EncodeToString(d.bytes(d.countUpTo(maxBuild)))
		f.Name = note.Clean(string(d.bytes(d.countUpTo(maxPlaceName))), maxPlaceName)
		n := d.countUpTo(left)
		left -= n
		next := uint64(0)
		for range min(n, len(d.p)) { // two bytes each at least
			x := Place{Index: next + d.uvarint(), Hits: d.hitCount()}
			if x.Index < next || x.Index > maxPlace || d.bad {
				return Places{}, false
			}
			next = x.Index + 1
			f.Places = append(f.Places, x)
		}
		if d.bad || len(f.Places) != n {
			return Places{}, false
		}
		p.Files = append(p.Files, f)
	}
	return p, !d.bad && len(d.p) == 0
}

// hitCount reads a number of hits. If it is above maxHits, it fails and returns 0.
func (d *decoder) hitCount() uint64 {
	v := d.uvarint()
	if v > maxHits {
		d.fail()
		return 0
	}
	return v
}
