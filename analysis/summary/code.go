package summary

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// leastLibrary is the least share of the CPU time for a library's build id to be recorded.
const leastLibrary = 0.01

// libraryField returns the name of the job field with the build id of a library.
func libraryField(library string) string { return "library." + library }

// cycles returns the cycles of each pattern in samples of the run; the instances of periods are in samples without
// suspensions. It leaves out cycles that contain a suspension. Cycles are marked OnCPU if only the axis of CPU time
// shows the period, unless GPUs are folded on the same cycles.
func (r *NodeRecord) cycles(periods []periodicity.Period, c cuts, gpus bool) (cycles []anatomy.Cycles) {
	for i, p := range c.unbroken(periods) {
		x := anatomy.Cycles{Pattern: r.Patterns[i].ID, OnCPU: p.Axis == series.CPU && !gpus}
		for _, in := range p.Instances {
			x.Instances = append(x.Instances, [2]int{c.originalSample(in.First), in.Length})
		}
		cycles = append(cycles, x)
	}
	return cycles
}

// anatomy sets Code, the CPU time by code in the run and in the cycles, and adds the build ids of the main
// libraries to the job's fields. Without samples it sets neither. It returns the samples by code; nil without any.
func (r *NodeRecord) anatomy(s *anatomy.Samples, cycles []anatomy.Cycles) *anatomy.Tally {
	if s == nil {
		return nil
	}
	t := s.Tally(cycles)
	a := t.Result().Bounded()
	if a.Samples == 0 {
		return nil
	}
	for _, column := range r.columns() {
		if p, ok := t.Column(column); ok {
			a.Pages = append(a.Pages, p)
		}
	}
	builds := map[string]string{}
	for _, l := range a.Run.Libraries {
		if id := s.Builds[l.Name]; id != "" && l.Share >= leastLibrary {
			builds[libraryField(l.Name)] = id
		}
	}
	r.Code, r.Job = &a, r.Job.WithFields(builds)
	return t
}

// originalSample returns the sample of the run that sample i of the set without suspensions is.
func (c cuts) originalSample(i int) int {
	n := 0
	for _, x := range c.list {
		if i <= x.at {
			break
		}
		n += x.n
	}
	return i + n
}

// columns returns the names of the columns of patterns and timeline, each once.
func (r *NodeRecord) columns() []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, p := range r.Patterns {
		add(p.Column)
		add(p.ValuesColumn)
	}
	for _, c := range r.Timeline.Columns {
		add(c.Name)
	}
	return out
}

// WithNames returns the summary with no more names of code than the disclosure level allows. run.AllNames
// changes nothing, run.Libraries removes the functions, and any other level removes the code and the build
// ids of libraries.
func (s Summary) WithNames(d run.DisclosureLevel) Summary {
	s.Course = limitNames(s.Course, d)
	switch {
	case d == run.AllNames:
	case d != run.Libraries:
		s.Code = nil
		s.Job.Fields = maps.Clone(s.Job.Fields)
		maps.DeleteFunc(s.Job.Fields, func(name, _ string) bool { return strings.HasPrefix(name, libraryField("")) })
	case s.Code != nil:
		a := s.Code.WithoutFunctions()
		s.Code = &a
	}
	return s
}

// setCode sets Code and CodeNode to those of one node: the lead; if the lead has no names of functions, the first node
// whose code has them; if the lead has no code, the first node with code. Only the first node of a job resolves names.
// Without code on any node both stay empty.
func (s *Summary) setCode(records []NodeRecord, lead NodeRecord) {
	s.Code, s.CodeNode = lead.Code, lead.Node
	if s.Code == nil || !s.Code.HasNames() {
		for _, r := range records {
			if r.Code != nil && (s.Code == nil || r.Code.HasNames()) {
				s.Code, s.CodeNode = r.Code, r.Node
				break
			}
		}
	}
	if s.Code == nil {
		s.CodeNode = ""
	}
}

// withPatternsOf returns the record with the cycles of its code and GPUs renamed to the ids of the lead's
// patterns of the same period: each node assigns ids by size, so that the A of one may be the B of another. A
// pattern that the lead does not have is labelled with its node.
func (r NodeRecord) withPatternsOf(lead NodeRecord) NodeRecord {
	if r.Node == lead.Node || r.Code == nil && len(r.GPUs) == 0 {
		return r
	}
	names := map[string]string{}
	for _, q := range lead.Patterns {
		best, at := samePeriod, ""
		for _, p := range r.Patterns {
			off := math.Abs(p.PeriodS-q.PeriodS) / max(p.PeriodS, q.PeriodS)
			if _, is := names[p.ID]; !is && off <= best {
				best, at = off, p.ID
			}
		}
		if at != "" {
			names[at] = q.ID
		}
	}
	name := func(id string) string { return cmp.Or(names[id], id+" of "+r.Node) }
	if r.Code != nil {
		a := *r.Code
		a.Cycles = slices.Clone(a.Cycles)
		for i := range a.Cycles {
			a.Cycles[i].Pattern = name(a.Cycles[i].Pattern)
		}
		r.Code = &a
	}
	r.GPUs = slices.Clone(r.GPUs)
	for i := range r.GPUs {
		if c := r.GPUs[i].Cycle; c != nil {
			renamed := *c
			renamed.Pattern, r.GPUs[i].Cycle = name(c.Pattern), &renamed
		}
	}
	return r
}

// MainCode returns the CPU time by code of a cycle of the main pattern, nil if unknown.
func (s Summary) MainCode() *anatomy.Cycle {
	if s.Code == nil || len(s.Patterns) == 0 {
		return nil
	}
	return s.Code.CycleOf(s.Patterns[0].ID)
}
