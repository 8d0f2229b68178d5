package profile

import "io"

// window is the part of a file around the reader's position. It grows with the bytes read, never by a length
// that the file claims.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int   // the part of buf that was read and not passed
	at         int64 // offset of start in the file
	ended      bool
	err        error // why it ended, if not by reaching the end
}

// windowSize is the initial size of a window in bytes.
const windowSize = 256 << 10

// newWindow returns a window at the start of a stream.
func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, windowSize)}
}

// peek returns the bytes that follow the position, at least n unless the file ends before. They are valid until
// the next call.
func (w *window) peek(n int) []byte {
	for w.end-w.start < n && !w.ended {
		w.fill()
	}
	return w.buf[w.start:w.end]
}

// fill reads once from the stream into the buffer. If the buffer is full, it first moves the unread bytes to its start,
// and doubles it if they are more than half of it. It sets ended at the end of the stream or after an error.
func (w *window) fill() {
	if w.end == len(w.buf) {
		if w.start < len(w.buf)/2 {
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
		copy(w.buf, w.buf[w.start:w.end])
		w.start, w.end = 0, w.end-w.start
	}
	n, err := w.r.Read(w.buf[w.end:])
	w.end += n
	if err != nil {
		w.ended = true
		if err != io.EOF {
			w.err = err
		}
	}
}

// advance moves the position n bytes on, within the bytes that peek returned.
func (w *window) advance(n int) {
	w.start += n
	w.at += int64(n)
}
