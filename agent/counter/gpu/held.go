package gpu

import (
	"jobgait/agent/counter"
	"jobgait/analysis/note"
)

// held is a source that counts only from when on a process of the job holds its GPUs.
type held struct {
	counter.Source
	by    *Holders
	file  string // that must be held; "" is any of the job's
	begun bool
	// first is whether this is the first source of the run's GPUs: it looks for holders
	// more often than profiles are written, and reports their notes.
	first bool
}

// startsAt is a source with a settable start, which may lie in the past.
type startsAt interface{ StartAt(timeNS int64) }

// lookNS is how often the first source is drained on average, and looks for holders: drawn between
// 40 and 120 ms, so that a GPU is known to be held within 0.15 s of being opened.
const lookNS = 80e6

// EveryNS is that of the source; the first looks for holders meanwhile.
func (s *held) EveryNS() int64 {
	if every := s.Source.EveryNS(); !s.first || every > 0 && every < lookNS {
		return every
	}
	return lookNS
}

// Drain begins when there is a holder: what was counted before is not the job's.
func (s *held) Drain(to counter.Sink) error {
	if !s.begun {
		held, since := s.by.Confirmed(), s.by.SinceNS()
		if held && s.file != "" {
			since, held = s.by.FoundSince(s.file)
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
		s.by.Confirmed() // others may be held later
	}
	return s.Source.Drain(to)
}

// Notes are the source's, and those of the holders; none of a run that has only begun.
func (s *held) Notes() []note.Note {
	switch {
	case s.begun:
		return s.Source.Notes()
	case s.first && s.by.begunNS != 0:
		return s.by.Notes()
	}
	return nil
}
