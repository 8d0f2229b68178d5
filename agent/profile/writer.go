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

// SyncEvery is the interval at which written blocks are forced to the disk: a crash of the machine loses at
// most what was written since. A crash of the agent loses only the block that it had not written.
const SyncEvery = 10 * time.Second

// ErrSealed is the error for writing after Seal. ErrFull is the error of Append when the profile has reached
// its maximum size: it can still be sealed.
var (
	ErrSealed = errors.New("internal error, please report it: the profile is already sealed")
	ErrFull   = errors.New("the profile has reached its maximum size: raise agent.profile_mb")
)

// WriterOptions say how a profile is written. The zero value rounds counts and does not limit the size.
type WriterOptions struct {
	// Lossless stores every count as it was read, and every page. Otherwise counts are rounded, to at most 1/256
	// of a median step (see quantumOf).
	Lossless bool
	// MaxBytes limits the size of the file in bytes (see cap.go); 0 = no limit.
	MaxBytes int64
}

// Writer appends blocks to a profile file. Only one goroutine may use it.
type Writer struct {
	file        file
	path        string
	header      Header
	limits      sizeCap
	encoder     *encoder
	merger      merger
	overviews   overviewBuilder
	buf         []byte
	intactBytes int64 // length of the file up to its last whole frame
	fileBytes   int64 // length of the file; more than intactBytes after a failed write
	nextSlot    int64 // slot after the last block
	sealed      bool

	now     func() time.Time
	synced  time.Time
	syncing atomic.Bool
	wait    sync.WaitGroup
	once    sync.Once
	syncErr error
}

// file is the methods of an *os.File that a Writer uses; tests simulate a full disk.
type file interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Datasync() error
	Close() error
}

// diskFile is an open file on disk.
type diskFile struct{ *os.File }

// Datasync forces the file's data to the disk.
func (f diskFile) Datasync() error { return unix.Fdatasync(int(f.Fd())) }

// Create creates a profile file, readable by its owner only, and writes its header; it fails if the file
// exists. It fills in Version and replaces nil lists by empty ones. Only the first of the options is used;
// without any, the zero WriterOptions.
func Create(path string, h Header, options ...WriterOptions) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the profile file: %w", err)
	}
	w, err := newWriter(diskFile{f}, path, h, append(options, WriterOptions{})[0])
	if err != nil {
		f.Close()
		os.Remove(path) // created here, and useless without a header
		return nil, err
	}
	return w, nil
}

// newWriter returns a writer after writing the header to f; path appears in errors only.
func newWriter(f file, path string, h Header, o WriterOptions) (*Writer, error) {
	h.Version = Version
	h.Columns = append([]Column{}, h.Columns...)
	h.Sources = append([]run.CounterSource{}, h.Sources...)
	h.Notes = append([]note.Note{}, h.Notes...)
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("create the profile %s: internal error, please report it: %w", path, err)
	}
	for i := range h.Columns {
		h.Columns[i].Quantum = 0 // that of blocks stands in blocks
	}
	w := &Writer{file: f, path: path, header: h, limits: newSizeCap(o.MaxBytes, h.StepNS), now: time.Now}
	w.synced = w.now()
	var err error
	if w.encoder, err = newEncoder(&w.header, o); err != nil {
		return nil, fmt.Errorf("create the profile %s: %w", path, err)
	}
	w.overviews = newOverviewBuilder(&w.header)
	if err := w.writeJSON(headerFrame, h); err != nil {
		return nil, fmt.Errorf("create the profile %s: %w", path, err)
	}
	return w, nil
}

// Append writes one block with one write; its first slot must not be before the end of the last block. It also
// writes the block's bins and, when due, an overview of the blocks before, an epoch and a background sync; near
// the maximum size it merges slots of the block. After an error, mostly a full disk, the file has no readable
// part of the block, and the next block may be tried. It returns ErrFull if the file has its maximum size.
func (w *Writer) Append(b Block) error {
	if w.sealed {
		return fmt.Errorf("append to the profile %s: %w", w.path, ErrSealed)
	}
	if err := b.check(len(w.header.Columns)); err != nil {
		return fmt.Errorf("append a block to the profile %s: internal error, please report it: %w", w.path, err)
	}
	if b.First < w.nextSlot {
		return fmt.Errorf("append a block to the profile %s: internal error, please report it: the block begins at slot "+
			"%d, want %d or later", w.path, b.First, w.nextSlot)
	}
	if err := w.writeBlock(b); err != nil {
		return fmt.Errorf("append to the profile %s: %w", w.path, err)
	}
	w.nextSlot = b.First + int64(b.N)
	w.syncIfDue()
	return nil
}

// writeBlock writes a block and its bins. If the file has reached a stage of its maximum size, it merges slots,
// and writes an epoch when a stage begins. It writes an overview of the blocks before if the block cannot be
// added to it.
func (w *Writer) writeBlock(b Block) error {
	slot := b.First
	every, changed, err := w.limits.mergeAt(w.intactBytes)
	if err != nil {
		return err
	}
	if changed != "" {
		e := Epoch{Slot: slot, TimeNS: w.header.BaseNS + slot*w.header.StepNS, Kind: "size", Text: changed}
		if err := w.writeJSON(epochFrame, e); err != nil {
			return err
		}
		w.limits.advance()
	}
	if every > 1 {
		b.Pages = hottest(b.Pages, w.limits.pageLimit())
	}
	if every = max(every, b.MergedSlots); every > 1 {
		b = w.merger.merge(b, every)
	}
	suits := w.overviews.isSummable(&b)
	if !suits || !w.overviews.extends(&b) {
		w.writeOverview()
	}
	w.buf = w.encoder.appendBlock(openFrame(w.buf[:0]), &b)
	if cells := b.N * len(b.Columns); cells > maxGrowth*(len(w.buf)-frameSize) {
		return fmt.Errorf("internal error, please report it: a block of %d slots is almost empty, and a reader would "+
			"reject it", b.N)
	}
	if err := w.writeFrame(blockFrame); err != nil {
		return err
	}
	w.writeBins(&b)
	if !suits {
		return nil
	}
	if w.overviews.slots == 0 {
		w.overviews.begin(&b)
	}
	w.overviews.add(&b)
	return nil
}

// writeBins writes the bins of a block without merged slots. It ignores write errors: the block has the same
// samples by slot.
func (w *Writer) writeBins(b *Block) {
	if b.MergedSlots <= 1 && b.Bins.Count() > 0 {
		w.buf = w.encoder.appendBins(openFrame(w.buf[:0]), b.First, &b.Bins)
		_ = w.writeFrame(binsFrame)
	}
}

// writeOverview writes the overview of the blocks since the last one, if they are enough. It ignores write
// errors, because the blocks have the same data.
func (w *Writer) writeOverview() {
	b, ok := w.overviews.finish()
	if !ok {
		return
	}
	w.buf = w.encoder.appendBlock(openFrame(w.buf[:0]), &b)
	if b.pointsPerColumn()*len(b.Columns) <= maxGrowth*(len(w.buf)-frameSize) {
		_ = w.writeFrame(overviewFrame)
	}
}

// WriteEpoch writes an epoch, which says that samples mean something else from its slot on. It may be written before
// or after the block with that slot. It returns an error for an epoch that a reader would reject, and after Seal.
func (w *Writer) WriteEpoch(e Epoch) error {
	if w.sealed {
		return fmt.Errorf("append to the profile %s: %w", w.path, ErrSealed)
	}
	if err := e.check(); err != nil {
		return fmt.Errorf("append to the profile %s: internal error, please report it: %w", w.path, err)
	}
	if err := w.writeJSON(epochFrame, e); err != nil {
		return fmt.Errorf("append to the profile %s: %w", w.path, err)
	}
	return nil
}

// Seal writes the last overview and the footer and forces everything to the disk. Once the footer is written, nothing
// more can be written, and another Seal returns ErrSealed.
func (w *Writer) Seal(f Footer) error {
	if w.sealed {
		return fmt.Errorf("seal the profile %s: %w", w.path, ErrSealed)
	}
	f.Notes = append([]note.Note{}, f.Notes...)
	w.writeOverview()
	if err := w.writeJSON(footerFrame, f); err != nil {
		return fmt.Errorf("seal the profile %s: %w", w.path, err)
	}
	w.sealed = true
	w.wait.Wait()
	if err := w.file.Datasync(); err != nil {
		return fmt.Errorf("seal the profile %s: %w", w.path, err)
	}
	return nil
}

// Close waits for a running sync and closes the file, without sealing the profile. It returns the first error
// of the syncs and that of closing.
func (w *Writer) Close() error {
	w.wait.Wait()
	if err := errors.Join(w.syncErr, w.file.Close()); err != nil {
		return fmt.Errorf("close the profile %s: %w", w.path, err)
	}
	return nil
}

// writeJSON writes a frame whose payload is v as JSON. It returns an error if the JSON is longer than
// maxJSON.
func (w *Writer) writeJSON(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > maxJSON {
		return fmt.Errorf("internal error, please report it: a JSON frame of the profile has %d bytes, want at most 1 MiB",
			len(text))
	}
	w.buf = append(openFrame(w.buf[:0]), text...)
	return w.writeFrame(kind)
}

// writeFrame fills in the head of the frame in buf and writes it. After a partial write it cuts off the part.
// If that fails too, a reader finds the next block by its magic, and the next write tries to cut again.
func (w *Writer) writeFrame(kind byte) error {
	if len(w.buf)-frameSize > maxPayload {
		return fmt.Errorf("internal error, please report it: a block has %d bytes, want at most %d", len(w.buf), maxPayload)
	}
	sealFrame(w.buf, kind)
	w.removePartial()
	n, err := w.file.Write(w.buf)
	w.fileBytes += int64(n)
	if err == nil && n < len(w.buf) {
		err = errors.New("only a part of a frame was written to the profile: the file system may be full")
	}
	if err != nil {
		w.removePartial()
		return err
	}
	w.intactBytes = w.fileBytes
	return nil
}

// removePartial truncates the file to its last whole frame, after a failed write.
func (w *Writer) removePartial() {
	if w.fileBytes > w.intactBytes && w.file.Truncate(w.intactBytes) == nil {
		w.fileBytes = w.intactBytes
	}
}

// syncIfDue starts forcing the file to the disk in the background if SyncEvery has passed since the last time and that
// sync has ended. It does not wait, because a busy disk may take longer than the sampler's ring buffers last (2.9 s).
// Close returns the first error of these syncs.
func (w *Writer) syncIfDue() {
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
