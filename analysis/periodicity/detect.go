package periodicity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// minSamples is the shortest profile in which a period is sought.
const minSamples = 48

// Detect finds the periods of a profile. The result is the same for the same
// input. An error means that the set itself is unusable; a profile without a
// period is a result with notes.
func Detect(set series.Set, par Params) (Result, error) {
	n := set.Len()
	for _, c := range set.Columns {
		if len(c.Values) != n {
			return Result{}, fmt.Errorf("detect periods: column %q has %d samples, not %d", c.Name, len(c.Values), n)
		}
	}
	if !(set.StepS > 0) {
		return Result{}, fmt.Errorf("detect periods: step of %v s", set.StepS)
	}
	if n < minSamples {
		return Result{Notes: []note.Note{note.New(note.TooShort, "%d samples: at least %d are needed to look for a period", n, minSamples)}}, nil
	}
	scopes := []series.Scope{series.JobScope}
	if par.NodeScope {
		scopes = append(scopes, series.NodeScope)
	}
	var refused outcome
	for _, scope := range scopes {
		best := outcome{}
		for _, s := range sources(set, scope) {
			best = best.better(detectSource(set, s, par))
		}
		if len(best.periods) > 0 {
			return Result{Periods: best.periods, Notes: remarks(best, set, par)}, nil
		}
		refused = refused.better(best)
	}
	return Result{Notes: []note.Note{refused.refusal(set, par)}}, nil
}

// outcome is what one source gave.
type outcome struct {
	source  string
	stage   stage
	periods []Period
	worth   float64 // sum of coverage * confidence
}

// better prefers the source that explains more of the profile, but the earlier
// one unless it is by half: groups come first, and what code runs says more than
// a single counter, which may follow a slower rhythm (log lines, checkpoints).
func (o outcome) better(p outcome) outcome {
	if o.source == "" || p.worth > 1.5*o.worth || p.worth == 0 && o.worth == 0 && p.stage > o.stage {
		return p
	}
	return o
}

func (o outcome) refusal(set series.Set, par Params) note.Note {
	switch {
	case o.source == "":
		return note.New(note.NoVariance, "no column of the job was sampled")
	case o.stage == noVariance:
		return note.New(note.NoVariance, "no period: every column is flat")
	case o.stage == noValley:
		return note.New(note.NoValley, "no period: no shift makes a column resemble itself")
	case o.stage == notTracked:
		return note.New(note.NotTracked, "no period: %s resembles itself at some shift, but it is not held from one instance to the next", o.source)
	case o.stage == notSignificant:
		return note.New(note.NotSignificant, "no period: the best candidate in %s is no better than what chance gives in %d permutations of the profile", o.source, par.Surrogates)
	}
	return note.New(note.LowCoverage, "no period: the best candidate in %s covers less than %g %% of the profile, or too irregularly", o.source, 100*par.MinCoverage)
}

// remarks are the warnings that go with what was found.
func remarks(o outcome, set series.Set, par Params) []note.Note {
	var notes []note.Note
	main := o.periods[0]
	if n := len(main.Instances); n < par.FewInstances {
		notes = append(notes, note.New(note.FewInstances, "%d iterations were seen; below %d the mean shape is uncertain", n, par.FewInstances))
	}
	if main.PeriodSamples < 8 {
		notes = append(notes, note.New(note.FewSamples, "an iteration has only %.1f samples of %g ms: its length is known, its shape is not", main.PeriodSamples, 1000*set.StepS))
	}
	return notes
}

// detectSource finds the periods of one source.
func detectSource(set series.Set, s source, par Params) outcome {
	o := outcome{source: s.name}
	proj, ok := newProjection(s, par.Components)
	if !ok {
		return o
	}
	h := hunt{par: par, minLag: int(math.Ceil(s.minLagS / set.StepS)), stage: noVariance}
	n := set.Len()
	for a := 0; a < n; {
		b := min(a+par.Chunk, n)
		if n-b < par.Chunk/8 {
			b = n
		}
		a = h.chunk(proj.apply(a, b), a, b == n)
	}
	o.stage = h.stage
	for _, k := range h.found {
		p, ok := k.period(set, s.name, par)
		if !ok || p.Confidence < s.minConfidence || len(p.Instances) < s.minInstances {
			o.stage = max(o.stage, lowCoverage)
			continue
		}
		o.periods = append(o.periods, p)
		o.worth += p.Coverage * p.Confidence
	}
	slices.SortStableFunc(o.periods, func(x, y Period) int {
		return cmp.Compare(y.Coverage*y.Confidence, x.Coverage*x.Confidence)
	})
	return o
}

// hunt carries the known periods through the chunks of a profile.
type hunt struct {
	par    Params
	minLag int
	f      lagFinder
	found  []*known
	also   []variant
	stage  stage
}

// variant is another template of a known period, for stretches where it runs
// slower or at another level.
type variant struct {
	known
	of *known
}

// chunk analyses the samples of v, which begin at sample off of the profile,
// and returns where the next chunk begins.
func (h *hunt) chunk(v vector, off int, last bool) int {
	n := v.len()
	p := newPyramid(v)
	open := []span{{0, n}}
	for _, k := range h.found {
		open = h.cover(p, k, k, open, off)
	}
	for i := range h.also {
		open = h.cover(p, &h.also[i].known, h.also[i].of, open, off)
	}
	for refused := map[span]bool{}; len(h.found) < h.par.MaxPatterns; {
		s, ok := widest(open, refused, max(minSamples, int(h.par.MinCoverage*float64(n)/2)))
		if !ok {
			break
		}
		x, st := search(&h.f, p, s.a, s.b, h.minLag, h.par)
		h.stage = max(h.stage, st)
		before := total(open)
		if st == found {
			open = h.adopt(p, x, open, off)
		}
		if total(open) == before {
			refused[s] = true
		}
	}
	if end := h.lastEnd() - off; !last && end > n/2 {
		return off + end
	}
	return off + n
}

// adopt follows a new fit through the open spans: as a period of its own, or as
// a variant of a known one if their shapes agree up to a rotation.
func (h *hunt) adopt(p pyramid, x fit, open []span, off int) []span {
	k := &known{t: x.t, level: x.level, distance: x.distance}
	k.improve(p, x.a, x.b, h.par)
	for _, old := range h.found {
		ratio := k.length() / old.length()
		if ratio < 0.7 || ratio > 1.4 || old.t.periods > 1 || k.t.periods > 1 {
			continue
		}
		if d, shift := old.t.likeness(k.t); d <= h.par.Likeness {
			k.t = k.t.rotate(int(shift * float64(k.t.unit)))
			if len(h.also) < 2*h.par.MaxPatterns {
				h.also = append(h.also, variant{known: *k, of: old})
			}
			return h.cover(p, k, old, open, off)
		}
	}
	h.found = append(h.found, k)
	return h.cover(p, k, k, open, off)
}

// cover follows k through the open spans, gives its instances to owner, and
// returns what stays open.
func (h *hunt) cover(p pyramid, k, owner *known, open []span, off int) []span {
	var rest []span
	for _, s := range open {
		var got known
		got.t, got.level, got.distance = k.t, k.level, k.distance
		at := s.a
		for _, c := range got.follow(p, s.a, s.b, h.par) {
			if c.a > at {
				rest = append(rest, span{at, c.a})
			}
			at = c.b
		}
		if at < s.b {
			rest = append(rest, span{at, s.b})
		}
		for _, in := range got.in {
			owner.in = append(owner.in, Instance{First: in.First + off, Length: in.Length})
		}
		owner.units = append(owner.units, got.units...)
	}
	return rest
}

// lastEnd is the end of the last instance of any period.
func (h *hunt) lastEnd() int {
	end := 0
	for _, k := range h.found {
		for _, in := range k.in {
			end = max(end, in.First+in.Length)
		}
	}
	return end
}

// length is the number of samples in one unit of k.
func (k *known) length() float64 { return float64(k.t.unit << k.level) }

// widest returns the longest span not yet refused.
func widest(open []span, refused map[span]bool, least int) (span, bool) {
	var w span
	for _, s := range open {
		if !refused[s] && s.b-s.a > w.b-w.a {
			w = s
		}
	}
	return w, w.b-w.a >= least
}

func total(open []span) int {
	n := 0
	for _, s := range open {
		n += s.b - s.a
	}
	return n
}
