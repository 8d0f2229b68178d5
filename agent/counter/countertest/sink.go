// Package countertest helps to test counter sources: it has a sink that stores all that it receives.
package countertest

import (
	"slices"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
)

// Reading is the counts of a lane at one time.
type Reading struct {
	Lane   int
	TimeNS int64
	Counts []uint64
	// Timer is true for a record of the lane's own timer.
	Timer bool
}

// Hit is one sample of the job's code.
type Hit struct {
	TimeNS int64
	Page   uint64
}

// Sink stores all that it receives. The zero value is ready to use.
type Sink struct {
	Readings []Reading
	Hits     []Hit
	Epochs   []profile.Epoch
	// Enabled and Running are added up by column.
	Enabled, Running     map[int]uint64
	DrainedRecords, Gone int64
}

var _ counter.Sink = (*Sink)(nil)

// Record stores a timer's reading with a copy of the counts.
func (s *Sink) Record(lane int, timeNS int64, counts []uint64) {
	s.Readings = append(s.Readings, Reading{lane, timeNS, slices.Clone(counts), true})
}

// Read stores a requested reading.
func (s *Sink) Read(lane int, timeNS int64, counts []uint64) {
	s.Readings = append(s.Readings, Reading{lane, timeNS, slices.Clone(counts), false})
}

// Hit stores a hit.
func (s *Sink) Hit(timeNS int64, page uint64, _ uint8) { s.Hits = append(s.Hits, Hit{timeNS, page}) }

// Ran adds up the times by column.
func (s *Sink) Ran(column int, enabledNS, runningNS uint64) {
	if s.Enabled == nil {
		s.Enabled, s.Running = map[int]uint64{}, map[int]uint64{}
	}
	s.Enabled[column] += enabledNS
	s.Running[column] += runningNS
}

// Changed stores an epoch.
func (s *Sink) Changed(e profile.Epoch) { s.Epochs = append(s.Epochs, e) }

// Drained adds up the records.
func (s *Sink) Drained(n int64) { s.DrainedRecords += n }

// Lost adds up lost records.
func (s *Sink) Lost(n int64) { s.Gone += n }

// Last returns the last reading of a lane; false if it had none.
func (s *Sink) Last(lane int) (Reading, bool) {
	for _, r := range slices.Backward(s.Readings) {
		if r.Lane == lane {
			return r, true
		}
	}
	return Reading{}, false
}
