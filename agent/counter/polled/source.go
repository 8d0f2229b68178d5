package polled

import (
	"errors"
	"fmt"
	"slices"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
)

// Source is a counter.Source that reads a Meter when it is drained. It has one lane.
type Source struct {
	m   Meter
	now func() int64

	// background takes the readings of a meter that may hang, nil for others. While a reading runs, the cells and
	// its times must not be accessed.
	background *background
	stale      bool  // the running reading was started before Start
	begun, end int64 // when the last reading was taken

	cells  []uint64
	last   []uint64 // last value of each cell, NoCell if none yet
	totals []uint64

	restarted bool   // the next reading only sets the start values
	absent    bool   // it was absent at the last reading
	absentNS  int64  // time of the last reading at which it was absent, 0 for never
	before    uint64 // the run's count at the first reading
	readings  int64
	failures  int64
	failure   error
	hangs     hangs
}

// hangs counts readings that gave no answer for longer than hungAfter.
type hangs struct {
	n        int64
	now      bool  // the running reading is one of them
	readings int64 // taken before the last of them
}

var _ counter.Source = (*Source)(nil)

// maxTimeShare is the largest share of the time that is spent on reading one meter: one that takes longer, as a
// port whose adapter asks its firmware, is read less often.
const maxTimeShare = 1.0 / 200

// New returns a Source for a meter, after reading it to measure how long a reading takes. It returns an error
// if the meter cannot be read, but not for ErrAbsent. It lengthens the meter's interval if readings would
// take more than maxTimeShare of the time.
func New(m Meter, now func() int64) (*Source, error) {
	if m.Cells == 0 {
		m.Cells = len(m.Columns)
	}
	p := &Source{m: m, now: now, cells: make([]uint64, m.Cells), last: make([]uint64, m.Cells),
		totals: make([]uint64, len(m.Columns)), restarted: true}
	p.setLast(NoCell)
	if m.Hangs {
		p.background = newBackground(p.takeReading, p.closeMeter)
	}
	takes, err := p.probe()
	if err != nil && !errors.Is(err, ErrAbsent) {
		return nil, errors.Join(err, p.Close())
	}
	p.m.EveryNS = max(m.EveryNS, int64(float64(takes)/maxTimeShare))
	p.m.Columns = slices.Clone(m.Columns)
	for i := range p.m.Columns {
		p.m.Columns[i].Hz = 1e9 / float64(p.m.EveryNS)
	}
	return p, nil
}

// probe returns how long a reading takes, in ns: the shortest of up to three, since a long one may have been
// interrupted.
func (p *Source) probe() (takes int64, err error) {
	for i := range 3 {
		if err := p.readNow(probeTimeout); errors.Is(err, errPending) {
			return 0, errNoAnswer
		} else if err != nil {
			return 0, err
		}
		took := p.end - p.begun
		if i == 0 || took < takes {
			takes = took
		}
		if float64(takes) <= maxTimeShare*float64(p.m.EveryNS) {
			break
		}
	}
	return takes, nil
}

// Columns returns the meter's columns with their rate.
func (p *Source) Columns() []profile.Column { return p.m.Columns }

// Lanes returns 1.
func (p *Source) Lanes() int { return 1 }

// PeriodNS returns 0: no record is due at a fixed time.
func (p *Source) PeriodNS() int64 { return 0 }

// EveryNS returns the time between two readings.
func (p *Source) EveryNS() int64 { return p.m.EveryNS }

// Sources returns what is read, one entry for each column.
func (p *Source) Sources() []run.CounterSource {
	out := make([]run.CounterSource, len(p.m.Columns))
	for i, c := range p.m.Columns {
		out[i] = run.CounterSource{Name: c.Name, Event: p.m.Event, PMU: p.m.PMU, Config: p.m.Config, Scope: c.Scope, Hz: c.Hz}
	}
	return out
}

// Before returns what the run had counted, in the first column, before the first reading; 0 for meters that
// count other runs too.
func (p *Source) Before() uint64 { return p.before }

// Notes returns a note if readings failed, if the device hangs, or if none succeeded and the meter has a text
// for that.
func (p *Source) Notes() []note.Note {
	name := p.m.Columns[0].Name
	switch {
	case p.hangs.now:
		return []note.Note{note.New(note.ReadFailed,
			"%s: the device gave no answer for more than 10 s, after %s: values are missing from then on, check its driver",
			name,
			quantity.Plural(p.readings, "reading"))}
	case p.hangs.n > 0:
		return []note.Note{note.New(note.ReadFailed,
			"%s: the device gave no answer for more than 10 s %s, the last time after %s; it has answered since, %s in all: "+
				"the values between are missing",
			name, quantity.Plural(p.hangs.n, "time"), quantity.Plural(p.hangs.readings, "reading"),
			quantity.Plural(p.readings, "reading"))}
	case p.readings == 0 && p.failures > 0:
		return []note.Note{note.New(note.NeverRead, "%s could never be read, so it has no values: %v", name, p.failure)}
	case p.failures > 0:
		return []note.Note{note.New(note.ReadFailed, "%s: %d of %d readings failed and are missing, the last with: %v",
			name, p.failures, p.failures+p.readings, p.failure)}
	case p.readings == 0 && p.absentNS != 0 && p.m.NeverText != "":
		return []note.Note{note.New(note.NeverRead, "%s", p.m.NeverText)}
	}
	return nil
}

// Start starts counting. What happened since Stop does not count.
func (p *Source) Start() error {
	p.restarted = true
	p.stale = p.background != nil && p.background.running()
	return nil
}

// Stop does nothing: the kernel counts in any case.
func (p *Source) Stop() error { return nil }

// Close closes what the meter holds open.
func (p *Source) Close() error {
	if p.background != nil {
		return p.background.close()
	}
	return p.closeMeter()
}

// closeMeter closes what the meter's Read holds open.
func (p *Source) closeMeter() error {
	if p.m.Close == nil {
		return nil
	}
	return p.m.Close()
}

// Drain takes one reading and passes the totals to the sink. It passes nothing if the reading fails, is still in
// progress, or the object, such as the job's cgroup, is absent; a failure or a hanging device is an error. If the
// object appeared since the last call, its whole count was counted since then.
func (p *Source) Drain(to counter.Sink) error {
	err := p.readNow(maxWait)
	if p.background != nil && !p.background.running() {
		p.hangs.now = false
	}
	switch {
	case errors.Is(err, errPending):
		return nil
	case errors.Is(err, errHung):
		if !p.hangs.now {
			p.hangs = hangs{n: p.hangs.n + 1, now: true, readings: p.readings}
		}
		return fmt.Errorf("read %s: %w: its values are missing until it answers", p.m.Columns[0].Name, err)
	case errors.Is(err, ErrAbsent):
		p.absent, p.absentNS = true, p.end
		if p.readings == 0 {
			p.restarted = false
			p.setLast(0)
		}
		return nil
	case err != nil:
		p.failures++
		p.failure = err
		return fmt.Errorf("read %s: %w: this reading is missing", p.m.Columns[0].Name, err)
	}
	if p.m.Columns[0].Gauge {
		p.sumLevels()
	} else {
		if p.readings == 0 && p.absent {
			to.Read(0, p.absentNS, p.totals)
		}
		p.addIncreases()
	}
	p.absent = false
	p.readings++
	to.Read(0, p.begun+(p.end-p.begun)/2, p.totals)
	return nil
}

// takeReading takes a reading and records its time.
func (p *Source) takeReading() error {
	p.begun = p.now()
	err := p.read()
	p.end = p.now()
	return err
}

// read fills the cells; it returns an error if no cell has a value.
func (p *Source) read() error {
	for i := range p.cells {
		p.cells[i] = NoCell
	}
	if err := p.m.Read(p.cells); err != nil {
		return err
	}
	for _, v := range p.cells {
		if v != NoCell {
			return nil
		}
	}
	return fmt.Errorf("no number was found in %s", p.m.Config)
}

// setLast sets the last value of every cell to the same value: 0, or NoCell for none.
func (p *Source) setLast(to uint64) {
	for i := range p.last {
		p.last[i] = to
	}
}

// sumLevels sets each column's total to the sum of its cells.
func (p *Source) sumLevels() {
	clear(p.totals)
	for i, v := range p.cells {
		if v != NoCell {
			p.totals[i%len(p.totals)] += v
		}
	}
}

// addIncreases adds each cell's increase to its column's total. A cell that decreased was reset; its count up
// to the reset is unknown and ignored. After an absence of the object the whole value of a decreased cell is
// new. The first values of a meter with OwnCount are added to before, not to the totals.
func (p *Source) addIncreases() {
	for i, v := range p.cells {
		if v == NoCell {
			continue
		}
		switch was := p.last[i]; {
		case p.readings == 0 && p.m.OwnCount && p.restarted:
			p.before += v
		case p.restarted || was == NoCell:
		case v >= was:
			p.totals[i%len(p.totals)] += v - was
		case p.absent:
			p.totals[i%len(p.totals)] += v
		}
		p.last[i] = v
	}
	p.restarted = false
}
