package gpu

import (
	"jobgait/agent/counter"
	"jobgait/analysis/note"
)

// held is a source that is asked only once a process of the job holds its GPUs.
type held struct {
	counter.Source
	by    *Holders
	begun bool
	// tells is whether this one has the holders' notes; the others of a run have not.
	tells bool
}

// Drain begins when there is a holder: what was counted before is not the job's.
func (s *held) Drain(to counter.Sink) error {
	if !s.begun {
		if !s.by.Confirmed() {
			return nil
		}
		s.begun = true
		if err := s.Start(); err != nil {
			return err
		}
	}
	return s.Source.Drain(to)
}

// Notes are the source's, and those of the holders; none of a run that has only begun.
func (s *held) Notes() []note.Note {
	switch {
	case s.begun:
		return s.Source.Notes()
	case s.tells && s.by.begunNS != 0:
		return s.by.Notes()
	}
	return nil
}
