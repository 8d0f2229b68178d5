package profile

import (
	"cmp"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
)

// survey is the result of one pass over the heads of all blocks of a profile.
type survey struct {
	header *Header
	footer *Footer
	epochs []Epoch
	places Places
	// windows are the windows of each GPU.
	windows [][]anatomy.Window
	blockSums
	columnSums
	overviewRanges
	pageHits map[uint64]int64
	bins     binSurvey
}

// blockSums are the sums over all blocks of what does not depend on the column.
type blockSums struct {
	// first and end bound the slots: end is the one after the last.
	first, end     int64
	blocks         int
	presentSlots   int64 // slots within blocks
	uncertainSlots int64 // of them, those whose samples may belong elsewhere
	records        int64
	lostRecords    int64
	agentNS        int64 // CPU time of the agent
	sampled        bool  // whether a block has samples
}

// columnSums is what the blocks say of every column.
type columnSums struct {
	lastValues    []int64 // NoValue if the column never had a value
	countedShares []share
}

// overviewRanges are the slots for which the profile has an overview.
type overviewRanges struct {
	// starts are the first slots of blocks that follow each other without a gap and have no overview yet.
	starts        []int64
	overviews     []slotRange // those that match their blocks
	overviewSlots int64       // slots with an overview
}

// share is how many of a column's slots it was counted in, as a sum of shares, and the number of slots.
type share struct{ counted, slots float64 }

// maxPagesTallied limits the pages whose hits are counted over a run. An application has a few thousand; 24 h
// of noise could bring 4 million.
const maxPagesTallied = 100_000

// newSurvey reads the heads of all blocks of a profile, about as fast as its checksums can be computed.
func newSurvey(r *Reader) *survey {
	columns := len(r.header.Columns)
	s := &survey{header: &r.header, pageHits: map[uint64]int64{},
		columnSums: columnSums{make([]int64, columns), make([]share, columns)}}
	s.bins.hits = map[uint64]map[anatomy.PagePart]int64{}
	for i := range s.lastValues {
		s.lastValues[i] = NoValue
	}
	b := &r.decoder.head
	for kind, payload := range r.sampleFrames() {
		if kind == binsFrame {
			if r.bins.readHead(payload) == nil {
				s.bins.add(&r.bins, len(payload))
			}
			r.ignoreFrame()
			continue
		}
		overview := kind == overviewFrame
		switch err := b.readHead(payload, &r.header, overview); {
		case overview && err != nil:
			r.ignoreFrame()
		case overview:
			r.ignoreFrame()
			s.addOverview(slotRange{b.First, b.First + int64(b.N)})
		case err != nil || b.First < r.nextSlot:
			r.rejectFrame()
		default:
			r.acceptUpTo(b.First + int64(b.N))
			r.updateQuanta(b)
			s.add(b)
		}
	}
	s.footer, s.epochs, s.places, s.windows = r.footer, r.epochs, r.places, r.windows
	return s
}

// add adds the head of a block, which must begin at or after the end of the last one, to the sums of the survey.
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
	s.presentSlots += int64(b.N)
	s.uncertainSlots += b.UncertainSlots
	s.lostRecords += b.LostRecords
	s.records += b.Records
	s.agentNS = max(s.agentNS, b.AgentCPUNS)
	for i, c := range b.columns {
		if c.present > 0 {
			s.lastValues[i] = c.last
		}
		ran := 1.0
		if b.CountedShare != nil {
			ran = float64(b.CountedShare[i]) / 10_000
		}
		s.countedShares[i].counted += ran * float64(b.N)
		s.countedShares[i].slots += float64(b.N)
	}
	s.sampled = s.sampled || b.flags&flagSamples != 0
	for _, p := range b.pages {
		s.addHits(p.key, int64(p.hits))
	}
}

// addOverview records an overview if the blocks that it covers are present without a gap.
func (s *survey) addOverview(o slotRange) {
	if _, ok := slices.BinarySearch(s.starts, o.first); ok && o.end == s.end {
		s.overviews = append(s.overviews, o)
		s.overviewSlots += o.end - o.first
		s.starts = s.starts[:0]
	}
}

// addHits adds the hits of a page. When there are too many pages, it drops those with no more than the mean:
// the sixteen that matter have far more.
func (s *survey) addHits(key uint64, hits int64) {
	s.pageHits[key] += hits
	if len(s.pageHits) <= maxPagesTallied {
		return
	}
	total := int64(0)
	for _, n := range s.pageHits {
		total += n
	}
	mean := total / int64(len(s.pageHits))
	for key, n := range s.pageHits {
		if n <= mean {
			delete(s.pageHits, key)
		}
	}
}

// mostHitPages returns the keys of the n pages with the most hits, most first.
func (s *survey) mostHitPages(n int) []uint64 {
	keys := make([]uint64, 0, len(s.pageHits))
	for key, hits := range s.pageHits {
		if hits > 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(s.pageHits[b], s.pageHits[a]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), n)]
}

// stepS returns the step of the grid in seconds.
func (s *survey) stepS() float64 { return float64(s.header.StepNS) / 1e9 }

// totals returns the total of each counter over the run, its last value; gauges and counters without any value are
// left out. If code addresses were sampled, "cpu_time" comes first: cpuS, the job's CPU time in seconds by its code
// addresses, which were taken in the given number of slots.
func (s *survey) totals(cpuS float64, slots int64) []run.Counter {
	out := make([]run.Counter, 0, 1+len(s.lastValues))
	if s.sampled && newRates(s.header, s.epochs).highestHz() > 0 {
		c := run.Counter{Name: "cpu_time", Unit: "s", Scope: "job", Total: cpuS}
		if slots < s.presentSlots {
			c.Share = float64(slots) / float64(s.presentSlots)
		}
		out = append(out, c)
	}
	for i, c := range s.header.Columns {
		if !c.Gauge && s.lastValues[i] != NoValue {
			x := run.Counter{Name: c.Name, Unit: c.Unit, Scope: c.Scope, Total: float64(s.lastValues[i])}
			if s.footer != nil {
				x.Before = float64(s.footer.Before[c.Name])
			}
			out = append(out, x)
		}
	}
	return out
}

// interruptS is the CPU time in seconds that taking one sample is assumed to cost, if the header does not say:
// 12 us, measured in a virtual machine; about 3 us on bare metal.
const interruptS = 12e-6

// quality returns how complete the samples are and what taking them cost.
func (s *survey) quality() run.Quality {
	h, interruptS := s.header, interruptS
	if h.InterruptNS > 0 {
		interruptS = h.InterruptNS / 1e9
	}
	q := run.Quality{
		Scope: h.Scope, CPUs: h.CPUs, RateHz: 1e9 / float64(h.StepNS), AddressHz: h.AddressHz,
		Samples: s.presentSlots, Missing: s.uncertainSlots, LostRecords: s.lostRecords, Blocks: s.blocks,
		Sealed:    s.footer != nil,
		AgentCPUS: float64(s.agentNS) / 1e9,
		BudgetPct: h.BudgetPct, InterruptNS: h.InterruptNS,
		Sources: append([]run.CounterSource{}, h.Sources...),
	}
	if s.footer != nil {
		q.GPUReaderS, q.GPUReaderStartS = s.footer.GPUReaderS, s.footer.GPUReaderStartS
	}
	q.Sources = slices.DeleteFunc(q.Sources, s.isUnreadGPU)
	for i := range q.Sources {
		if part := s.footer.uncertainShare(q.Sources[i].Name); part >= 0 && part <= 1 {
			q.Sources[i].Uncertain = part
		}
	}
	if available := float64(s.end-s.first) * s.stepS() * float64(h.CPUs); available > 0 {
		q.OverheadPct = 100 * (q.AgentCPUS + float64(s.records)*interruptS) / available
	}
	return q
}

// isUnreadGPU reports whether a source is a GPU of which no value was read and no reason is given: no process
// of the job used it.
func (s *survey) isUnreadGPU(x run.CounterSource) bool {
	i := slices.IndexFunc(s.header.Columns, func(c Column) bool { return c.Name == x.Name })
	return i >= 0 && s.header.Columns[i].Ticked && s.lastValues[i] == NoValue && x.Absent == ""
}

// uncertainShare returns which part of a column's counts lies in gaps between records, 0 if unknown.
func (f *Footer) uncertainShare(column string) float64 {
	if f == nil {
		return 0
	}
	return f.Uncertain[column]
}
