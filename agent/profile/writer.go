package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"jobgait/analysis/note"
	"jobgait/analysis/run"

	"golang.org/x/sys/unix"
)

// SyncEvery is how often written blocks are forced to the disk: what a crash
// of the machine may lose. A crash of the agent loses only the block that it
// had not written.
const SyncEvery = 10 * time.Second

// ErrSealed is returned after Seal. ErrFull is returned by Append when the
// profile is as large as it may become: it can still be sealed.
var (
	ErrSealed = errors.New("profile is sealed")
	ErrFull   = errors.New("profile has reached its maximum size")
)

// WriterOptions say how a profile is written. The zero value is the default.
type WriterOptions struct {
	// Lossless keeps every count as it was read, and every page. Else counts
	// are rounded, to 1/256 of a median step at most (see quantumOf).
	Lossless bool
	// MaxBytes bounds the file (see cap.go); 0 = it may grow.
	MaxBytes int64
}

// Writer appends blocks to a profile. It is for one goroutine.
type Writer struct {
	file    file
	path    string
	header  Header
	limits  sizeCap
	encoder *encoder
	merger  merger
	summed  overviewer
	buf     []byte
	good    int64 // length of the file up to its last whole frame
	end     int64 // length of the file; more than good after a failed write
	next    int64 // slot after the last block
	sealed  bool

	now     func() time.Time
	synced  time.Time
	syncing atomic.Bool
	wait    sync.WaitGroup
	once    sync.Once
	syncErr error
}

// file is what a Writer needs of an *os.File.
type file interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Datasync() error
	Close() error
}

type diskFile struct{ *os.File }

func (f diskFile) Datasync() error { return unix.Fdatasync(int(f.Fd())) }

// Create makes a profile that does not exist yet, readable by its owner only,
// and writes its header. Version and missing lists are filled in. Of the
// options the first is taken; without any, Options{}.
func Create(path string, h Header, options ...WriterOptions) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create profile: %w", err)
	}
	w, err := newWriter(diskFile{f}, path, h, append(options, WriterOptions{})[0])
	if err != nil {
		f.Close()
		os.Remove(path) // created here, and useless without a header
		return nil, err
	}
	return w, nil
}

func newWriter(f file, path string, h Header, o WriterOptions) (*Writer, error) {
	h.Version = Version
	h.Columns = append([]Column{}, h.Columns...)
	h.Sources = append([]run.CounterSource{}, h.Sources...)
	h.Notes = append([]note.Note{}, h.Notes...)
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("create profile %s: %w", path, err)
	}
	for i := range h.Columns {
		h.Columns[i].Quantum = 0 // that of blocks stands in blocks
	}
	w := &Writer{file: f, path: path, header: h, limits: newSizeCap(o.MaxBytes, h.StepNS), now: time.Now}
	w.synced = w.now()
	var err error
	if w.encoder, err = newEncoder(&w.header, o); err != nil {
		return nil, fmt.Errorf("create profile %s: %w", path, err)
	}
	w.summed = newOverviewer(&w.header)
	if err := w.writeJSON(headerFrame, h); err != nil {
		return nil, fmt.Errorf("create profile %s: %w", path, err)
	}
	return w, nil
}

// Append writes one block with one write. After an error (a full disk, mostly)
// the file is as it was before, and the next block may be tried.
func (w *Writer) Append(b Block) error {
	if w.sealed {
		return fmt.Errorf("append to %s: %w", w.path, ErrSealed)
	}
	if err := b.check(len(w.header.Columns)); err != nil {
		return fmt.Errorf("append to %s: block of %w", w.path, err)
	}
	if b.First < w.next {
		return fmt.Errorf("append to %s: block from slot %d on, the last went up to %d", w.path, b.First, w.next)
	}
	if err := w.append(b); err != nil {
		return fmt.Errorf("append to %s: %w", w.path, err)
	}
	w.next = b.First + int64(b.N)
	w.sync()
	return nil
}

// append writes a block, with slots merged if the file has grown too large.
func (w *Writer) append(b Block) error {
	slot := b.First
	every, changed, err := w.limits.next(w.good)
	if err != nil {
		return err
	}
	if changed != "" {
		e := Epoch{Slot: slot, TimeNS: w.header.BaseNS + slot*w.header.StepNS, Kind: "size", Text: changed}
		if err := w.writeJSON(epochFrame, e); err != nil {
			return err
		}
		w.limits.tell()
	}
	if every > 1 {
		b.Pages = hottest(b.Pages, w.limits.pages())
	}
	if every = max(every, b.Every); every > 1 {
		b = w.merger.merge(b, every)
	}
	suits := w.summed.suits(&b)
	if !suits || !w.summed.continues(&b) {
		w.overview()
	}
	w.buf = w.encoder.appendBlock(openFrame(w.buf[:0]), &b)
	if cells := b.N * len(b.Columns); cells > maxGrowth*(len(w.buf)-frameSize) {
		return fmt.Errorf("block of %d empty slots", b.N)
	}
	if err := w.write(blockFrame); err != nil {
		return err
	}
	w.bins(&b)
	if !suits {
		return nil
	}
	if w.summed.slots == 0 {
		w.summed.begin(&b)
	}
	w.summed.add(&b)
	return nil
}

// bins writes those of a block. Like an overview it says again what the block does:
// where it cannot be written, the file is as good without.
func (w *Writer) bins(b *Block) {
	if b.Every <= 1 && b.Bins.N() > 0 {
		w.buf = w.encoder.appendBins(openFrame(w.buf[:0]), b.First, &b.Bins)
		_ = w.write(binsFrame)
	}
}

// overview writes what was added up of the last blocks. It is a copy: where it
// cannot be written, the file is as good without.
func (w *Writer) overview() {
	b, ok := w.summed.take()
	if !ok {
		return
	}
	w.buf = w.encoder.appendBlock(openFrame(w.buf[:0]), &b)
	if b.points()*len(b.Columns) <= maxGrowth*(len(w.buf)-frameSize) {
		_ = w.write(overviewFrame)
	}
}

// Epoch writes that from a slot on samples mean something else. It may come
// before or after the block with that slot.
func (w *Writer) Epoch(e Epoch) error {
	if w.sealed {
		return fmt.Errorf("append to %s: %w", w.path, ErrSealed)
	}
	if err := e.check(); err != nil {
		return fmt.Errorf("append to %s: %w", w.path, err)
	}
	if err := w.writeJSON(epochFrame, e); err != nil {
		return fmt.Errorf("append to %s: %w", w.path, err)
	}
	return nil
}

// Seal writes the footer and forces everything to the disk.
func (w *Writer) Seal(f Footer) error {
	if w.sealed {
		return fmt.Errorf("seal %s: %w", w.path, ErrSealed)
	}
	f.Notes = append([]note.Note{}, f.Notes...)
	w.overview()
	if err := w.writeJSON(footerFrame, f); err != nil {
		return fmt.Errorf("seal %s: %w", w.path, err)
	}
	w.sealed = true
	w.wait.Wait()
	if err := w.file.Datasync(); err != nil {
		return fmt.Errorf("seal %s: %w", w.path, err)
	}
	return nil
}

// Close waits for a sync under way, tells what became of all of them, and
// closes the file. It does not seal.
func (w *Writer) Close() error {
	w.wait.Wait()
	if err := errors.Join(w.syncErr, w.file.Close()); err != nil {
		return fmt.Errorf("close %s: %w", w.path, err)
	}
	return nil
}

func (w *Writer) writeJSON(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > maxJSON {
		return fmt.Errorf("%d bytes of JSON", len(text))
	}
	w.buf = append(openFrame(w.buf[:0]), text...)
	return w.write(kind)
}

// write completes the frame in buf and writes it. If not all of it could be
// written, the part is cut off again. Where even that fails, the reader finds
// the next block by its magic, and the next write tries the cut again.
func (w *Writer) write(kind byte) error {
	if len(w.buf)-frameSize > maxPayload {
		return fmt.Errorf("block of %d bytes", len(w.buf))
	}
	sealFrame(w.buf, kind)
	w.cut()
	n, err := w.file.Write(w.buf)
	w.end += int64(n)
	if err == nil && n < len(w.buf) {
		err = errors.New("short write")
	}
	if err != nil {
		w.cut()
		return err
	}
	w.good = w.end
	return nil
}

// cut removes what a failed write left.
func (w *Writer) cut() {
	if w.end > w.good && w.file.Truncate(w.good) == nil {
		w.end = w.good
	}
}

// sync forces the file to the disk from time to time, beside the caller: a
// busy disk may take longer than the rings of the sampler last (2.9 s).
func (w *Writer) sync() {
	now := w.now()
	if now.Sub(w.synced) < SyncEvery || !w.syncing.CompareAndSwap(false, true) {
		return
	}
	w.synced = now
	w.wait.Go(func() {
		if err := w.file.Datasync(); err != nil {
			w.once.Do(func() { w.syncErr = err })
		}
		w.syncing.Store(false)
	})
}
