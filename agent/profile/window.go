package profile

import "io"

// window is the part of a file around the place where a reader stands. It
// grows with what is there, never with what a length in the file claims.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int   // the part of buf that was read and not passed
	at         int64 // offset of start in the file
	ended      bool
	err        error // why it ended, if not by reaching the end
}

const windowSize = 256 << 10

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, windowSize)}
}

// peek returns what follows, at least n bytes unless the file ends before. It
// is valid until the next call.
func (w *window) peek(n int) []byte {
	for w.end-w.start < n && !w.ended {
		w.fill()
	}
	return w.buf[w.start:w.end]
}

// fill reads once.
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

// pass goes n bytes on, of those that peek showed.
func (w *window) pass(n int) {
	w.start += n
	w.at += int64(n)
}
