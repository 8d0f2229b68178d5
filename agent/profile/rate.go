package profile

import (
	"cmp"
	"slices"
)

// validHz is whether code addresses can have had this rate.
func validHz(hz float64) bool { return hz == 0 || hz >= 1e-3 && hz <= 1e6 }

// rate is how many code addresses a second and CPU there were from a slot on.
type rate struct {
	from int64
	hz   float64
}

// rates are the header's and those of epochs, in the order of their slots.
type rates []rate

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

// highest is the highest rate, 0 without code addresses.
func (r rates) highest() float64 {
	top := 0.0
	for _, x := range r {
		top = max(top, x.hz)
	}
	return top
}

// slowest is the lowest rate that an eighth of the slots had at least, 0 without any.
func (r rates) slowest(all []atRate) float64 {
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

// within calls f with the rates of the counts of a block: counts from..to-1, each of the given number of slots,
// had the rate with the given index. An overview has one rate.
func (r rates) within(b *Block, f func(from, to, slots, rate int)) {
	if b.overview {
		i := len(r) - 1
		for ; i > 0 && r[i].from > b.First; i-- {
		}
		f(0, b.groups(), b.N, i)
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

// atRate is what was sampled at one rate, in how many slots.
type atRate struct {
	samples uint64
	slots   int64
}

// count adds the samples of a block to those taken at each rate.
func (r rates) count(b *Block, all []atRate) {
	r.within(b, func(from, to, slots, rate int) {
		all[rate].samples += sum(b.Samples[from:to])
		all[rate].slots += int64(slots)
	})
}

// seconds is the CPU time that the samples stand for, and in how many slots there
// could be any.
func (r rates) seconds(all []atRate) (s float64, slots int64) {
	for i, t := range all {
		if r[i].hz > 0 {
			s += float64(t.samples) / r[i].hz
			slots += t.slots
		}
	}
	return s, slots
}
