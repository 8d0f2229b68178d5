package dtw

// Linkage says which series are near each other.
type Linkage struct {
	// Cut is the largest distance per sample of the longer series between two
	// neighbours.
	Cut float64
	// Band is that of the alignments, as a share of the longer series;
	// MaxBand bounds it in samples. Below 0 there is none.
	Band    float64
	MaxBand int
}

// width is the band for two series.
func (l Linkage) width(n, m int) int {
	if l.Band < 0 {
		return Full
	}
	return min(max(3, int(l.Band*float64(max(n, m)))), l.MaxBand)
}

// Link returns the single-linkage clusters of items under the cut: the connected
// components of the graph that joins items that are near. It is exact. Most
// pairs cost no alignment: an item is held against one member of each known
// cluster first, pairs in one cluster are never compared, and others only if
// two lower bounds let them. Label k is that of the k-th cluster in the order of
// their first items.
func (l Linkage) Link(items [][]float64) []int {
	g := linking{Linkage: l, items: items, set: newDisjoint(len(items)), bounds: map[boundKey][2][]float64{}}
	var first []int // one item per cluster
	for i := range items {
		known := false
		for _, r := range first {
			if g.near(i, r) {
				g.set.join(r, i)
				known = true
				break
			}
		}
		if !known {
			first = append(first, i)
		}
	}
	if len(first) > 1 {
		for i := range items {
			for j := range i {
				if g.set.find(i) != g.set.find(j) && g.near(i, j) {
					g.set.join(j, i)
				}
			}
		}
	}
	return g.set.labels()
}

// linking is one call of Link.
type linking struct {
	Linkage
	items   [][]float64
	set     disjoint
	scratch Scratch
	bounds  map[boundKey][2][]float64
}

// boundKey is an item's envelope for series of n samples.
type boundKey struct{ item, n int }

// near says whether two items are within the cut.
func (g *linking) near(i, j int) bool {
	x, y := g.items[i], g.items[j]
	n, m := len(x), len(y)
	limit := g.Cut * float64(max(n, m))
	if Kim(x, y) > limit {
		return false
	}
	band := g.width(n, m)
	if band >= 0 {
		k := boundKey{j, n}
		e, ok := g.bounds[k]
		if !ok {
			e[0], e[1] = Envelope(y, n, band)
			if len(g.bounds) < 4096 { // 7 MB at 220 samples
				g.bounds[k] = e
			}
		}
		if Keogh(x, e[0], e[1], limit) > limit {
			return false
		}
	}
	return g.scratch.Absolute(x, y, band, limit) <= limit
}

// disjoint is a union-find forest.
type disjoint []int

func newDisjoint(n int) disjoint {
	d := make(disjoint, n)
	for i := range d {
		d[i] = i
	}
	return d
}

func (d disjoint) find(i int) int {
	for d[i] != i {
		d[i] = d[d[i]]
		i = d[i]
	}
	return i
}

// join puts two clusters together; the smaller root stays.
func (d disjoint) join(i, j int) {
	i, j = d.find(i), d.find(j)
	d[max(i, j)] = min(i, j)
}

// labels numbers the clusters in the order of their first items.
func (d disjoint) labels() []int {
	out := make([]int, len(d))
	k := 0
	for i := range d {
		if r := d.find(i); r == i {
			out[i] = k
			k++
		} else {
			out[i] = out[r]
		}
	}
	return out
}
