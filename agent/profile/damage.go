package profile

import (
	"bytes"
	"fmt"
	"strings"
)

// Damage is what of a profile could not be read. A profile that is merely not
// sealed is not damaged.
type Damage struct {
	// BytesLost is the number of bytes that belong to no readable block.
	BytesLost int64
	// BlocksBad counts damaged places and blocks that make no sense; how
	// many blocks were at one place cannot be known.
	BlocksBad int
	// Text describes it for the reader; "" without damage.
	Text string
}

// salvage keeps the account of what was skipped.
type salvage struct {
	lost   int64
	places int
	first  int64 // offset of the first place
	from   int64 // where the current place began, -1 outside of one
	tail   int64 // bytes of a place that reached the end of the file
	wasted int64 // bytes checksummed in vain
	said   []string
}

// skip notes that n bytes from offset at belong to no block.
func (s *salvage) skip(at, n int64) {
	if s.from < 0 {
		s.from = at
		if s.places == 0 {
			s.first = at
		}
		s.places++
	}
	s.lost += n
}

// resume ends the current place: something readable follows.
func (s *salvage) resume() { s.from = -1 }

// finish ends the account at the end of the file.
func (s *salvage) finish(end int64) {
	if s.from >= 0 {
		s.tail = end - s.from
	}
}

// also adds a remark.
func (s *salvage) also(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

// also adds a remark.
func (d *Damage) also(format string, args ...any) {
	if d.Text != "" {
		d.Text += "; "
	}
	d.Text += fmt.Sprintf(format, args...)
}

func (s *salvage) damage() Damage {
	var text []string
	if inner := s.lost - s.tail; inner > 0 {
		text = append(text, fmt.Sprintf("%d bytes could not be read, from byte %d on", inner, s.first))
	}
	if s.tail > 0 {
		text = append(text, fmt.Sprintf("the last %d bytes are no whole block", s.tail))
	}
	text = append(text, s.said...)
	return Damage{BytesLost: s.lost, BlocksBad: s.places, Text: strings.Join(text, "; ")}
}

// frame goes to the next whole frame, over whatever lies before it, and returns
// it; nil at the end. It is valid until the next call.
func (r *Reader) frame() []byte {
	w := r.window
	for {
		head := w.peek(frameSize)
		if len(head) == 0 {
			r.salvage.finish(w.at)
			return nil
		}
		if n, ok := frameLength(head); ok {
			if whole := w.peek(n); len(whole) >= n {
				if frameIntact(whole[:n]) {
					w.pass(n)
					return whole[:n]
				}
				r.salvage.wasted += int64(n)
			}
		}
		r.resync()
	}
}

// resync goes on to the next magic or to the end, at least one byte.
func (r *Reader) resync() {
	w := r.window
	seen := w.peek(windowSize / 2)
	n := len(seen)
	if r.salvage.wasted > maxWaste {
		r.salvage.also("gave up looking for blocks")
		r.salvage.wasted = 0
		r.quit()
		return
	}
	if i := bytes.Index(seen[1:], []byte(magic)); i >= 0 {
		n = 1 + i
	} else if !w.ended && n >= len(magic) {
		n -= len(magic) - 1 // a magic may begin in the last bytes
	}
	r.salvage.skip(w.at, int64(n))
	w.pass(n)
}

// quit gives the rest of the file up.
func (r *Reader) quit() {
	w := r.window
	for n := len(w.peek(1)); n > 0; n = len(w.peek(1)) {
		r.salvage.skip(w.at, int64(n))
		w.pass(n)
	}
}
