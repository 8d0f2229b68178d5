package gpu

import (
	"errors"

	"jobgait/agent/counter"
	"jobgait/analysis/note"
)

// heldSource is a source that counts only from the time when a process of the job has its GPU open.
type heldSource struct {
	counter.Source
	holders *Holders
	file    string // device file that must be open; "" for any of the job's
	begun   bool
	// first marks the first source of the run's GPUs: it checks for holders more often than profiles are written,
	// and reports their notes.
	first bool
}

// startsAt is a source whose start can be set, also to a time in the past.
type startsAt interface{ StartAt(timeNS int64) }

// holderCheckNS is how often the first source is drained on average, and looks for holders: drawn between
// 25 and 75 ms, so that a GPU is known to be held within 0.1 s of being opened where checks cost little.
const holderCheckNS = 50e6

// EveryNS returns the source's interval; for the first source at most holderCheckNS.
func (s *heldSource) EveryNS() int64 {
	if every := s.Source.EveryNS(); !s.first || every > 0 && every < holderCheckNS {
		return every
	}
	return holderCheckNS
}

// Drain drains the source once a process of the job has the GPU open; what was counted before is not the job's.
func (s *heldSource) Drain(to counter.Sink) error {
	if !s.begun {
		held, since := s.holders.Confirmed(), s.holders.SinceNS()
		if held && s.file != "" {
			since, held = s.holders.FoundSince(s.file)
		}
		if !held {
			return nil
		}
		s.begun = true
		if at, ok := s.Source.(startsAt); ok {
			at.StartAt(since)
		} else if err := s.Start(); err != nil {
			return err
		}
	}
	if s.first && s.file != "" {
		s.holders.Confirmed() // others may be held later
	}
	return s.Source.Drain(to)
}

// Close closes the source; the first source also ends the search for holders.
func (s *heldSource) Close() error {
	if s.first {
		return errors.Join(s.Source.Close(), s.holders.close())
	}
	return s.Source.Close()
}

// Notes returns the source's notes or, if it has not begun, those of the holders.
func (s *heldSource) Notes() []note.Note {
	switch {
	case s.begun:
		return s.Source.Notes()
	case s.first && s.holders.begunNS != 0:
		return s.holders.Notes()
	}
	return nil
}
