package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
//	Reader.sampleFrames the next frame with samples; epochs and the footer are kept on
//	               the way, damage is passed over (reader.go, damage.go, window.go)
//	newSurvey      pass one: what the heads of all blocks say (survey.go, head.go)
//	newLayout      which columns on which grid that makes (set.go)
//	survey.planOverviews of which blocks the overview is read instead
//	Reader.decodePlanned pass two: what is in the plan, decoded on all CPUs (plan.go, decode.go)
//	filler.add     each block or overview into the columns (fill.go, columnbuilder.go)
//	filler.buildSet the columns with their names (set.go)
//	binSurvey.loadCPUTime pass three: the bins of all blocks into samples of equal CPU
//	               time (bins.go, cpu.go)

// LoadedProfile is the content of a profile that a report needs.
type LoadedProfile struct {
	// Header is the profile's; its notes say, beside what the agent found,
	// when slots were merged, and which counters were counted part of the time.
	Header Header
	Footer *Footer // nil if the profile was not sealed
	Epochs []Epoch
	Damage Damage
	// Set has the columns in which periods are searched, with its code in CPU time beside it (Set.Also). SlowSet
	// has the columns that were read too seldom for that, on a coarser grid.
	Set, SlowSet series.Set
	// CPU is the code of Set in steps of CPU time, with blocks of pages that were split.
	CPU CPUTimeCode
	// Quality says what the samples are worth: its Samples are the slots that are in a block, for between blocks
	// the agent slept or had nowhere to write. Totals are what the cumulative columns counted up to their last
	// values, and before them "cpu_time", the job's CPU time, computed from the number of code addresses.
	Quality run.Quality
	Totals  []run.Counter
	// Places are the hits by place in code, of the whole run up to the last frame with them.
	Places Places
	// Windows are the windows of utilization of each of the job's GPUs, in seconds since
	// the run began.
	Windows [][]anatomy.Window

	endS float64
	grid struct{ first, merge int64 } // of Set: slot of the profile, slots a sample
}

// EndS returns when the last sample ended, in seconds since the run began; 0 without samples.
func (l LoadedProfile) EndS() float64 { return l.endS }

// Load reads a profile for a report without holding its blocks: it needs the memory of the sets only. It fails
// only if the file cannot be opened or has no usable header.
func Load(path string) (LoadedProfile, error) { return loadFile(path, defaultLimits()) }

// loadFile does what Load does, within the given limits.
func loadFile(path string, r columnLimits) (LoadedProfile, error) {
	f, err := openFile(path)
	if err != nil {
		return LoadedProfile{}, fmt.Errorf("open the profile: %w", err)
	}
	defer f.Close()
	l, err := load(f, r)
	if err != nil {
		return LoadedProfile{}, fmt.Errorf("open the profile %s: %w", path, err)
	}
	return l, nil
}

// LoadStream does what Load does for a stream that can be read only once. It holds the file in memory, up to
// maxStream bytes.
func LoadStream(in io.Reader) (LoadedProfile, error) { return loadStream(in, defaultLimits()) }

// loadStream does what LoadStream does, within the given limits.
func loadStream(in io.Reader, r columnLimits) (LoadedProfile, error) {
	data, broken := io.ReadAll(io.LimitReader(in, maxStream))
	l, err := load(bytes.NewReader(data), r)
	if err == nil && broken != nil {
		l.Damage.addRemark("the rest of the profile could not be read: %v: its samples are missing", broken)
	}
	return l, err
}

// load reads a profile in three passes and returns its content, with sets within the given limits. It returns an error
// if the profile has no usable header or cannot be read again from its start.
func load(in io.ReadSeeker, r columnLimits) (LoadedProfile, error) {
	s, again, err := surveyProfile(in)
	if err != nil {
		return LoadedProfile{}, err
	}
	l := s.load(again, r)
	l.CPU, err = s.bins.loadCPUTime(in, s, r.pages)
	s.places.markWaiting(l.Set.Columns)
	s.places.markWaiting(l.CPU.Set.Columns)
	if l.CPU.Set.Len() > 0 {
		l.Set.Also = []series.Set{l.CPU.withoutOverlap()}
	}
	return l, err
}

// surveyProfile reads the heads of a profile once, and returns the survey and a reader at the start for the
// second pass.
func surveyProfile(in io.ReadSeeker) (s *survey, again *Reader, err error) {
	first, err := NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	s = newSurvey(first)
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	if again, err = NewReader(in); err != nil {
		return nil, nil, fmt.Errorf("read the profile a second time: %w", err)
	}
	if len(again.header.Columns) != len(s.header.Columns) {
		return nil, nil, errors.New("the profile was replaced while it was read: read it again")
	}
	return s, again, nil
}

// load reads the blocks of a profile in a second pass, from again, which must be at the start. It returns all of the
// profile's content but the code in CPU time, with sets within the given limits.
func (s *survey) load(again *Reader, r columnLimits) LoadedProfile {
	layout := newLayout(s, r)
	f := newFiller(layout)
	for b := range again.decodePlanned(layout.plan) {
		f.add(b)
	}
	l := LoadedProfile{Header: *s.header, Footer: s.footer, Epochs: s.epochs, Damage: again.Damage(), Set: f.buildSet(),
		SlowSet: f.buildSlowSet(),
		Places:  s.places, Windows: s.windows, Quality: s.quality(), Totals: s.totals(f.rates.cpuSeconds(f.sampledAt))}
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

// notes returns a note on each counter that was counted only part of the time, on each time at which slots were
// merged because the file had reached a stage of its maximum size, and, unless the footer has it, on when the
// sampling of code addresses was stopped.
func (s *survey) notes() []note.Note {
	var out []note.Note
	for i, c := range s.header.Columns {
		if part := s.countedShares[i].counted / s.countedShares[i].slots; part < 0.9999 {
			out = append(out, note.New(note.Multiplexed,
				"%s was counted %s of the time, because events shared the hardware counters: its values are scaled to the whole "+
					"time", c.Name,
				quantity.Share(part)))
		}
	}
	for _, e := range s.epochs {
		if e.Kind == "size" {
			out = append(out, note.New(note.SizeLowered, "%.0f s after the start of sampling %s",
				float64(e.Slot-s.first)*s.stepS(), e.Text))
		}
		if e.AddressHz != nil && *e.AddressHz == 0 && !s.footer.hasNote(note.AddressesEnded) {
			out = append(out, note.New(note.AddressesEnded, "%.1f s after the start of sampling: %s",
				float64(e.Slot-s.first)*s.stepS(), e.Text))
		}
	}
	return out
}

// hasNote reports whether a sealed profile has a note with the code; false without a footer. An agent that was
// killed leaves only epochs.
func (f *Footer) hasNote(code note.Code) bool {
	return f != nil && slices.ContainsFunc(f.Notes, func(n note.Note) bool { return n.Code == code })
}
