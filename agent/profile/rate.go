package profile

import (
	"cmp"
	"slices"
)

// validHz reports whether a rate of code addresses is possible: 0, or 0.001 to 1,000,000 a second.
func validHz(hz float64) bool { return hz == 0 || hz >= 1e-3 && hz <= 1e6 }

// rate is the number of code addresses a second on each CPU from a slot on.
type rate struct {
	from int64
	hz   float64
}

// rates are the rate in the header and those of epochs, sorted by slot.
type rates []rate

// newRates returns the rates of code addresses over a profile: that of the header from slot 0 on, and those of the
// epochs that change it.
func newRates(h *Header, epochs []Epoch) rates {
	out := rates{{0, h.AddressHz}}
	for _, e := range epochs {
		if e.AddressHz != nil {
			out = append(out, rate{e.Slot, *e.AddressHz})
		}
	}
	slices.SortStableFunc(out, func(a, b rate) int { return cmp.Compare(a.from, b.from) })
	return out
}

// highestHz returns the highest rate, 0 without code addresses.
func (r rates) highestHz() float64 {
	top := 0.0
	for _, x := range r {
		top = max(top, x.hz)
	}
	return top
}

// lowestCommonHz returns the lowest rate above 0 that at least an eighth of the slots had, 0 if no rate did. all has
// the tally of each rate.
func (r rates) lowestCommonHz(all []rateTally) float64 {
	slots, low := int64(0), 0.0
	for _, t := range all {
		slots += t.slots
	}
	for i, t := range all {
		if hz := r[i].hz; hz > 0 && 8*t.slots >= slots && (low == 0 || hz < low) {
			low = hz
		}
	}
	return low
}

// eachRate calls f for each rate within a block: counts from up to but not including to, which cover the given
// number of slots, had the rate with that index. An overview has one rate.
func (r rates) eachRate(b *Block, f func(from, to, slots, rate int)) {
	if b.overview {
		i := len(r) - 1
		for ; i > 0 && r[i].from > b.First; i-- {
		}
		f(0, b.groupCount(), b.N, i)
		return
	}
	at := 0
	for i := range r {
		end := int64(b.N)
		if i+1 < len(r) {
			end = min(r[i+1].from-b.First, end)
		}
		if end > int64(at) {
			f(at, int(end), int(end)-at, i)
			at = int(end)
		}
	}
}

// rateTally is the number of samples taken at one rate, and of slots with that rate.
type rateTally struct {
	samples uint64
	slots   int64
}

// addBlock adds the samples of a block to the tallies of their rates.
func (r rates) addBlock(b *Block, all []rateTally) {
	r.eachRate(b, func(from, to, slots, rate int) {
		all[rate].samples += sum(b.Samples[from:to])
		all[rate].slots += int64(slots)
	})
}

// cpuSeconds returns the CPU time in seconds that the samples stand for, and the number of slots in which code
// addresses were taken.
func (r rates) cpuSeconds(all []rateTally) (s float64, slots int64) {
	for i, t := range all {
		if r[i].hz > 0 {
			s += float64(t.samples) / r[i].hz
			slots += t.slots
		}
	}
	return s, slots
}
