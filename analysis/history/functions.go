package history

import (
	"cmp"
	"database/sql"
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// CodeTime is the CPU time of a run in a class of code (without Library), in a function, or in the unnamed code
// of a library.
type CodeTime struct {
	Library, Name string
	Share         float64  // of the CPU time of the main pattern, or of the run
	StepS         *float64 // of one cycle of the reference pattern, on one node; nil is unknown
}

// Limits for what is stored: the functions of a run, their least share, and the functions of an application
// over all its runs, so that an application with new names in every run does not make the history grow.
const (
	maxFunctions = 8
	leastShare   = 0.01
	maxParts     = 200
)

// Characters of run_code.shares: those of parts begin at the first that is printed, and
// those of shares behind all of them.
const (
	leastPart = 33
	shareZero = 512
)

// restLibrary is the library of the functions for which the dictionary of an application has no room.
const restLibrary = anatomy.Rest

// codeOf returns the CPU time by code that the history stores of a run, classes first; nil without samples of
// code.
func codeOf(s summary.Summary) []CodeTime {
	a := s.Code
	if a == nil || a.Samples == 0 {
		return nil
	}
	split, scale := a.Run, math.NaN()
	if c := s.MainCode(); c != nil {
		split, scale = c.Split, stepScale(s, *c)
	}
	step := func(seconds float64) *float64 {
		if v := seconds * scale; v > 0 && !math.IsInf(v, 0) {
			return &v
		}
		return nil
	}
	var out []CodeTime
	for _, p := range split.Classes {
		if p.Share >= leastShare/10 {
			out = append(out, CodeTime{"", note.Clean(p.Name, maxName), p.Share, step(p.Seconds)})
		}
	}
	return append(out, functionsOf(split, step)...)
}

// stepScale returns the factor that converts the seconds of all cycles of the main pattern to those of one
// cycle of the reference pattern; NaN without a step.
func stepScale(s summary.Summary, c anatomy.Cycle) float64 {
	if p := s.Patterns[0]; s.StepS != nil && p.PeriodS > 0 {
		return *s.StepS / p.PeriodS / c.Count
	}
	return math.NaN()
}

// functionsOf returns the largest functions by their normal names, or the libraries if no function is known: at
// most maxFunctions, each with at least leastShare of the time, without kernel code and code that could not be
// attributed.
func functionsOf(split anatomy.Split, step func(float64) *float64) []CodeTime {
	type key struct{ library, name string }
	seconds := map[key]float64{}
	if len(split.Functions) == 0 {
		for _, p := range split.Libraries {
			seconds[key{p.Name, ""}] += p.Seconds
		}
	}
	for _, f := range split.Functions {
		seconds[key{f.Library, anatomy.NormalName(f.Library, f.Name)}] += f.Seconds
	}
	var out []CodeTime
	for k, v := range seconds {
		share := v / split.BusyS
		if share >= leastShare && k.library != anatomy.KernelCode && k.library != anatomy.NoFile &&
			k.library != anatomy.Unresolved &&
			k.library != anatomy.Rest {
			out = append(out, CodeTime{note.Clean(k.library, maxName), note.Clean(k.name, maxName), share, step(v)})
		}
	}
	slices.SortFunc(out, func(a, b CodeTime) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Library, b.Library), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxFunctions)]
}

// code writes the CPU time by code of a run; nothing if the run has none or its application is unknown. Shares are
// written as pairs of characters, for the number of the part and for its share in steps of 1e-4.
func (w *writer) code(runID int64, s summary.Summary) {
	times, app := codeOf(s), w.application(s)
	if len(times) == 0 || app == 0 || w.err != nil {
		return
	}
	var step any
	if t := times[0]; t.StepS != nil {
		step = int64(math.Round(*t.StepS / t.Share * 1e9))
	}
	shares := map[rune]float64{} // functions for which there is no room have one number
	for _, t := range times {
		shares[w.part(app, t)] += t.Share
	}
	var b strings.Builder
	for _, number := range slices.Sorted(maps.Keys(shares)) {
		b.WriteRune(number)
		b.WriteRune(shareZero + rune(math.Round(min(shares[number], 1)*1e4)))
	}
	w.exec(`INSERT INTO internal_run_code (run_id, application_id, step_ns, shares) VALUES (?, ?, ?, ?)`, runID, app, step,
		b.String())
}

// part returns the number of a class or function of an application, or that of all others if it has too many.
func (w *writer) part(app int64, t CodeTime) rune {
	return rune(w.once(func() int64 { return w.findPart(app, t) }, "internal_code_part", app, t.Library, t.Name))
}

// findPart looks up the number of a part in the database, and inserts the part if it is new and there is room.
// Without room it returns the number of the part that collects the rest.
func (w *writer) findPart(app int64, t CodeTime) int64 {
	var known sql.NullInt64
	var parts, last int64
	w.err = w.tx.QueryRowContext(w.ctx,
		`SELECT max(CASE WHEN library = ? AND name = ? THEN number END), count(*), coalesce(max(number), ?)
		FROM internal_code_part WHERE application_id = ?`, t.Library, t.Name, leastPart-1, app).Scan(&known, &parts, &last)
	rest := CodeTime{Library: restLibrary}
	switch {
	case known.Valid:
		return known.Int64
	case parts >= maxParts && t.Library != "" && t != rest, last >= shareZero-2 && t != rest:
		return int64(w.part(app, rest))
	}
	w.exec(`INSERT INTO internal_code_part (application_id, number, library, name) VALUES (?, ?, ?, ?)`, app, last+1,
		t.Library,
		t.Name)
	return last + 1
}

// runCode is a row of run_code; application is NULL if a run has none.
type runCode struct {
	application, stepNS sql.NullInt64
	shares              sql.NullString
}

// times decodes the parts of the code, classes first and the largest first; unknown parts are left out.
func (x runCode) times(parts map[rune]CodeTime) []CodeTime {
	var out []CodeTime
	letters := []rune(x.shares.String)
	for i := 0; i+1 < len(letters); i += 2 {
		t, ok := parts[letters[i]]
		if !ok {
			continue
		}
		if t.Share = float64(letters[i+1]-shareZero) / 1e4; x.stepNS.Valid {
			s := float64(x.stepNS.Int64) / 1e9 * t.Share
			t.StepS = &s
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b CodeTime) int { // of equal ones the lower number
		if c := cmp.Compare(min(len(a.Library), 1), min(len(b.Library), 1)); c != 0 {
			return c
		}
		return cmp.Compare(b.Share, a.Share)
	})
	return out
}
