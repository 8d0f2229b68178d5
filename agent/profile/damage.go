package profile

import (
	"bytes"
	"fmt"
	"strings"
)

// Damage describes the part of a profile that could not be read. A profile that is only unsealed is not
// damaged.
type Damage struct {
	// BytesLost is the number of bytes that belong to no readable block.
	BytesLost int64
	// BlocksBad is the number of damaged stretches of the file and of blocks with impossible contents. A stretch
	// may have held several blocks.
	BlocksBad int
	// Text describes the damage for the reader of a report; "" without damage.
	Text string
}

// lossRecord counts the bytes and stretches of a file that a reader skipped.
type lossRecord struct {
	lostBytes     int64
	damagedPlaces int
	firstOffset   int64 // offset of the first damaged stretch
	placeStart    int64 // offset of the present damaged stretch, -1 outside of one
	tailBytes     int64 // bytes of a damaged stretch that reaches the end of the file
	wastedBytes   int64 // bytes checksummed in vain
	remarks       []string
}

// addLost records that n bytes from offset at on belong to no readable block. Calls without endPlace between them
// count as one damaged stretch.
func (s *lossRecord) addLost(at, n int64) {
	if s.placeStart < 0 {
		s.placeStart = at
		if s.damagedPlaces == 0 {
			s.firstOffset = at
		}
		s.damagedPlaces++
	}
	s.lostBytes += n
}

// endPlace ends the present damaged stretch, because a readable frame follows.
func (s *lossRecord) endPlace() { s.placeStart = -1 }

// finish ends the record at the end of the file; damage up to there counts as an incomplete last block.
func (s *lossRecord) finish(end int64) {
	if s.placeStart >= 0 {
		s.tailBytes = end - s.placeStart
	}
}

// addRemark adds a remark.
func (s *lossRecord) addRemark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// addRemark adds a remark.
func (d *Damage) addRemark(format string, args ...any) {
	if d.Text != "" {
		d.Text += "; "
	}
	d.Text += fmt.Sprintf(format, args...)
}

// damage returns the record as a Damage, with its text.
func (s *lossRecord) damage() Damage {
	var text []string
	if inner := s.lostBytes - s.tailBytes; inner > 0 {
		text = append(text, fmt.Sprintf("%d bytes of the profile are damaged, from byte %d on: their samples are missing",
			inner, s.firstOffset))
	}
	if s.tailBytes > 0 {
		text = append(text, fmt.Sprintf("the last %d bytes of the profile are an incomplete block: its samples are missing",
			s.tailBytes))
	}
	text = append(text, s.remarks...)
	return Damage{BytesLost: s.lostBytes, BlocksBad: s.damagedPlaces, Text: strings.Join(text, "; ")}
}

// nextFrame returns the next frame whose checksum is correct, and moves the position behind it; nil at the end of the
// file. It skips damaged bytes before the frame and counts them as lost. The frame is valid until the next call.
func (r *Reader) nextFrame() []byte {
	w := r.window
	for {
		head := w.peek(frameSize)
		if len(head) == 0 {
			r.losses.finish(w.at)
			return nil
		}
		if n, ok := frameLength(head); ok {
			if whole := w.peek(n); len(whole) >= n {
				if frameIntact(whole[:n]) {
					w.advance(n)
					return whole[:n]
				}
				r.losses.wastedBytes += int64(n)
			}
		}
		r.resync()
	}
}

// resync skips at least one byte, up to the next frame magic in the bytes read ahead; without one it skips
// these bytes. It gives up the rest of the file after checksumming too many bytes in vain.
func (r *Reader) resync() {
	w := r.window
	seen := w.peek(windowSize / 2)
	n := len(seen)
	if r.losses.wastedBytes > maxWaste {
		r.losses.addRemark("the search for further blocks of the profile was given up: their samples are missing")
		r.losses.wastedBytes = 0
		r.abandonRest()
		return
	}
	if i := bytes.Index(seen[1:], []byte(magic)); i >= 0 {
		n = 1 + i
	} else if !w.ended && n >= len(magic) {
		n -= len(magic) - 1 // a magic may begin in the last bytes
	}
	r.losses.addLost(w.at, int64(n))
	w.advance(n)
}

// abandonRest skips the rest of the file and counts its bytes as lost.
func (r *Reader) abandonRest() {
	w := r.window
	for n := len(w.peek(1)); n > 0; n = len(w.peek(1)) {
		r.losses.addLost(w.at, int64(n))
		w.advance(n)
	}
}
