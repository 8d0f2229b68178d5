package anatomy

import "slices"

// unlistedMixture returns the functions to which samples without a listed page belong. Each page gets a share in
// proportion to its samples in the whole run beyond those that blocks list for it, divided among its functions by the
// counts of its places. Unlisted samples beyond the sum of these belong to Unresolved.
func (c *columns) unlistedMixture() mixture {
	all := c.listed[unlisted]
	if all <= 0 {
		return mixture{{unresolved, 1}}
	}
	listed := map[uint64]float64{}
	for i, key := range c.keys {
		if i >= firstColumn {
			listed[key.page] += c.listed[i]
		}
	}
	by, sum := map[int]float64{}, 0.0
	var order []int
	for _, page := range c.pages {
		places, count := c.places[page], 0.0
		for _, p := range places {
			count += p.count
		}
		left := max(0, count-listed[page])
		sum += left
		for _, p := range places {
			if _, ok := by[p.function]; !ok {
				order = append(order, p.function)
			}
			by[p.function] += left * p.count / count
		}
	}
	slices.Sort(order)
	m, scale, rest := mixture{}, 1/max(all, sum), 1.0
	for _, function := range order {
		if share := by[function] * scale; share > 0 {
			m, rest = append(m, portion{function, share}), rest-share
		}
	}
	if rest > 1e-9 {
		m = append(m, portion{unresolved, rest})
	}
	return m
}
