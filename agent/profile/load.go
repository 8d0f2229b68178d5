package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// A profile becomes its sets in three passes over its frames, which are, in order:
//
//	NewReader      the header, by the reader of its version (version.go)
//	Reader.sampled the next frame with samples; epochs and the footer are kept on
//	               the way, damage is passed over (reader.go, damage.go, window.go)
//	newSurvey      pass one: what the heads of all blocks say (survey.go, head.go)
//	newLayout      which columns on which grid that makes (set.go)
//	survey.plan    of which blocks the overview is read instead
//	Reader.planned pass two: what is in the plan, decoded on all CPUs (plan.go, decode.go)
//	filler.add     each block or overview into the columns (fill.go, lane.go)
//	filler.set     the columns with their names (set.go)
//	surveyed.load  pass three: the bins of all blocks into samples of equal CPU
//	               time (bins.go, cpu.go)

// Loaded is what a report needs of a profile.
type Loaded struct {
	// Header is the profile's; its notes say, beside what the agent found,
	// when slots were merged, and which counters were counted part of the time.
	Header Header
	Footer *Footer // nil if the profile was not sealed
	Epochs []Epoch
	Damage Damage
	// Set is what periods are looked for in, with its code on the job's own clock
	// beside it; Slow are the columns that were read too seldom for that, on a grid
	// of their own.
	Set, Slow series.Set
	// CPU is the code of Set on the job's own clock, split pages with their blocks.
	CPU CPU
	// Quality says what the samples are worth: its Samples are the slots that
	// are in a block, for between blocks the agent slept or had nowhere to write.
	// Totals are what the cumulative columns counted up to their last values, and
	// before them "cpu_time", the job's CPU time as the code addresses tell it.
	Quality run.Quality
	Totals  []run.Counter
	// Places are those of the whole run, as far as the profile reaches.
	Places Places
	// Windows are the windows of utilization of each of the job's GPUs, in seconds since
	// the run began.
	Windows [][]anatomy.Window

	endS float64
	grid struct{ first, merge int64 } // of Set: slot of the profile, slots a sample
}

// End returns when the last sample ended, in seconds since the run began; 0
// without samples.
func (l Loaded) End() float64 { return l.endS }

// Load returns what a report needs of a profile without holding its blocks: its
// memory is that of the set. It fails only if the file cannot be opened or has no
// usable header.
func Load(path string) (Loaded, error) { return loadFile(path, usual()) }

func loadFile(path string, r room) (Loaded, error) {
	f, err := os.Open(path)
	if err != nil {
		return Loaded{}, fmt.Errorf("open profile: %w", err)
	}
	defer f.Close()
	l, err := load(f, r)
	if err != nil {
		return Loaded{}, fmt.Errorf("open profile %s: %w", path, err)
	}
	return l, nil
}

// LoadStream loads a profile that can be read only once. It holds the file, up to
// maxStream of it.
func LoadStream(in io.Reader) (Loaded, error) { return loadStream(in, usual()) }

func loadStream(in io.Reader, r room) (Loaded, error) {
	data, broken := io.ReadAll(io.LimitReader(in, maxStream))
	l, err := load(bytes.NewReader(data), r)
	if err == nil && broken != nil {
		l.Damage.also("the rest could not be read: %v", broken)
	}
	return l, err
}

func load(in io.ReadSeeker, r room) (Loaded, error) {
	s, again, err := surveyFirst(in)
	if err != nil {
		return Loaded{}, err
	}
	l := s.load(again, r)
	l.CPU, err = s.bins.load(in, s, r.pages)
	s.places.mark(l.Set.Columns)
	s.places.mark(l.CPU.Set.Columns)
	if l.CPU.Set.Len() > 0 {
		l.Set.Also = []series.Set{l.CPU.apart()}
	}
	return l, err
}

// surveyFirst goes through a profile, and returns a reader to go through it again.
func surveyFirst(in io.ReadSeeker) (s *survey, again *Reader, err error) {
	first, err := NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	s = newSurvey(first)
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	if again, err = NewReader(in); err != nil {
		return nil, nil, fmt.Errorf("second pass: %w", err)
	}
	if len(again.header.Columns) != len(s.header.Columns) {
		return nil, nil, errors.New("second pass: it was replaced")
	}
	return s, again, nil
}

// load goes through a profile a second time.
func (s *survey) load(again *Reader, r room) Loaded {
	layout := newLayout(s, r)
	f := newFiller(layout)
	for b := range again.planned(layout.plan) {
		f.add(b)
	}
	l := Loaded{Header: *s.header, Footer: s.footer, Epochs: s.epochs, Damage: again.Damage(), Set: f.set(),
		Slow:   f.slowSet(),
		Places: s.places, Windows: s.windows, Quality: s.quality(), Totals: s.totals(f.rates.seconds(f.taken))}
	l.grid.first, l.grid.merge = layout.first, layout.merge
	if s.blocks > 0 {
		l.endS = float64(s.header.BaseNS-s.header.RunNS+s.end*s.header.StepNS) / 1e9
	}
	if layout.merge > 1 {
		l.Header.Notes = append(l.Header.Notes, note.New(note.BudgetLowered,
			"the run is long: %d adjacent samples were merged into one, so that the analysis sees steps of %g ms",
			layout.merge, 1e3*layout.stepS()))
	}
	l.Header.Notes = append(l.Header.Notes, s.notes()...)
	return l
}

// notes say what counters were counted only part of the time, and when the file
// had grown too large.
func (s *survey) notes() []note.Note {
	var out []note.Note
	for i, c := range s.header.Columns {
		if part := s.ran[i].counted / s.ran[i].slots; part < 0.9999 {
			out = append(out, note.New(note.Multiplexed,
				"%s was counted %s of the time, because counters shared the PMU; its values are scaled", c.Name,
				quantity.Share(part)))
		}
	}
	for _, e := range s.epochs {
		if e.Kind == "size" {
			out = append(out, note.New(note.SizeLowered, "%.0f s after the start of sampling %s",
				float64(e.Slot-s.first)*s.stepS(), e.Text))
		}
		if e.AddressHz != nil && *e.AddressHz == 0 && !s.footer.has(note.AddressesEnded) {
			out = append(out, note.New(note.AddressesEnded, "%.1f s after the start of sampling: %s",
				float64(e.Slot-s.first)*s.stepS(), e.Text))
		}
	}
	return out
}

// has tells whether a profile that was sealed has a note. An agent that was killed
// leaves epochs only.
func (f *Footer) has(code note.Code) bool {
	return f != nil && slices.ContainsFunc(f.Notes, func(n note.Note) bool { return n.Code == code })
}
