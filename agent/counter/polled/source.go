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

// Source is a counter.Source that reads a Meter when it is drained. It has one
// lane, the node or the job.
type Source struct {
	m   Meter
	now func() int64

	// aside takes the readings of a meter that hangs, nil for others. While a reading runs, the cells and its
	// times must not be touched.
	aside      *aside
	stale      bool  // the running reading was started before Start
	begun, end int64 // when the last reading was taken

	cells  []uint64
	last   []uint64 // of each cell, NoCell = none yet
	totals []uint64

	fresh    bool   // the next reading is a beginning: nothing was counted before
	absent   bool   // it was not there when last asked
	absentNS int64  // when that was, 0 = never
	before   uint64 // what the run had counted when it was first read
	readings int64
	failures int64
	failure  error
	hung     bool // a reading gave no answer for long
}

var _ counter.Source = (*Source)(nil)

// share is which part of the time, at most, is spent on one meter: one that
// takes longer is read less often. A port of an adapter may ask its firmware.
const share = 1.0 / 200

// New reads a meter to see whether it can be read, and what that takes.
// One that is not there yet is no error.
func New(m Meter, now func() int64) (*Source, error) {
	if m.Cells == 0 {
		m.Cells = len(m.Columns)
	}
	p := &Source{m: m, now: now, cells: make([]uint64, m.Cells), last: make([]uint64, m.Cells),
		totals: make([]uint64, len(m.Columns)), fresh: true}
	p.forget(NoCell)
	if m.Hangs {
		p.aside = newAside(p.take, p.give)
	}
	takes, err := p.probe()
	if err != nil && !errors.Is(err, ErrAbsent) {
		return nil, errors.Join(err, p.Close())
	}
	p.m.EveryNS = max(m.EveryNS, int64(float64(takes)/share))
	p.m.Columns = slices.Clone(m.Columns)
	for i := range p.m.Columns {
		p.m.Columns[i].Hz = 1e9 / float64(p.m.EveryNS)
	}
	return p, nil
}

// probe returns how long a reading takes: the shortest of three, if the first
// took so long that it matters. It may have been interrupted.
func (p *Source) probe() (takes int64, err error) {
	for i := range 3 {
		if err := p.ask(probePatience); errors.Is(err, errUnderWay) {
			return 0, errNoAnswer
		} else if err != nil {
			return 0, err
		}
		took := p.end - p.begun
		if i == 0 || took < takes {
			takes = took
		}
		if float64(takes) <= share*float64(p.m.EveryNS) {
			break
		}
	}
	return takes, nil
}

// Columns, Lanes, PeriodNS and EveryNS: one lane, on which no record is due.
func (p *Source) Columns() []profile.Column { return p.m.Columns }
func (p *Source) Lanes() int                { return 1 }
func (p *Source) PeriodNS() int64           { return 0 }
func (p *Source) EveryNS() int64            { return p.m.EveryNS }

// Sources tell what is read, one for each column.
func (p *Source) Sources() []run.CounterSource {
	out := make([]run.CounterSource, len(p.m.Columns))
	for i, c := range p.m.Columns {
		out[i] = run.CounterSource{Name: c.Name, Event: p.m.Event, PMU: p.m.PMU, Config: p.m.Config, Scope: c.Scope, Hz: c.Hz}
	}
	return out
}

// Before is what of the run's own counts was there when they were first read: of the
// first column, 0 of meters that count for others too.
func (p *Source) Before() uint64 { return p.before }

// Notes say that readings failed, or that there was none at all.
func (p *Source) Notes() []note.Note {
	name := p.m.Columns[0].Name
	switch {
	case p.hung:
		return []note.Note{note.New(note.ReadFailed,
			"%s: the device gave no answer for more than 10 s, after %s", name,
			quantity.Plural(p.readings, "reading"))}
	case p.readings == 0 && p.failures > 0:
		return []note.Note{note.New(note.NeverRead, "%s could never be read: %v", name, p.failure)}
	case p.failures > 0:
		return []note.Note{note.New(note.ReadFailed, "%s: %d of %d readings failed, the last with: %v",
			name, p.failures, p.failures+p.readings, p.failure)}
	case p.readings == 0 && p.absentNS != 0 && p.m.Never != "":
		return []note.Note{note.New(note.NeverRead, "%s", p.m.Never)}
	}
	return nil
}

// Start begins to count. What happened since Stop does not count.
func (p *Source) Start() error {
	p.fresh = true
	p.stale = p.aside != nil && p.aside.underWay()
	return nil
}

// Stop has nothing to do: the kernel counts anyway.
func (p *Source) Stop() error { return nil }

// Close gives up the files.
func (p *Source) Close() error {
	if p.aside != nil {
		return p.aside.close()
	}
	return p.give()
}

// give closes what Read holds open.
func (p *Source) give() error {
	if p.m.Close == nil {
		return nil
	}
	return p.m.Close()
}

// Drain takes one reading. The job's cgroup is the job's from its first
// nanosecond: if it appeared since the last call, all it says was counted since.
func (p *Source) Drain(to counter.Sink) error {
	err := p.ask(patience)
	switch {
	case errors.Is(err, errUnderWay):
		return nil
	case errors.Is(err, errSlow):
		p.hung = true
		return fmt.Errorf("read %s: %w", p.m.Columns[0].Name, err)
	case errors.Is(err, ErrAbsent):
		p.absent, p.absentNS = true, p.end
		if p.readings == 0 {
			p.fresh = false
			p.forget(0)
		}
		return nil
	case err != nil:
		p.failures++
		p.failure = err
		return fmt.Errorf("read %s: %w", p.m.Columns[0].Name, err)
	}
	if p.m.Columns[0].Gauge {
		p.level()
	} else {
		if p.readings == 0 && p.absent {
			to.Read(0, p.absentNS, p.totals)
		}
		p.count()
	}
	p.absent = false
	p.readings++
	to.Read(0, p.begun+(p.end-p.begun)/2, p.totals)
	return nil
}

// take takes a reading, and notes when.
func (p *Source) take() error {
	p.begun = p.now()
	err := p.read()
	p.end = p.now()
	return err
}

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
	return fmt.Errorf("%s does not contain it", p.m.Config)
}

func (p *Source) forget(to uint64) {
	for i := range p.last {
		p.last[i] = to
	}
}

// level adds up the cells of each column.
func (p *Source) level() {
	clear(p.totals)
	for i, v := range p.cells {
		if v != NoCell {
			p.totals[i%len(p.totals)] += v
		}
	}
}

// count adds what each cell grew by. A cell that is smaller than before was reset, and its count up to the
// reset is unknown. A cell that was absent in between is another one, and its whole value is new.
func (p *Source) count() {
	for i, v := range p.cells {
		if v == NoCell {
			continue
		}
		switch was := p.last[i]; {
		case p.readings == 0 && p.m.Own && p.fresh:
			p.before += v
		case p.fresh || was == NoCell:
		case v >= was:
			p.totals[i%len(p.totals)] += v - was
		case p.absent:
			p.totals[i%len(p.totals)] += v
		}
		p.last[i] = v
	}
	p.fresh = false
}
