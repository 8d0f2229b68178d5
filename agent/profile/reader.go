package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"jobgait/analysis/anatomy"
)

// ErrNoHeader is the error for a file that does not begin with a usable header: without one, values in blocks
// have neither name nor time.
var ErrNoHeader = errors.New("the file begins with no usable profile header: name a profile (.jgp) that jobgait wrote")

// Reader reads a profile block by block. Its memory does not grow with the profile, except for epochs, places
// and GPU windows, which are limited.
type Reader struct {
	window *window
	file   *os.File
	format versionFormat
	header Header
	footer *Footer
	epochs []Epoch
	losses lossRecord
	places Places
	// windows are the windows of each GPU, windowCount their total number.
	windows       [][]anatomy.Window
	windowCount   int
	unknownFrames int   // frames of kinds that only later versions know
	nextSlot      int64 // no block may begin before this slot
	frameBytes    int64 // length of the last frame from sampleFrames
	decoder       blockDecoder
	bins          binsHead // the last
}

// Open opens a profile for reading block by block and reads its header. The profile may still be growing.
func Open(path string) (*Reader, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("open the profile: %w", err)
	}
	r, err := NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open the profile %s: %w", path, err)
	}
	r.file = f
	return r, nil
}

// openFile opens a regular file for reading. It returns an error for other files and does not wait for a pipe's writer.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("want a regular file, not a directory, pipe or device")}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// NewReader reads the header of a profile from a stream.
func NewReader(in io.Reader) (*Reader, error) { return newReader(in, supportedFormats()) }

// newReader does what NewReader does, for the given formats. It returns ErrNoHeader unless the stream begins with an
// intact header frame.
func newReader(in io.Reader, formats []versionFormat) (*Reader, error) {
	r := &Reader{window: newWindow(in), losses: lossRecord{placeStart: -1}}
	frame := r.nextFrame()
	if err := r.window.err; frame == nil && err != nil {
		return nil, err
	}
	if frame == nil || r.losses.lostBytes > 0 || frame[4] != headerFrame || len(frame) > maxJSON+frameSize {
		return nil, ErrNoHeader
	}
	var err error
	if r.header, r.format, err = readHeader(frame[frameSize:], formats); err != nil {
		return nil, err
	}
	r.decoder, err = newBlockDecoder()
	return r, err
}

// check returns an error for a header whose step, rate, interrupt time or number of columns is out of range.
func (h *Header) check() error {
	switch {
	case h.StepNS < 1 || h.StepNS > int64(3600e9):
		return fmt.Errorf("the profile's step of %d ns is out of range: want 1 ns to 1 h", h.StepNS)
	case len(h.Columns) > maxColumns:
		return fmt.Errorf("the profile has %d columns, want at most %d", len(h.Columns), maxColumns)
	case !validHz(h.AddressHz):
		return fmt.Errorf("the profile's code sampling rate of %g Hz is out of range: want 0, or 0.001 Hz to 1 MHz",
			h.AddressHz)
	case !(h.InterruptNS >= 0 && h.InterruptNS <= 1e9):
		return fmt.Errorf("the profile's interrupt time of %g ns is out of range: want 0 to 1 s", h.InterruptNS)
	}
	return nil
}

// Header returns the header. The quanta of its columns are the largest of the blocks read so far.
func (r *Reader) Header() Header {
	h := r.header
	h.Columns = slices.Clone(h.Columns)
	return h
}

// Damage describes what could not be read up to the present position.
func (r *Reader) Damage() Damage { return r.losses.damage() }

// Next returns the next readable block, and io.EOF after the last one. The next call overwrites the block's
// slices.
func (r *Reader) Next() (Block, error) {
	for kind, payload := range r.sampleFrames() {
		if kind != blockFrame {
			r.ignoreFrame()
			continue
		}
		b, err := r.decoder.decode(payload, &r.header, false)
		if err != nil || b.First < r.nextSlot {
			r.rejectFrame()
			continue
		}
		r.acceptUpTo(b.First + int64(b.N))
		r.updateQuanta(&r.decoder.head)
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

// sampleFrames yields the kind and payload of the remaining blocks, overviews and bins, and stores what other frames
// contain (keepFrame). Malformed frames of other kinds, and all frames after the footer, count as lost. The caller must
// call acceptUpTo, ignoreFrame or rejectFrame for each frame that it gets.
func (r *Reader) sampleFrames() iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for frame := r.nextFrame(); frame != nil; frame = r.nextFrame() {
			r.frameBytes = int64(len(frame))
			kind, payload, err := frame[4], frame[frameSize:], error(nil)
			if r.format.payload != nil {
				payload, err = r.format.payload(kind, payload)
			}
			switch {
			case err != nil || r.footer != nil: // nothing may follow the footer
				r.rejectFrame()
			case kind == blockFrame || kind == overviewFrame || kind == binsFrame:
				if !yield(kind, payload) {
					return
				}
			case r.keepFrame(kind, payload):
				r.ignoreFrame()
			default:
				r.rejectFrame()
			}
		}
		if err := r.window.err; err != nil {
			r.losses.addRemark("the rest of the profile could not be read: %v: its samples are missing", err)
			r.window.err = nil
		}
	}
}

// acceptUpTo records that the present block or overview is valid: no later block may begin before slot next.
func (r *Reader) acceptUpTo(next int64) {
	r.losses.endPlace()
	r.nextSlot = max(r.nextSlot, next)
}

// ignoreFrame skips an intact frame that the caller does not need.
func (r *Reader) ignoreFrame() { r.losses.endPlace() }

// rejectFrame counts an intact frame with impossible contents as lost.
func (r *Reader) rejectFrame() { r.losses.addLost(r.window.at-r.frameBytes, r.frameBytes) }

// updateQuanta raises the quantum of each column in the header to that of the block.
func (r *Reader) updateQuanta(b *blockHead) {
	for i, c := range b.columns {
		if q := &r.header.Columns[i].Quantum; c.quantum > *q && c.quantum > 1 {
			*q = c.quantum
		}
	}
}

// keepFrame stores what a frame other than samples says: footer, epoch, places or GPU windows. It returns false
// for a malformed frame, a second header, and epochs after the first maxEpochs; unknown kinds are counted and
// ignored.
func (r *Reader) keepFrame(kind byte, payload []byte) bool {
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
		r.unknownFrames++
	}
	return true
}
