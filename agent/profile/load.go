package profile

import (
	"fmt"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// Loaded is what a report needs of a profile.
type Loaded struct {
	// Header is the profile's; its notes say, beside what the agent found,
	// when slots were merged.
	Header Header
	Footer *Footer // nil if the profile was not sealed
	Damage Damage
	Set    series.Set
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
// reads the file twice, and its memory is that of the set. It fails only if the
// file cannot be opened or has no usable header.
func Load(path string, p SetParams) (Loaded, error) {
	p = p.filled()
	s, damage, err := surveyFile(path)
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
	layout := newLayout(s, p)
	l := Loaded{Header: *s.header, Footer: s.footer, Damage: damage, Set: layout.fill(again.each()),
		Quality: s.quality(p.InterruptS), Totals: s.totals()}
	if s.blocks > 0 {
		l.endS = l.Set.StartS + float64(s.end-s.first)*s.stepS()
	}
	if layout.merge > 1 {
		l.Header.Notes = append(l.Header.Notes, note.New(note.BudgetLowered,
			"the run is long: %d adjacent samples were merged into one, so that the analysis sees steps of %g ms",
			layout.merge, 1e3*layout.stepS()))
	}
	return l, nil
}

// surveyFile goes through a profile once.
func surveyFile(path string) (*survey, Damage, error) {
	r, err := Open(path)
	if err != nil {
		return nil, Damage{}, err
	}
	defer r.Close()
	h := r.header
	s := newSurvey(&h, r.each())
	s.footer = r.footer
	return s, r.Damage(), nil
}
