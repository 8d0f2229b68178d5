// Package profiletest makes profiles with known content, for tests of code that reads profiles. In comes what
// the run should look like; out goes a profile file as the agent would write it on a node of two CPUs: 5 ms
// slots, blocks of one second, eight columns, code pages. It invents no damage and no gaps: tests cut and flip
// bytes themselves.
//
// The run begins with a start-up in code of its own. Then follow iterations of
// three parts: half computes on both CPUs, three tenths move memory on both
// in other pages and with lower IPC, two tenths wait with one CPU mostly idle
// and the other in the kernel. Iterations differ in length by 0.3 %. Without a
// period all parts are mixed slot by slot, so that the totals are the same and
// nothing repeats.
package profiletest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// SyntheticRun describes the run whose profile is made.
type SyntheticRun struct {
	Key  run.Key // zero: job 1 of cluster "test"
	Node string  // "": n1
	// Seconds is how long the agent sampled.
	Seconds float64
	// PeriodS is the time of an iteration; 0: nothing repeats.
	PeriodS float64
	// StartUpS is the time before the first iteration; 0: 1 s, negative:
	// none.
	StartUpS float64
	// AddressHz is code addresses a second and CPU; 0: 1000, negative:
	// none, as where they could not be sampled.
	AddressHz float64
	// Slots is how many slots a block has; 0: 200.
	Slots int
	// Lossless keeps all counts as they are.
	Lossless bool
	// Seal writes the footer, as an agent that ended in order does.
	Seal bool
	// Also adds further columns, nil for none.
	Also Also
	// Seed chooses the noise.
	Seed uint64
}

// Also adds further measurements to a synthetic profile, such as those of GPUs.
type Also interface {
	// Header and Footer add what the profile says of it.
	Header(h *profile.Header)
	Footer(f *profile.Footer)
	// Slot is called for each slot with its position within an iteration, from 0 to 1, negative outside of one.
	Slot(part float64)
	// Fill adds the columns of a block, once the slots of the next are known.
	Fill(b *profile.Block)
	// Windows returns the utilization windows of GPUs, on a grid that begins at baseNS.
	Windows(baseNS int64) []profile.GPUWindows
}

const (
	cpus     = 2
	stepNS   = 5_000_000
	epochNS  = 1_790_000_000_000_000_000
	runNS    = 100_000_000_000 // CLOCK_MONOTONIC at the Prolog
	delayNS  = 50_000_000      // until sampling began
	variance = 0.003           // of the length of iterations
)

// Write writes the profile of a synthetic run to path, which must not exist. Without o.Seal the profile has no footer,
// like that of an agent that was killed.
func Write(path string, o SyntheticRun) error {
	o = o.filled()
	w, err := profile.Create(path, o.header(), profile.WriterOptions{Lossless: o.Lossless})
	if err != nil {
		return err
	}
	defer w.Close()
	n := newNode(o)
	var waiting []profile.Block // for what is known later
	for left := int(math.Round(o.Seconds * 1e9 / stepNS)); left > 0 || len(waiting) > 0; left -= o.Slots {
		if left > 0 {
			waiting = append(waiting, n.block(min(left, o.Slots)))
		}
		if left > 0 && len(waiting) == 1 && o.Also != nil {
			continue
		}
		if o.Also != nil {
			o.Also.Fill(&waiting[0])
		}
		if err := w.Append(waiting[0]); err != nil {
			return err
		}
		waiting = waiting[1:]
	}
	if o.Also != nil {
		if err := w.WriteWindows(o.Also.Windows(o.header().BaseNS)); err != nil {
			return err
		}
	}
	if o.Seal {
		f := profile.Footer{Reason: "stopped", Executable: "synthetic"}
		if o.Also != nil {
			o.Also.Footer(&f)
		}
		if err := w.Seal(f); err != nil {
			return err
		}
	}
	return w.Close()
}

// filled returns the run with defaults for zero fields, and 0 for a negative StartUpS or AddressHz.
func (o SyntheticRun) filled() SyntheticRun {
	if o.Key == (run.Key{}) {
		o.Key = run.Key{Cluster: "test", JobID: 1}
	}
	if o.Node == "" {
		o.Node = "n1"
	}
	if o.Slots == 0 {
		o.Slots = 200
	}
	switch {
	case o.StartUpS == 0:
		o.StartUpS = 1
	case o.StartUpS < 0:
		o.StartUpS = 0
	}
	switch {
	case o.AddressHz == 0:
		o.AddressHz = 1000
	case o.AddressHz < 0:
		o.AddressHz = 0
	}
	return o
}

// header returns the header of the profile.
func (o SyntheticRun) header() profile.Header {
	h := profile.Header{
		Key: o.Key, Node: o.Node, CPUs: cpus, Scope: "job",
		StepNS: stepNS, RunNS: runNS, RunReal: epochNS / 1e9, BaseNS: runNS + delayNS,
		AddressHz: o.AddressHz,
		Columns:   make([]profile.Column, len(columns)),
	}
	if o.AddressHz == 0 {
		h.Scope = "proc"
	}
	for i, c := range columns {
		h.Columns[i] = c.Column
		h.Sources = append(h.Sources, run.CounterSource{Name: c.Name, Event: c.Name, PMU: "synthetic", Scope: c.Scope})
	}
	if o.Also != nil {
		o.Also.Header(&h)
	}
	return h
}

// node generates the blocks of the run and keeps its state between them.
type node struct {
	o     SyntheticRun
	rng   *rand.Rand
	slot  int64
	sum   []float64 // of the columns
	start float64   // of the iteration under way, in seconds
	end   float64
	order []uint64 // the pages of the samples of the block
	at    float64  // the part of the iteration that is over, negative outside of one
}

// newNode returns a simulated node before its first slot.
func newNode(o SyntheticRun) *node {
	return &node{o: o, rng: rand.New(rand.NewPCG(o.Seed, 1)), sum: make([]float64, len(columns)),
		start: o.StartUpS, end: o.StartUpS}
}

// block generates the next slots as one block.
func (n *node) block(slots int) profile.Block {
	b := profile.Block{
		First: n.slot, N: slots,
		MonoNS:  runNS + delayNS + (n.slot+int64(slots))*stepNS,
		Columns: make([][]int64, len(columns)),
		Records: int64(slots * cpus),
	}
	b.RealNS = b.MonoNS - runNS + epochNS
	b.AgentCPUNS = (n.slot + int64(slots)) * 10_000 // 0.2 % of a CPU
	for i := range columns {
		b.Columns[i] = make([]int64, slots)
	}
	hits := map[uint64][]uint16{}
	n.order = n.order[:0]
	if n.o.AddressHz > 0 {
		b.Samples = make([]uint32, slots)
	}
	for i := range slots {
		p := n.part()
		n.count(b.Columns, i, p)
		if n.o.Also != nil {
			n.o.Also.Slot(n.at)
		}
		if b.Samples != nil {
			b.Samples[i] = n.addresses(hits, i, slots, p)
			b.Records += int64(b.Samples[i])
		}
		n.slot++
	}
	b.Pages = busiest(hits)
	n.bin(&b)
	return b
}

// bin sets the block's bins of equal CPU time, of two successive samples each. It drops the last sample of an odd
// number.
func (n *node) bin(b *profile.Block) {
	const of = 2
	bins := len(n.order) / of
	counts, seen := map[uint64][]uint16{}, 0
	for i, key := range n.order[:bins*of] {
		if counts[key] == nil {
			counts[key] = make([]uint16, bins)
		}
		counts[key][i/of]++
	}
	b.Bins = profile.Bins{SamplesPerBin: of, EndsPerSlot: make([]uint16, len(b.Samples))}
	for i, in := range b.Samples {
		b.Bins.EndsPerSlot[i] = uint16((seen+int(in))/of - seen/of)
		seen += int(in)
	}
	for _, p := range busiest(counts)[:min(len(counts), profile.MaxBinColumns)] {
		b.Bins.Columns = append(b.Bins.Columns, profile.PlaceCount{PageCount: p})
	}
}

// part returns what the job does in the current slot, and sets n.at to the slot's position within its iteration. With
// PeriodS 0 the part is drawn at random.
func (n *node) part() part {
	t := (float64(n.slot) + 0.5) * stepNS / 1e9
	if n.at = -1; t < n.o.StartUpS {
		return startUp
	}
	x := n.rng.Float64()
	if n.o.PeriodS > 0 {
		for t >= n.end {
			n.start = n.end
			n.end += n.o.PeriodS * (1 + variance*n.rng.NormFloat64())
		}
		x = (t - n.start) / (n.end - n.start)
		n.at = x
	}
	switch {
	case x < 0.5:
		return compute
	case x < 0.8:
		return move
	}
	return wait
}

// count advances the columns by one slot at the rates of p, with random noise, and stores their values in out at slot i
// of the block.
func (n *node) count(out [][]int64, i int, p part) {
	for c, col := range columns {
		v := p.rates[c] * stepNS / 1e9
		if col.Gauge {
			n.sum[c] = p.rates[c]
		} else if v > 0 {
			n.sum[c] += max(0, v+math.Sqrt(v*col.noise)*n.rng.NormFloat64())
		}
		out[c][i] = int64(n.sum[c])
	}
}

// addresses draws the code addresses of slot i of a block of the given number of slots, in which the job does p. It
// adds them to the hits of their pages, by key, and returns their number.
func (n *node) addresses(hits map[uint64][]uint16, i, slots int, p part) uint32 {
	total := uint32(0)
	for range int(math.Round(n.o.AddressHz * cpus * stepNS / 1e9)) {
		if n.rng.Float64() > p.busy {
			continue
		}
		total++
		key := uint64(profile.KernelPage)
		if n.rng.Float64() >= p.kernel {
			// Squaring makes the first pages of a part the hottest.
			x := n.rng.Float64()
			key = p.code + uint64(x*x*float64(p.pages))*0x9e3779b97f4a7c15
		}
		if hits[key] == nil {
			hits[key] = make([]uint16, slots)
		}
		hits[key][i]++
		n.order = append(n.order, key)
	}
	return total
}

// busiest returns the pages with most samples, at most profile.MaxPages, in descending order.
func busiest(hits map[uint64][]uint16) []profile.PageCount {
	pages := make([]profile.PageCount, 0, len(hits))
	total := make(map[uint64]int, len(hits))
	for key, counts := range hits {
		pages = append(pages, profile.PageCount{Key: key, Counts: counts})
		for _, c := range counts {
			total[key] += int(c)
		}
	}
	slices.SortFunc(pages, func(a, b profile.PageCount) int {
		return cmp.Or(cmp.Compare(total[b.Key], total[a.Key]), cmp.Compare(a.Key, b.Key))
	})
	return pages[:min(len(pages), profile.MaxPages)]
}
