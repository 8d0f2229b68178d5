package anatomy

import (
	"slices"

	"jobgait/analysis/quantity"
)

// Bounds of what a record keeps: the functions of a LAMMPS run have 67 names, of
// which 5 hold 97 % of the time.
const (
	maxFunctions = 32 // of the run, and of a pattern
	maxElsewhere = 8  // of start-up, tail, between, and of patterns after the third
	maxLibraries = 24
	fullCycles   = 3
	// leastShare is the least share of the time at which a function has a line of its own.
	leastShare = 0.001
)

// Others are functions, or libraries, that have no line of their own.
type Others struct {
	Count   int      `json:"count"`
	Share   float64  `json:"share"`
	Seconds float64  `json:"busy_s"`
	CycleS  *float64 `json:"cycle_s,omitempty"`
}

// Rest is the name of the libraries that have no line of their own.
const Rest = "[others]"

// Bounded limits the numbers of functions and libraries to what a record has room for. It adds the rest to
// Others and to Rest, so that the totals stay the same.
func (a Anatomy) Bounded() Anatomy {
	a.Run = a.Run.bounded(maxFunctions)
	a.StartUp, a.Between, a.Tail = a.StartUp.bounded(maxElsewhere), a.Between.bounded(maxElsewhere),
		a.Tail.bounded(maxElsewhere)
	cycles := make([]Cycle, len(a.Cycles))
	for i, c := range a.Cycles {
		limit := maxFunctions
		if i >= fullCycles {
			limit = maxElsewhere
		}
		c.Split = c.Split.bounded(limit)
		cycles[i] = c
	}
	a.Cycles = cycles
	return a
}

// bounded keeps at most limit functions, each with a share of at least leastShare, and at most maxLibraries libraries.
// It adds the other functions up in Others, and the other libraries in one named Rest. It also rounds the distributions
// within the cycle.
func (s Split) bounded(limit int) Split {
	n := min(len(s.Functions), limit)
	for n > 0 && s.Functions[n-1].Share < leastShare {
		n--
	}
	if rest := s.Functions[n:]; len(rest) > 0 {
		o := Others{Count: len(rest)}
		for _, f := range rest {
			o.Share, o.Seconds, o.CycleS = o.Share+f.Share, o.Seconds+f.Seconds, sum(o.CycleS, f.CycleS)
		}
		s.Others = &o
	}
	functions := make([]Share, n)
	for i, f := range s.Functions[:n] {
		f.Within = rounded(f.Within)
		functions[i] = f
	}
	s.Functions = functions
	s.Classes = slices.Clone(s.Classes)
	for i := range s.Classes {
		s.Classes[i].Within = rounded(s.Classes[i].Within)
	}
	if len(s.Libraries) > maxLibraries {
		rest := Part{Name: Rest}
		for _, p := range s.Libraries[maxLibraries:] {
			rest.Share, rest.Seconds, rest.CycleS = rest.Share+p.Share, rest.Seconds+p.Seconds, sum(rest.CycleS, p.CycleS)
		}
		s.Libraries = append(append([]Part{}, s.Libraries[:maxLibraries]...), rest)
	}
	return s
}

// sum adds two optional numbers; nil counts as zero, and two nils give nil.
func sum(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	v := *a + *b
	return &v
}

// rounded returns the values rounded to three significant figures: the noise of a bin is 7 to 14 %.
func rounded(v []float64) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = quantity.Rounded(x, 3)
	}
	return out
}

// WithoutFunctions returns the anatomy with classes and libraries only.
func (a Anatomy) WithoutFunctions() Anatomy {
	bare := func(s Split) Split {
		s.Functions, s.Others = []Share{}, nil
		return s
	}
	a.Run, a.StartUp, a.Between, a.Tail = bare(a.Run), bare(a.StartUp), bare(a.Between), bare(a.Tail)
	cycles := make([]Cycle, len(a.Cycles))
	for i, c := range a.Cycles {
		c.Split = bare(c.Split)
		cycles[i] = c
	}
	a.Cycles, a.Pages = cycles, nil
	return a
}
