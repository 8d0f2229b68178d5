package periodicity

// linkage returns the connected components of n things under a relation (single
// linkage under a cut): for each the least index of its component. Most pairs are
// never compared: each thing meets one of every component first, and then only
// who is not with the most has to meet everybody.
func linkage(n int, alike func(i, j int) bool) []int {
	l := links{root: make([]int, n)}
	var first []int // of every component so far
	for i := range n {
		l.root[i] = i
		for _, j := range first {
			if alike(i, j) {
				l.root[i] = j
				break
			}
		}
		if l.root[i] == i {
			first = append(first, i)
		}
	}
	most := l.largest()
	for i := range n {
		if l.find(i) == l.find(most) {
			continue
		}
		for j := range n {
			if a, b := l.find(i), l.find(j); a != b && alike(i, j) {
				l.root[max(a, b)] = min(a, b)
			}
		}
	}
	for i := range n {
		l.root[i] = l.find(i)
	}
	return l.root
}

// links is a forest of things that belong together.
type links struct{ root []int }

func (l links) find(i int) int {
	for l.root[i] != i {
		l.root[i] = l.root[l.root[i]]
		i = l.root[i]
	}
	return i
}

// largest is the root of the largest component.
func (l links) largest() int {
	size, most := make([]int, len(l.root)), 0
	for i := range l.root {
		r := l.find(i)
		if size[r]++; size[r] > size[most] {
			most = r
		}
	}
	return most
}
