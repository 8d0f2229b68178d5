package dtw

// disjoint is a union-find forest.
type disjoint []int

// newDisjoint returns n clusters of one item each.
func newDisjoint(n int) disjoint {
	d := make(disjoint, n)
	for i := range d {
		d[i] = i
	}
	return d
}

// find returns the root of the cluster of item i.
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

// labels returns the cluster number of each item; clusters are numbered in the order of their first items.
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
