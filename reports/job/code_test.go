package job

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/finding"
	"jobgait/reports/text"
)

// A stencil on two spinning ranks, as measured with Open MPI: waiting is reported once, with its place. A melt
// on one rank has no finding.
func TestWaitingRanksAreReported(t *testing.T) {
	s := melt()
	s.Code.Samples, s.Code.Run.Libraries = 8569, nil
	for name, share := range map[string]float64{"hydro": .285, "libm.so.6": .389, "mca_btl_vader.so": .137,
		"libopen-pal.so.40": .149, "libmpi.so.40": .003, anatomy.KernelCode: .031} {
		s.Code.Run.Libraries = append(s.Code.Run.Libraries, anatomy.Part{Name: name, Share: share})
	}
	slices.SortFunc(s.Code.Run.Libraries, func(a, b anatomy.Part) int { return strings.Compare(a.Name, b.Name) })
	var found []string
	for _, f := range New(s, nil, options()).Findings {
		found = append(found, f.Code)
		if f.Code == "waiting_in_mpi" &&
			(math.Abs(f.Evidence["share"].(float64)-.289) > 1e-9 || !strings.Contains(f.Text, "28.9 % of the CPU time")) {
			t.Errorf("%+v", f)
		}
	}
	if !slices.Contains(found, "waiting_in_mpi") || slices.Contains(found, "communication_share") {
		t.Errorf("%v", found)
	}
	for _, f := range New(melt(), nil, options()).Findings {
		if slices.Contains([]string{"waiting_in_mpi", "communication_share", "kernel_share", "openmp_waiting"}, f.Code) {
			t.Errorf("a melt: %+v", f)
		}
	}
}

// The reported code is that of the pattern at the head of the report or, if its code was not sampled, of the
// run.
func TestCodeIsOfTheMainPattern(t *testing.T) {
	s := melt()
	other := s.Code.Cycles[0]
	other.Pattern = "B"
	s.Code.Cycles = []anatomy.Cycle{{Pattern: "A"}, other}
	if c := New(s, nil, options()).Code; c.Pattern != "" || c.CycleS != nil || c.Samples != s.Code.Samples {
		t.Errorf("A was not seen: %q, %v, %d samples", c.Pattern, c.CycleS, c.Samples)
	}
	own := other
	own.Pattern = "A"
	s.Code.Cycles = []anatomy.Cycle{other, own}
	if c := New(s, nil, options()).Code; c.Pattern != "A" || c.CycleS == nil {
		t.Errorf("of A: %q", c.Pattern)
	}
}

// The lines of the table and the line of others add up to the total, whatever is joined in them.
func TestCodeLinesAddUp(t *testing.T) {
	c := New(melt(), nil, options()).Code
	lines, others, rest := c.lines()
	share, seconds := others.Share, rest
	for _, l := range lines {
		share, seconds = share+l.share, seconds+l.seconds
	}
	if math.Abs(share-1) > 1e-9 || math.Abs(seconds-*c.CycleS) > 1e-9 {
		t.Errorf("%g, %g of %g", share, seconds, *c.CycleS)
	}
	if len(lines) != 7 { // two unnamed places of one library are one
		t.Errorf("%d lines", len(lines))
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"main": "main", "NPairHalfBinAtomonlyNewton::build": "NPairHalfBi*::build",
		"averyverylongfunctionname":    "averyverylongfunct*",
		"N::averyverylongfunctionname": "N::averyverylongfu*", "LAMMPS_NS::PairLJCut::compute": "PairLJCut::compute",
		"LAMMPS_NS::NPairHalfBinAtomonlyNewton::build": "NPairHalfBi*::build", "a::B<c::d, e::f>::run": "B<c::d, e::f>::run",
		"": "", "::": "::", "::::::::::::::::::::::::": "::",
		"LAMMPS_NS::FixNVE::initial_integrate": "FixNVE::initial_in*",
	} {
		if got := shortName(name, 19); got != want || text.Width(got) > 19 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A code page has the name of the function to which most of the page belongs.
func TestPagesHaveNames(t *testing.T) {
	s := melt()
	if got := newLabels(s).long("code:9f31c2aa04d7e611"); !strings.HasSuffix(got, "code page #1 = PairLJCut::compute") {
		t.Error(got)
	}
	s.Code.Pages[0].Share = .4
	if got := newLabels(s).long("code:9f31c2aa04d7e611"); !strings.HasSuffix(got, "code page #1") {
		t.Error(got)
	}
}

// TestSharesOfFewSamplesAreRough takes the code of a run with a thousand samples in a second of CPU time, and of one
// with a fortieth of them, as a cluster's budget leaves: the report of the latter states no share of code with
// decimals, and no finding on a kernel whose share may be the error of sampling.
func TestSharesOfFewSamplesAreRough(t *testing.T) {
	decimals := regexp.MustCompile(`\d\.\d+ %`)
	for name, c := range map[string]struct {
		samples int64
		rough   bool
	}{"1,000 a second": {90_000, false}, "25 a second": {2250, true}} {
		s := sound()
		s.Patterns, s.CodeNode = nil, "dahu-1"
		s.Code = &anatomy.Anatomy{Samples: c.samples, Run: anatomy.Split{BusyS: 90,
			Functions: []anatomy.Share{{Function: anatomy.Function{Name: "solve", Library: "nemo.exe"}, Share: 0.683,
				Seconds: 61.5}, {Function: anatomy.Function{Library: anatomy.KernelCode}, Share: 0.317, Seconds: 28.5}},
			Libraries: []anatomy.Part{{Name: "nemo.exe", Share: 0.683}, {Name: anatomy.KernelCode, Share: 0.317}},
			Classes:   []anatomy.Part{{Name: "own", Share: 0.683}, {Name: "kernel", Share: 0.317}}}}
		r := New(s, nil, options())
		code := r.codeBrief() + "\n" + between(t, textOf(t, r), " CODE   CPU time", "\n\n")
		if decimals.MatchString(code) == c.rough || strings.Contains(code, "~68 %") != c.rough ||
			strings.Contains(code, "too few for exact shares") != c.rough {
			t.Errorf("%s: %s", name, code)
		}
		if found := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Code == "kernel_share"
		}); found ==
			c.rough {
			t.Errorf("%s: a finding on the kernel: %v", name, found)
		}
	}
}
