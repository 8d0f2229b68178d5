package profile

import "jobgait/analysis/series"

// codeDirect is code where no slots are merged and the rate of code addresses
// never changes, as in most runs: each count goes where it belongs in one step,
// which takes a third of the time.
func (f *filler) codeDirect(b *Block, at int64) {
	perSample := 1e9 / (f.fullHz * float64(f.header.StepNS))
	n := b.N
	f.left = resize(f.left, n)
	busy := f.busy.out[at:][:n]
	for i, c := range b.Samples {
		f.left[i] = int64(c)
		busy[i] = float32(float64(c) * perSample)
	}
	if len(f.pages) == 0 {
		return
	}
	for k, counts := range f.listed(b) {
		put(f.hot[k].out[at:][:n], f.left, counts)
	}
	for k, met := range f.met {
		if met != f.blocks { // too rare in this second to be listed
			clear(f.hot[k].out[at:][:n])
		}
	}
	other := f.other.out[at:][:n]
	for i, c := range f.left {
		other[i] = float32(max(c, 0))
	}
}

// put puts the counts of a page and takes them off what is left.
func put(out series.Values, left []int64, counts []uint16) {
	counts = counts[:len(out)]
	left = left[:len(out)]
	for i, c := range counts {
		out[i] = float32(c)
		left[i] -= int64(c)
	}
}
