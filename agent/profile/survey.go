package profile

import (
	"cmp"
	"iter"
	"slices"

	"jobgait/analysis/summary"
)

// survey is what one pass over the blocks tells of a whole profile.
type survey struct {
	header *Header
	footer *Footer
	// first and end bound the slots: end is the one after the last.
	first, end int64
	blocks     int
	present    int64 // slots in blocks
	missing    int64 // of them, those that lack a record from some CPU
	lost       int64
	records    int64
	agentNS    int64
	sampled    bool // some block has samples
	samples    float64
	last       []int64 // of every column; NoValue if it never had one
	hits       map[uint64]int64
}

// maxTallied is how many pages are counted over a run. An application has a few
// thousand; 24 h of noise could bring 4 million.
const maxTallied = 100_000

func newSurvey(h *Header, blocks iter.Seq[*Block]) *survey {
	s := &survey{header: h, last: make([]int64, len(h.Columns)), hits: map[uint64]int64{}}
	for i := range s.last {
		s.last[i] = NoValue
	}
	for b := range blocks {
		s.add(b)
	}
	return s
}

func (s *survey) add(b *Block) {
	if s.blocks == 0 {
		s.first = b.First
	}
	s.blocks++
	s.end = b.First + int64(b.N)
	s.present += int64(b.N)
	s.missing += b.Missing
	s.lost += b.LostRecords
	s.records += b.Records
	s.agentNS = max(s.agentNS, b.AgentCPUNS)
	for i, c := range b.Columns {
		if v := lastValue(c); v != NoValue {
			s.last[i] = v
		}
	}
	s.sampled = s.sampled || b.Samples != nil
	for _, n := range b.Samples {
		s.samples += float64(n)
	}
	for _, p := range b.Pages {
		s.tally(p)
	}
}

// lastValue returns the last value that there is.
func lastValue(values []int64) int64 {
	for _, v := range slices.Backward(values) {
		if v != NoValue {
			return v
		}
	}
	return NoValue
}

// tally adds the hits of a page. When there are too many pages, those below the
// mean are forgotten: the sixteen that matter are far above it.
func (s *survey) tally(p PageCount) {
	sum := int64(0)
	for _, c := range p.Counts {
		sum += int64(c)
	}
	s.hits[p.Key] += sum
	if len(s.hits) <= maxTallied {
		return
	}
	total := int64(0)
	for _, n := range s.hits {
		total += n
	}
	mean := total / int64(len(s.hits))
	for key, n := range s.hits {
		if n <= mean {
			delete(s.hits, key)
		}
	}
}

// busiest returns the n pages that were hit most.
func (s *survey) busiest(n int) []uint64 {
	keys := make([]uint64, 0, len(s.hits))
	for key, hits := range s.hits {
		if hits > 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(s.hits[b], s.hits[a]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), n)]
}

// stepS is the step of the grid in seconds.
func (s *survey) stepS() float64 { return float64(s.header.StepNS) / 1e9 }

// totals are the counters over the run.
func (s *survey) totals() []summary.Counter {
	out := make([]summary.Counter, 0, 1+len(s.last))
	if s.sampled && s.header.AddressHz > 0 {
		out = append(out, summary.Counter{Name: "cpu_time", Unit: "s", Scope: "job",
			Total: s.samples / s.header.AddressHz})
	}
	for i, c := range s.header.Columns {
		if !c.Gauge && s.last[i] != NoValue {
			out = append(out, summary.Counter{Name: c.Name, Unit: c.Unit, Scope: c.Scope, Total: float64(s.last[i])})
		}
	}
	return out
}

// quality says what the samples are worth; an interrupt costs interruptS.
func (s *survey) quality(interruptS float64) summary.Quality {
	h := s.header
	q := summary.Quality{
		Scope: h.Scope, CPUs: h.CPUs, RateHz: 1e9 / float64(h.StepNS), AddressHz: h.AddressHz,
		Samples: s.present, Missing: s.missing, LostRecords: s.lost, Blocks: s.blocks, Sealed: s.footer != nil,
		AgentCPUS: float64(s.agentNS) / 1e9,
		Sources:   append([]summary.Source{}, h.Sources...),
	}
	if available := float64(s.end-s.first) * s.stepS() * float64(h.CPUs); available > 0 {
		q.OverheadPct = 100 * (q.AgentCPUS + float64(s.records)*interruptS) / available
	}
	return q
}

// Totals returns what the cumulative columns counted over the run, up to their
// last values, and before them "cpu_time", the job's CPU time in seconds as
// the code addresses tell it.
func (p *Profile) Totals() []summary.Counter { return newSurvey(&p.Header, p.each()).totals() }

// Quality says what the samples are worth. Samples are the slots that are in a
// block: between blocks the agent slept, because no process of the job was
// there, or had nowhere to write.
func (p *Profile) Quality() summary.Quality {
	s := newSurvey(&p.Header, p.each())
	s.footer = p.Footer
	return s.quality(Default().InterruptS)
}
