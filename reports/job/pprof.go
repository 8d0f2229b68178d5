package job

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Pprof writes the code of a run as a pprof profile (profile.proto, gzipped): one sample per function, with the
// label phase (A, start-up, tail, gap) and, in a pattern, bin, the part of the cycle from 0 to 31. The first of
// the two values is the number of samples, the second CPU time in ns. It returns an error if no code was
// recorded.
//
// The encoder is written by hand: five messages of integers and strings take 100 lines, whereas the pprof
// package has 5000 and adds a module.
func Pprof(w io.Writer, s summary.Summary) error {
	a := s.Code
	if a == nil || a.Samples == 0 {
		return fmt.Errorf("job %s has no code samples, so there is no pprof profile", s.DisplayID())
	}
	p := newPprof(a)
	for _, part := range []struct {
		phase string
		split anatomy.Split
	}{{string(phase.StartUp), a.StartUp}, {string(phase.Gap), a.Between}, {string(phase.Tail), a.Tail}} {
		p.split(part.phase, part.split)
	}
	for _, c := range a.Cycles {
		p.split(c.Pattern, c.Split)
	}
	p.number(9, uint64(max(0, s.Start*1e9)))
	p.number(10, uint64(max(0, s.ElapsedS*1e9)))
	p.number(12, uint64(math.Round(p.sampleS*1e9)))
	zip := gzip.NewWriter(w)
	if _, err := zip.Write(p.bytes()); err != nil {
		return fmt.Errorf("write the profile of job %s: %w", s.DisplayID(), err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("write the profile of job %s: %w", s.DisplayID(), err)
	}
	return nil
}

// pprof builds a Profile message; fields are given by their numbers in profile.proto.
type pprof struct {
	message
	strings   []string
	known     map[string]uint64
	functions map[[2]string]uint64
	sampleS   float64 // CPU time of one sample
}

// newPprof returns a profile with its two value types.
func newPprof(a *anatomy.Anatomy) *pprof {
	p := &pprof{known: map[string]uint64{}, functions: map[[2]string]uint64{}}
	p.text("")
	if a.Samples > 0 {
		p.sampleS = a.Run.BusyS / float64(a.Samples)
	}
	for _, t := range [][2]string{{"samples", "count"}, {"cpu", "nanoseconds"}} {
		p.message.message(1, p.pair(t[0], t[1]))
	}
	p.message.message(11, p.pair("cpu", "nanoseconds"))
	return p
}

// pair returns a ValueType message.
func (p *pprof) pair(kind, unit string) message {
	var m message
	m.number(1, p.text(kind))
	m.number(2, p.text(unit))
	return m
}

// text returns the index of a string in the string table, which it extends as needed.
func (p *pprof) text(s string) uint64 {
	i, ok := p.known[s]
	if !ok {
		i = uint64(len(p.strings))
		p.known[s], p.strings = i, append(p.strings, s)
	}
	return i
}

// split adds the samples of one part of the run: those of each function, divided among the bins of a cycle where its
// course is known, and those of all other functions as "[others]". If only names of libraries are kept, it adds one
// sample per library.
func (p *pprof) split(phase string, s anatomy.Split) {
	for _, f := range s.Functions {
		at := p.function(f.Name, f.Library)
		sum := 0.0
		for _, v := range f.Within {
			sum += v
		}
		if sum <= 0 {
			p.sample(at, f.Seconds, phase, -1)
			continue
		}
		for bin, v := range f.Within {
			p.sample(at, f.Seconds*v/sum, phase, bin)
		}
	}
	if len(s.Functions) == 0 && s.Others == nil { // names of libraries alone are kept
		for _, l := range s.Libraries {
			p.sample(p.function("", l.Name), l.Seconds, phase, -1)
		}
	}
	if o := s.Others; o != nil {
		p.sample(p.function("[others]", ""), o.Seconds, phase, -1)
	}
}

// function returns the id of the location of a function, which it adds at the first call. Code without a name is named
// after its library.
func (p *pprof) function(name, library string) uint64 {
	name, library = text.Clean(name), text.Clean(library)
	if name == "" {
		name = "[" + library + "]"
		if library == anatomy.KernelCode || library == anatomy.NoFile || library == anatomy.Unresolved {
			name = library
		}
	}
	key := [2]string{name, library}
	id, ok := p.functions[key]
	if ok {
		return id
	}
	id = uint64(len(p.functions) + 1)
	p.functions[key] = id
	var f, line, at message
	f.number(1, id)
	f.number(2, p.text(name))
	f.number(3, p.text(name))
	f.number(4, p.text(library))
	p.message.message(5, f)
	line.number(1, id)
	at.number(1, id)
	at.message(4, line)
	p.message.message(4, at)
	return id
}

// sample adds CPU time of a function in a phase, and in a bin of the cycle unless bin is -1.
func (p *pprof) sample(location uint64, seconds float64, phase string, bin int) {
	ns := uint64(max(0, math.Round(seconds*1e9)))
	if ns == 0 {
		return
	}
	count := uint64(0)
	if p.sampleS > 0 {
		count = uint64(math.Round(seconds / p.sampleS))
	}
	var m, label message
	m.number(1, location)
	m.repeated(2, count)
	m.repeated(2, ns)
	label.number(1, p.text("phase"))
	label.number(2, p.text(text.Clean(phase)))
	m.message(3, label)
	if bin >= 0 {
		var at message
		at.number(1, p.text("bin"))
		at.repeated(3, uint64(bin))
		m.message(3, at)
	}
	p.message.message(2, m)
}

// bytes returns the encoded profile.
func (p *pprof) bytes() []byte {
	for _, s := range p.strings {
		p.field(6, []byte(s))
	}
	return p.message
}

// message is an encoded protocol-buffer message.
type message []byte

// number adds a varint field, unless v is 0, the default.
func (m *message) number(field int, v uint64) {
	if v != 0 {
		m.repeated(field, v)
	}
}

// repeated adds a varint field, also if v is 0.
func (m *message) repeated(field int, v uint64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3), v)
}

// message adds an embedded message.
func (m *message) message(field int, x message) { m.field(field, x) }

// field adds a length-delimited field.
func (m *message) field(field int, b []byte) {
	*m = append(binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3|2), uint64(len(b))), b...)
}
