package profile

import (
	"fmt"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// Loaded is what a report needs of a profile.
type Loaded struct {
	// Header is the profile's; its notes say, beside what the agent found,
	// when slots were merged, and which counters were counted part of the time.
	Header Header
	Footer *Footer // nil if the profile was not sealed
	Epochs []Epoch
	Damage Damage
	// Set is what periods are looked for in; Slow are the columns that were
	// read too seldom for that, on a grid of their own.
	Set, Slow series.Set
	// Quality says what the samples are worth, Totals what the cumulative
	// columns counted.
	Quality summary.Quality
	Totals  []summary.Counter

	endS float64
}

// End returns when the last sample ended, in seconds since the run began; 0
// without samples.
func (l Loaded) End() float64 { return l.endS }

// Load returns what a report needs of a profile without holding its blocks: it
// reads the file twice, and its memory is that of the set. Where slots are merged
// anyway it takes overviews, if there are any, instead of their blocks. It fails only if the
// file cannot be opened or has no usable header.
func Load(path string, p SetParams) (Loaded, error) {
	s, err := surveyFile(path)
	if err != nil {
		return Loaded{}, err
	}
	again, err := Open(path)
	if err != nil {
		return Loaded{}, fmt.Errorf("second pass: %w", err)
	}
	defer again.Close()
	if len(again.header.Columns) != len(s.header.Columns) {
		return Loaded{}, fmt.Errorf("second pass: profile %s was replaced", path)
	}
	return s.load(again, p.filled()), nil
}

// load goes through a profile a second time.
func (s *survey) load(again *Reader, p SetParams) Loaded {
	layout := newLayout(s, p)
	f := layout.fill(again.eachParallel(s.wanted(layout.merge)))
	l := Loaded{Header: *s.header, Footer: s.footer, Epochs: s.epochs, Damage: again.Damage(), Set: f.set(), Slow: f.slowSet(),
		Quality: s.quality(p.InterruptS), Totals: s.totals(f.rates.seconds(f.taken))}
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
				"%s was counted %.1f %% of the time, because counters shared the PMU; its values are scaled", c.Name, 100*part))
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

// surveyFile goes through a profile once, and looks at heads only.
func surveyFile(path string) (*survey, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.survey(), nil
}

func (r *Reader) survey() *survey {
	s := newSurvey(&r.header, r.eachHead())
	s.footer, s.epochs = r.footer, r.epochs
	return s
}
