package anatomy

// columnKey identifies a column of samples: a page, or a part of it.
type columnKey struct {
	page uint64
	part PagePart
}

// columns numbers the columns that blocks list, and counts their samples.
type columns struct {
	pages  []uint64 // of Code
	places map[uint64][]place
	index  map[columnKey]int
	keys   []columnKey // behind firstColumn
	parts  int         // of the columns, those that are not pages
	listed []float64   // samples by column; of unlisted those of no column
}

// Indexes of columns that stand for others: unplaced for pages of which Code has no place, unlisted for all
// that a block does not list. Columns with places follow from firstColumn on.
const (
	unplaced = iota
	unlisted
	firstColumn
)

// mostParts limits the columns that are parts of pages. Samples of further parts count for the page.
const mostParts = 512

func newColumns(pages []uint64, places map[uint64][]place) columns {
	return columns{pages: pages, places: places, index: map[columnKey]int{}, keys: make([]columnKey, firstColumn),
		listed: make([]float64, firstColumn)}
}

// at returns the index of the column for a page or a part of it, and adds the column if it is new. It returns
// unplaced if the page has no place in Code, and the index of the whole page's column once mostParts parts have
// columns.
func (c *columns) at(page uint64, part PagePart) int {
	key := columnKey{page, part}
	if i, ok := c.index[key]; ok {
		return i
	}
	if len(c.places[page]) == 0 {
		return unplaced
	}
	if part != WholePage && c.parts >= mostParts {
		return c.at(page, WholePage)
	}
	if part != WholePage {
		c.parts++
	}
	i := len(c.keys)
	c.index[key] = i
	c.keys, c.listed = append(c.keys, key), append(c.listed, 0)
	return i
}

// list returns the samples that blocks list for a part of a page; 0 for the whole page and for a part without a column.
func (c *columns) list(page uint64, part PagePart) float64 {
	if i, ok := c.index[columnKey{page, part}]; ok && part != WholePage {
		return c.listed[i]
	}
	return 0
}

// left returns, for each place of a page, its samples in the whole run less those that finer columns list: those of the
// place itself and, if within is WholePage, those of its block. As a block lists the samples of all its places
// together, they are reduced in proportion.
func (c *columns) left(page uint64, within PagePart) []float64 {
	places := c.places[page]
	out := make([]float64, len(places))
	blocks := map[PagePart]float64{}
	for i, p := range places {
		out[i] = max(0, p.count-c.list(page, p.part))
		blocks[p.part.Parent()] += out[i]
	}
	if within != WholePage {
		return out
	}
	for i, p := range places {
		block := p.part.Parent()
		if blocks[block] > 0 {
			out[i] *= max(0, 1-c.list(page, block)/blocks[block])
		}
	}
	return out
}

// mixture says which functions the samples of a column belong to.
type mixture []portion

type portion struct {
	function int
	share    float64
}

// mixture returns the functions that share a column's samples: in proportion to the samples of the places in it, less
// those that finer columns list. If no such samples are left, it returns the mixture of the whole page.
func (c *columns) mixture(key columnKey) mixture {
	if key.part == WholePage {
		if m := c.shared(key, c.left(key.page, WholePage)); len(m) > 0 {
			return m
		}
		return c.whole(key.page)
	}
	weights := c.left(key.page, key.part)
	for i, p := range c.places[key.page] {
		if p.part == key.part {
			weights[i] = p.count
		}
	}
	if m := c.shared(key, weights); len(m) > 0 {
		return m
	}
	return c.whole(key.page) // code of which no place was kept
}

// whole returns the mixture of all samples of a page, whatever columns they are in.
func (c *columns) whole(page uint64) mixture {
	var counts []float64
	for _, p := range c.places[page] {
		counts = append(counts, p.count)
	}
	return c.shared(columnKey{page, WholePage}, counts)
}

// shared returns the functions of the places in a column, each with its share of the sum of the weights; nil if no
// weight is positive. weights are by place of the page.
func (c *columns) shared(key columnKey, weights []float64) (m mixture) {
	at, sum := map[int]int{}, 0.0
	for i, p := range c.places[key.page] {
		in := key.part == WholePage || key.part == p.part || key.part == p.part.Parent()
		if !in || weights[i] <= 0 {
			continue
		}
		k, ok := at[p.function]
		if !ok {
			k = len(m)
			at[p.function], m = k, append(m, portion{function: p.function})
		}
		m[k].share += weights[i]
		sum += weights[i]
	}
	for i := range m {
		m[i].share /= sum
	}
	return m
}

// mixtures returns the mixture of each column, by its index: unplaced belongs to Unresolved, unlisted to the functions
// that unlistedMixture finds.
func (c *columns) mixtures() []mixture {
	out := []mixture{{{unresolved, 1}}, c.unlistedMixture()}
	for _, key := range c.keys[firstColumn:] {
		out = append(out, c.mixture(key))
	}
	return out
}
