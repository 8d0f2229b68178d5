package profile

import (
	"cmp"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
)

// survey is what one pass over the heads of the blocks tells of a whole profile.
type survey struct {
	header *Header
	footer *Footer
	epochs []Epoch
	places Places
	// windows are those of each GPU.
	windows [][]anatomy.Window
	// first and end bound the slots: end is the one after the last.
	first, end int64
	blocks     int
	present    int64 // slots in blocks
	missing    int64 // of them, those that lack a record from some CPU
	lost       int64
	records    int64
	agentNS    int64
	sampled    bool    // some block has samples
	last       []int64 // of every column; NoValue if it never had one
	ran        []share // of every column
	hits       map[uint64]int64
	bins       surveyed
	// starts are the first slots of blocks that follow each other without a
	// gap and have no overview yet; overviews are those that can be believed.
	starts    []int64
	overviews []slots
	summed    int64 // slots that have one
}

// share is how much of the time a column was counted.
type share struct{ counted, slots float64 }

// maxTallied is how many pages are counted over a run. An application has a few
// thousand; 24 h of noise could bring 4 million.
const maxTallied = 100_000

// newSurvey goes through a profile, and looks at heads only: at the speed of its
// checksums.
func newSurvey(r *Reader) *survey {
	s := &survey{header: &r.header, last: make([]int64, len(r.header.Columns)), ran: make([]share, len(r.header.Columns)),
		hits: map[uint64]int64{}}
	s.bins.hits = map[uint64]map[anatomy.PagePart]int64{}
	for i := range s.last {
		s.last[i] = NoValue
	}
	b := &r.decoder.head
	for kind, payload := range r.sampled() {
		if kind == binsFrame {
			if r.bins.read(payload) == nil {
				s.bins.add(&r.bins, len(payload))
			}
			r.pass()
			continue
		}
		overview := kind == overviewFrame
		switch err := b.read(payload, &r.header, overview); {
		case overview && err != nil:
			r.pass()
		case overview:
			r.pass()
			s.addOverview(slots{b.First, b.First + int64(b.N)})
		case err != nil || b.First < r.next:
			r.refuse()
		default:
			r.accept(b.First + int64(b.N))
			r.coarsest(b)
			s.add(b)
		}
	}
	s.footer, s.epochs, s.places, s.windows = r.footer, r.epochs, r.places, r.windows
	return s
}

func (s *survey) add(b *blockHead) {
	if s.blocks == 0 {
		s.first = b.First
	}
	if b.First != s.end || len(s.starts) > overviewSlots {
		s.starts = s.starts[:0]
	}
	s.starts = append(s.starts, b.First)
	s.blocks++
	s.end = b.First + int64(b.N)
	s.present += int64(b.N)
	s.missing += b.Missing
	s.lost += b.LostRecords
	s.records += b.Records
	s.agentNS = max(s.agentNS, b.AgentCPUNS)
	for i, c := range b.columns {
		if c.present > 0 {
			s.last[i] = c.last
		}
		ran := 1.0
		if b.Ran != nil {
			ran = float64(b.Ran[i]) / 10_000
		}
		s.ran[i].counted += ran * float64(b.N)
		s.ran[i].slots += float64(b.N)
	}
	s.sampled = s.sampled || b.flags&flagSamples != 0
	for _, p := range b.pages {
		s.tally(p.key, int64(p.hits))
	}
}

// addOverview keeps an overview if the blocks are there that it is of.
func (s *survey) addOverview(o slots) {
	if _, ok := slices.BinarySearch(s.starts, o.first); ok && o.end == s.end {
		s.overviews = append(s.overviews, o)
		s.summed += o.end - o.first
		s.starts = s.starts[:0]
	}
}

// tally adds the hits of a page. When there are too many pages, those below the
// mean are forgotten: the sixteen that matter are far above it.
func (s *survey) tally(key uint64, hits int64) {
	s.hits[key] += hits
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

// totals are the counters over the run; cpuS is the job's CPU time by the code addresses, over the given number
// of slots.
func (s *survey) totals(cpuS float64, slots int64) []run.Counter {
	out := make([]run.Counter, 0, 1+len(s.last))
	if s.sampled && newRates(s.header, s.epochs).highest() > 0 {
		c := run.Counter{Name: "cpu_time", Unit: "s", Scope: "job", Total: cpuS}
		if slots < s.present {
			c.Share = float64(slots) / float64(s.present)
		}
		out = append(out, c)
	}
	for i, c := range s.header.Columns {
		if !c.Gauge && s.last[i] != NoValue {
			x := run.Counter{Name: c.Name, Unit: c.Unit, Scope: c.Scope, Total: float64(s.last[i])}
			if s.footer != nil {
				x.Before = float64(s.footer.Before[c.Name])
			}
			out = append(out, x)
		}
	}
	return out
}

// interruptS is what one sample costs the CPU that it interrupts, unless the header knows
// better: 12 us measured in a virtual machine, about 3 us on bare metal.
const interruptS = 12e-6

// quality says what the samples are worth.
func (s *survey) quality() run.Quality {
	h, interruptS := s.header, interruptS
	if h.InterruptNS > 0 {
		interruptS = h.InterruptNS / 1e9
	}
	q := run.Quality{
		Scope: h.Scope, CPUs: h.CPUs, RateHz: 1e9 / float64(h.StepNS), AddressHz: h.AddressHz,
		Samples: s.present, Missing: s.missing, LostRecords: s.lost, Blocks: s.blocks, Sealed: s.footer != nil,
		AgentCPUS: float64(s.agentNS) / 1e9,
		BudgetPct: h.BudgetPct, InterruptNS: h.InterruptNS,
		Sources: append([]run.CounterSource{}, h.Sources...),
	}
	if s.footer != nil {
		q.GPUReaderS, q.GPUReaderStartS = s.footer.GPUReaderS, s.footer.GPUReaderStartS
	}
	q.Sources = slices.DeleteFunc(q.Sources, s.neverHeld)
	for i := range q.Sources {
		if part := s.footer.uncertain(q.Sources[i].Name); part >= 0 && part <= 1 {
			q.Sources[i].Uncertain = part
		}
	}
	if available := float64(s.end-s.first) * s.stepS() * float64(h.CPUs); available > 0 {
		q.OverheadPct = 100 * (q.AgentCPUS + float64(s.records)*interruptS) / available
	}
	return q
}

// neverHeld is whether a source is of a GPU of which nothing was read: no process held it,
// which a note says where the run was given one.
func (s *survey) neverHeld(x run.CounterSource) bool {
	i := slices.IndexFunc(s.header.Columns, func(c Column) bool { return c.Name == x.Name })
	return i >= 0 && s.header.Columns[i].Ticked && s.last[i] == NoValue && x.Absent == ""
}

// uncertain is that of a column, 0 where it is not known.
func (f *Footer) uncertain(column string) float64 {
	if f == nil {
		return 0
	}
	return f.Uncertain[column]
}
