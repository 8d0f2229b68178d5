package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// ErrNoHeader is returned for a file that does not begin with a header that
// can be used: without one, nothing in the blocks has a name or a time.
var ErrNoHeader = errors.New("no usable profile header")

// Reader goes through a profile block by block. Its memory does not grow with
// the profile.
type Reader struct {
	window  *window
	file    *os.File
	header  Header
	footer  *Footer
	salvage salvage
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
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{window: newWindow(in), salvage: salvage{from: -1}}
	frame := r.frame()
	if err := r.window.err; frame == nil && err != nil {
		return nil, err
	}
	if frame == nil || r.salvage.lost > 0 || frame[4] != headerFrame || len(frame) > maxJSON+frameSize {
		return nil, ErrNoHeader
	}
	if err := json.Unmarshal(frame[frameSize:], &r.header); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	if err := r.header.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	return r, nil
}

// check refuses headers that give no grid.
func (h *Header) check() error {
	switch {
	case h.Version != Version:
		return fmt.Errorf("profile version %d, known is %d", h.Version, Version)
	case h.StepNS < 1 || h.StepNS > int64(3600e9):
		return fmt.Errorf("step of %d ns", h.StepNS)
	case len(h.Columns) > maxColumns:
		return fmt.Errorf("%d columns", len(h.Columns))
	case h.AddressHz != 0 && !(h.AddressHz >= 1e-3 && h.AddressHz <= 1e6):
		return fmt.Errorf("%g addresses a second", h.AddressHz)
	}
	return nil
}

// Header returns the header.
func (r *Reader) Header() Header { return r.header }

// Footer returns the footer, nil if the profile is not sealed. It is known when
// Next has returned io.EOF.
func (r *Reader) Footer() *Footer { return r.footer }

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
func (r *Reader) read(a *arena) (Block, error) {
	for {
		frame := r.frame()
		if frame == nil {
			if err := r.window.err; err != nil {
				r.salvage.also("the rest could not be read: %v", err)
				r.window.err = nil
			}
			return Block{}, io.EOF
		}
		if r.footer != nil { // nothing may follow it
			r.skip(frame)
			continue
		}
		if b, ok := r.take(frame, a); ok {
			return b, nil
		}
	}
}

// take makes a block of a frame, if it is one, and keeps the footer.
func (r *Reader) take(frame []byte, a *arena) (Block, bool) {
	payload := frame[frameSize:]
	ok := true
	switch frame[4] {
	case blockFrame:
		b, err := decodeBlock(payload, len(r.header.Columns), a)
		if err == nil && b.First >= r.next {
			r.salvage.resume()
			r.next = b.First + int64(b.N)
			return b, true
		}
		ok = false
	case footerFrame:
		f := new(Footer)
		if ok = len(payload) <= maxJSON && json.Unmarshal(payload, f) == nil; ok {
			r.footer = f
		}
	case headerFrame:
		ok = false
	}
	if ok {
		r.salvage.resume()
	} else {
		r.skip(frame)
	}
	return Block{}, false
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
