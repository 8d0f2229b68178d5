package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"jobgait/analysis/anatomy"
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
	places  Places
	// windows are those of each GPU, windowCount how many in all.
	windows     [][]anatomy.Window
	windowCount int
	unknown     int   // frames of kinds that a later version writes
	next        int64 // no block may begin before this slot
	length      int64 // of the frame that sampled gave last
	decoder     blockDecoder
	bins        binsHead // the last
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
	frame := r.frame()
	if err := r.window.err; frame == nil && err != nil {
		return nil, err
	}
	if frame == nil || r.salvage.lost > 0 || frame[4] != headerFrame || len(frame) > maxJSON+frameSize {
		return nil, ErrNoHeader
	}
	var err error
	if r.header, r.format, err = readHeader(frame[frameSize:], formats); err != nil {
		return nil, err
	}
	r.decoder, err = newBlockDecoder()
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

// Damage returns what was not read up to where the reader stands.
func (r *Reader) Damage() Damage { return r.salvage.damage() }

// Next returns the next readable block, and io.EOF after the last one. The
// slices of the block are overwritten by the next call.
func (r *Reader) Next() (Block, error) {
	for kind, payload := range r.sampled() {
		if kind != blockFrame {
			r.pass()
			continue
		}
		b, err := r.decoder.decode(payload, &r.header, false)
		if err != nil || b.First < r.next {
			r.refuse()
			continue
		}
		r.accept(b.First + int64(b.N))
		r.coarsest(&r.decoder.head)
		return b, nil
	}
	return Block{}, io.EOF
}

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// sampled gives the payloads of the rest that are blocks, overviews and bins. The caller decides about each:
// accept, pass or refuse.
func (r *Reader) sampled() iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for frame := r.frame(); frame != nil; frame = r.frame() {
			r.length = int64(len(frame))
			kind, payload, err := frame[4], frame[frameSize:], error(nil)
			if r.format.payload != nil {
				payload, err = r.format.payload(kind, payload)
			}
			switch {
			case err != nil || r.footer != nil: // nothing may follow the footer
				r.refuse()
			case kind == blockFrame || kind == overviewFrame || kind == binsFrame:
				if !yield(kind, payload) {
					return
				}
			case r.keep(kind, payload):
				r.pass()
			default:
				r.refuse()
			}
		}
		if err := r.window.err; err != nil {
			r.salvage.also("the rest could not be read: %v", err)
			r.window.err = nil
		}
	}
}

// accept notes that a block, or the overview of some, is good up to a slot.
func (r *Reader) accept(next int64) {
	r.salvage.resume()
	r.next = max(r.next, next)
}

// pass leaves out a frame that is whole and not looked for.
func (r *Reader) pass() { r.salvage.resume() }

// refuse counts a whole frame that makes no sense as lost.
func (r *Reader) refuse() { r.salvage.skip(r.window.at-r.length, r.length) }

// coarsest keeps the largest quantum of each column.
func (r *Reader) coarsest(b *blockHead) {
	for i, c := range b.columns {
		if q := &r.header.Columns[i].Quantum; c.quantum > *q && c.quantum > 1 {
			*q = c.quantum
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
	case placesFrame:
		p, ok := decodePlaces(payload)
		if ok {
			r.places = p
		}
		return ok
	case windowsFrame:
		return r.keepWindows(payload)
	case headerFrame:
		return false
	default: // of a later time: what it adds is not needed to read the rest
		r.unknown++
	}
	return true
}
