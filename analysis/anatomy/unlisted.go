package anatomy

// shareUnlisted determines the functions to which samples without a listed page belong:
// in proportion to the samples that the places of a page have beyond those that blocks
// list for it. Unlisted samples beyond the sum of these belong to Unresolved.
func (t *Tally) shareUnlisted() {
	all := t.listed[unlisted]
	if all <= 0 {
		return
	}
	left, sum := make([]float64, len(t.counts)), 0.0
	for page := firstPage; page < len(t.counts); page++ {
		left[page] = max(0, t.counts[page]-t.listed[page])
		sum += left[page]
	}
	by, scale := make([]float64, len(t.functions)), 1/max(all, sum)
	for page, n := range left {
		if n == 0 {
			continue
		}
		for _, x := range t.mixed[page] {
			by[x.function] += n * scale * x.share
		}
	}
	m := mixture{}
	rest := 1.0
	for function, share := range by {
		if share > 0 {
			m, rest = append(m, portion{function, share}), rest-share
		}
	}
	if rest > 1e-9 {
		m = append(m, portion{unresolved, rest})
	}
	t.mixed[unlisted] = m
}
