package main

import (
	"errors"
	"syscall"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// recording is the profile that the agent writes: its header, its blocks, and the notes of its footer.
type recording struct {
	writer writer // nil before the profile is created
	header profile.Header
	block  profile.Block // the block that is emitted; its memory is used for each
	// footerNotes are the notes learned during the run.
	footerNotes []note.Note
	// failure is why the profile could not be written, mostly for lack of space; nil if it could. The agent then
	// writes nothing more but lives on until it is stopped.
	failure error
	lost    int64 // records
}

// writer is the interface to the profile; tests replace it with one that fails.
type writer interface {
	Append(profile.Block) error
	WriteEpoch(profile.Epoch) error
	WritePlaces(profile.Places)
	WriteWindows([]profile.GPUWindows) error
	Seal(profile.Footer) error
	Close() error
}

// appendBlock appends the block and counts its lost records. After a failed write it only counts.
func (r *recording) appendBlock() error {
	r.lost += r.block.LostRecords
	if r.writeFailed() {
		return nil
	}
	return r.writer.Append(r.block)
}

// writeFailed reports whether the profile could not be written.
func (r *recording) writeFailed() bool { return r.failure != nil }

// recordFailure stores the first error of a write and reports whether err is it.
func (r *recording) recordFailure(err error) (first bool) {
	if err == nil || r.failure != nil {
		return false
	}
	r.failure = err
	return true
}

// failureText returns why the profile could not be written, without paths.
func (r *recording) failureText() string {
	if errors.Is(r.failure, profile.ErrFull) {
		return "the profile has the size that agent.profile_mb allows"
	}
	var code syscall.Errno
	if errors.As(r.failure, &code) {
		return code.Error()
	}
	return "the agent's log has the cause"
}

// lossNotes returns the notes of samples that the profile lacks.
func (r *recording) lossNotes() (notes []note.Note) {
	if r.writeFailed() {
		notes = append(notes, note.New(note.SpoolFull, "samples could not be written to the profile and are missing: %s",
			r.failureText()))
	}
	if r.lost > 0 {
		notes = append(notes, note.New(note.LostSamples, "the kernel dropped %s of perf events: their samples are missing",
			quantity.Plural(r.lost, "record")))
	}
	return notes
}

// lateNotes returns the notes of sources that came up during the run: those whose code no note of the header
// has.
func (r *recording) lateNotes(sources []counter.Source) []note.Note {
	var late []note.Note
	begun := map[note.Code]bool{}
	for _, n := range r.header.Notes {
		begun[n.Code] = true
	}
	for _, s := range sources {
		for _, n := range s.Notes() {
			if !begun[n.Code] {
				late = append(late, n)
			}
		}
	}
	return late
}
