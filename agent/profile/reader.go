package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// ErrNoHeader is returned for a file that does not begin with a header that
// can be used: without one, nothing in the blocks has a name or a time.
var ErrNoHeader = errors.New("no usable profile header")

// Reader goes through a profile block by block. Its memory does not grow with
// the profile.
type Reader struct {
	window  *window
	file    *os.File
	format  format
	header  Header
	footer  *Footer
	epochs  []Epoch
	salvage salvage
	unknown int   // frames of kinds that a later version writes
	next    int64 // no block may begin before this slot
	arena   arena
}

// Open opens a profile and reads its header. The profile may still be growing.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open profile: %w", err)
	}
	r, err := NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open profile %s: %w", path, err)
	}
	r.file = f
	return r, nil
}

// NewReader reads the header of a profile that comes from anywhere.
func NewReader(in io.Reader) (*Reader, error) { return newReader(in, formats()) }

func newReader(in io.Reader, formats []format) (*Reader, error) {
	r := &Reader{window: newWindow(in), salvage: salvage{from: -1}}
	if isFormer(r.window.peek(frameSize)) {
		return nil, fmt.Errorf("%w: it is of before the first release; `jobgait export` of the installation that wrote it reads it", ErrVersion)
	}
	frame := r.frame()
	if err := r.window.err; frame == nil && err != nil {
		return nil, err
	}
	if frame == nil || r.salvage.lost > 0 || frame[4] != headerFrame || len(frame) > maxJSON+frameSize {
		return nil, ErrNoHeader
	}
	var err error
	r.header, r.format, err = readHeader(frame[frameSize:], formats)
	return r, err
}

// check refuses headers that give no grid.
func (h *Header) check() error {
	switch {
	case h.StepNS < 1 || h.StepNS > int64(3600e9):
		return fmt.Errorf("step of %d ns", h.StepNS)
	case len(h.Columns) > maxColumns:
		return fmt.Errorf("%d columns", len(h.Columns))
	case !validHz(h.AddressHz):
		return fmt.Errorf("%g addresses a second", h.AddressHz)
	case !(h.InterruptNS >= 0 && h.InterruptNS <= 1e9):
		return fmt.Errorf("an interrupt of %g ns", h.InterruptNS)
	}
	return nil
}

// Header returns the header. The quanta of its columns are those of the blocks
// read so far.
func (r *Reader) Header() Header {
	h := r.header
	h.Columns = slices.Clone(h.Columns)
	return h
}

// Epochs returns the epochs read so far, in the order in which they were
// written; all of them when Next has returned io.EOF.
func (r *Reader) Epochs() []Epoch { return r.epochs }

// Footer returns the footer, nil if the profile is not sealed. It is known when
// Next has returned io.EOF.
func (r *Reader) Footer() *Footer { return r.footer }

// Unknown is the number of whole frames of kinds that this version does not know and
// passes over, up to where the reader stands. They are no damage.
func (r *Reader) Unknown() int { return r.unknown }

// Damage returns what was not read up to where the reader stands.
func (r *Reader) Damage() Damage { return r.salvage.damage() }

// Next returns the next readable block, and io.EOF after the last one. The
// slices of the block are overwritten by the next call.
func (r *Reader) Next() (Block, error) { return r.read(&r.arena) }

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// read returns the next block in the memory of a.
func (r *Reader) read(a *arena) (b Block, err error) {
	return b, r.eachFrame(func(kind byte, payload []byte) (next int64, v verdict) {
		if kind == overviewFrame {
			return 0, passed
		}
		a.zstd = r.arena.zstd
		b, err = decodeBlock(payload, &r.header, a)
		if r.arena.zstd = a.zstd; err != nil || b.First < r.next {
			return 0, refused
		}
		r.coarsest(&a.head)
		return b.First + int64(b.N), taken
	})
}

// readHead reads only the head of the next block or overview, without its
// slices: with that a profile is gone through at the speed of its checksums.
func (r *Reader) readHead() (*blockHead, error) {
	b := &r.arena.head
	return b, r.eachFrame(func(kind byte, payload []byte) (next int64, v verdict) {
		b.overview = kind == overviewFrame
		switch err := b.read(payload, &r.header); {
		case b.overview && err != nil:
			return 0, passed
		case b.overview:
			return 0, taken
		case err != nil || b.First < r.next:
			return 0, refused
		}
		r.coarsest(b)
		return b.First + int64(b.N), taken
	})
}

// coarsest keeps the largest quantum of each column.
func (r *Reader) coarsest(b *blockHead) {
	for i, c := range b.columns {
		if q := &r.header.Columns[i].Quantum; c.quantum > 1 && c.quantum > *q {
			*q = c.quantum
		}
	}
}

// verdict is what becomes of a frame.
type verdict int

const (
	refused verdict = iota // it makes no sense, and counts as lost
	passed                 // it is not what is looked for
	taken
)

// eachFrame gives blocks and overviews to take, until it takes one. Of a block
// that is not refused, take says which slot follows it. At the end it returns
// io.EOF.
func (r *Reader) eachFrame(take func(kind byte, payload []byte) (next int64, v verdict)) error {
	for {
		frame := r.frame()
		if frame == nil {
			if err := r.window.err; err != nil {
				r.salvage.also("the rest could not be read: %v", err)
				r.window.err = nil
			}
			return io.EOF
		}
		if r.footer != nil { // nothing may follow it
			r.skip(frame)
			continue
		}
		kind, payload := frame[4], frame[frameSize:]
		if r.format.payload != nil {
			var err error
			if payload, err = r.format.payload(kind, payload); err != nil {
				r.skip(frame)
				continue
			}
		}
		if kind == blockFrame || kind == overviewFrame {
			next, v := take(kind, payload)
			if v == refused {
				r.skip(frame)
				continue
			}
			r.salvage.resume()
			r.next = max(r.next, next)
			if v == taken {
				return nil
			}
			continue
		}
		if r.keep(kind, payload) {
			r.salvage.resume()
		} else {
			r.skip(frame)
		}
	}
}

// keep keeps what a frame says that is no block.
func (r *Reader) keep(kind byte, payload []byte) bool {
	switch kind {
	case footerFrame:
		f := new(Footer)
		if len(payload) > maxJSON || json.Unmarshal(payload, f) != nil {
			return false
		}
		r.footer = f
	case epochFrame:
		e := Epoch{}
		if len(payload) > maxJSON || len(r.epochs) >= maxEpochs || json.Unmarshal(payload, &e) != nil || e.check() != nil {
			return false
		}
		r.epochs = append(r.epochs, e)
	case headerFrame:
		return false
	default: // of a later version: what it adds is not needed to read the rest
		r.unknown++
	}
	return true
}

// skip counts a whole frame as lost.
func (r *Reader) skip(frame []byte) {
	n := int64(len(frame))
	r.salvage.skip(r.window.at-n, n)
}

// each calls yield with every block of the rest of the profile.
func (r *Reader) each() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for {
			b, err := r.Next()
			if err != nil || !yield(&b) {
				return
			}
		}
	}
}

// eachHead calls yield with the head of every block of the rest.
func (r *Reader) eachHead() iter.Seq[*blockHead] {
	return func(yield func(*blockHead) bool) {
		for {
			b, err := r.readHead()
			if err != nil || !yield(b) {
				return
			}
		}
	}
}
