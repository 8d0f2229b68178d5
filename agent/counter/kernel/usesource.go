package kernel

import (
	"errors"
	"os"
	"strings"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// useSource is the source of one kind of values of a jobUse.
type useSource struct {
	use      *jobUse
	file     string
	files    []string // of the columns, nil if all are read from file
	tally    *readOutcomes
	columns  []profile.Column
	values   func([]uint64)
	givenNS  int64 // time of the last passed reading; absentNS is that of the last drain without any
	absentNS int64
	counts   [2]uint64
}

var _ counter.Source = (*useSource)(nil)

// Columns returns the source's columns.
func (s *useSource) Columns() []profile.Column { return s.columns }

// Lanes returns 1: the job.
func (s *useSource) Lanes() int { return 1 }

// PeriodNS returns 0: no record is due at a fixed time.
func (s *useSource) PeriodNS() int64 { return 0 }

// EveryNS returns 0: it is read when the rings are drained.
func (s *useSource) EveryNS() int64 { return 0 }

// Start does nothing: the kernel counts anyway.
func (s *useSource) Start() error { return nil }

// Stop does nothing.
func (s *useSource) Stop() error { return nil }

// Close closes the file that the source keeps open.
func (s *useSource) Close() error { return s.use.meanwhile.stat.close() }

// Sources returns, for the run's metadata, the name of each column and the file that it is read from.
func (s *useSource) Sources() (list []run.CounterSource) {
	for i, c := range s.columns {
		file := s.file
		if s.files != nil {
			file = s.files[i]
		}
		list = append(list, run.CounterSource{Name: c.Name, Event: file, PMU: "proc", Config: "/proc/PID/" + file,
			Scope: "job", Hz: useHz})
	}
	return list
}

// columnNames returns the names of the columns, joined by commas.
func (s *useSource) columnNames() string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// Notes returns a note if the file could not be read of some processes.
func (s *useSource) Notes() []note.Note {
	switch t := s.tally; {
	case t.succeeded == 0 && t.failed > 0:
		return []note.Note{note.New(note.NeverRead,
			"/proc/PID/%s of the job's processes could never be read: no values of %s", s.file, s.columnNames())}
	case t.failed > 0:
		return []note.Note{note.New(note.ReadFailed,
			"/proc/PID/%s of the job's processes: %d of %d readings failed and are missing in %s",
			s.file, t.failed, t.succeeded+t.failed, s.columnNames())}
	}
	return nil
}

// Drain passes a reading to the sink if there is a new one and any process could be read. All of the first
// reading is the job's: counts begin at 0.
func (s *useSource) Drain(to counter.Sink) error {
	s.use.update()
	if s.tally.succeeded == 0 {
		s.absentNS = s.use.atNS
		return nil
	}
	if s.givenNS == s.use.atNS {
		return nil
	}
	if s.givenNS == 0 {
		if s.absentNS == 0 || s.absentNS >= s.use.atNS {
			s.absentNS = s.use.atNS - 1
		}
		to.Read(0, s.absentNS, s.counts[:len(s.columns)])
	}
	s.givenNS = s.use.atNS
	s.values(s.counts[:len(s.columns)])
	to.Read(0, s.givenNS, s.counts[:len(s.columns)])
	return nil
}

// readOutcomes counts how often a file could be read and how often not.
type readOutcomes struct{ succeeded, failed int64 }

// count counts the outcome of a read and reports whether it succeeded. A process that has ended is not counted.
func (t *readOutcomes) count(err error) bool {
	if err == nil {
		t.succeeded++
		return true
	}
	if !errors.Is(err, os.ErrNotExist) && !isGone(err) { // that one has ended
		t.failed++
	}
	return false
}
