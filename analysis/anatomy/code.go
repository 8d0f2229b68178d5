package anatomy

// Function identifies code in reports: by name, or without a name by the place where it starts in its file.
// Functions of equal values are one.
type Function struct {
	Library string `json:"library"`         // base name of the file, or KernelCode, NoFile or Unresolved
	Name    string `json:"name"`            // "" is not known
	Start   uint64 `json:"start,omitempty"` // of a function without a name, in its file
}

// HotPlace is code that was hit so often in the whole run, in a page, and the index of
// the function that it belongs to.
type HotPlace struct {
	Page     uint64
	Function int
	Count    int64
}

// Code is what is known of a run's code.
type Code struct {
	Functions []Function
	Places    []HotPlace
	// Builds are the build ids of libraries, in hexadecimal digits, where they are known.
	Builds map[string]string
}

// Block is samples of code by slot, on the grid of the cycles.
type Block struct {
	First   int64
	Samples []uint32
	Pages   []Page
	// SampleS is the CPU time that one sample stands for.
	SampleS float64
	// Weight is how many blocks like it this one stands for, 0 is itself alone: not
	// all of a long run are read.
	Weight float64
}

// Page are the samples in one page.
type Page struct {
	Key    uint64
	Counts []uint16
}

// Cycles are the instances of a pattern: first slot and length.
type Cycles struct {
	Pattern   string
	Instances [][2]int
}

// mixture says which functions the samples of a page belong to.
type mixture []portion

type portion struct {
	function int
	share    float64
}

// unresolved is the index of the function Unresolved.
const unresolved = 0

// Indexes of pages that stand for others: unplaced for pages of which Code has no place,
// unlisted for all that a block does not list. Pages of Code follow from firstPage on.
const (
	unplaced = iota
	unlisted
	firstPage
)

// mixtures numbers pages and functions, equal functions alike. counts has the samples of
// each page of Code in the whole run.
func (c Code) mixtures() (functions []Function, pages map[uint64]int, mixed []mixture, counts []float64) {
	functions = []Function{{Library: Unresolved}}
	index := map[Function]int{functions[unresolved]: unresolved}
	pages, mixed = map[uint64]int{}, []mixture{{{unresolved, 1}}, {{unresolved, 1}}}
	counts = make([]float64, firstPage)
	for _, p := range c.Places {
		if p.Count <= 0 || p.Function < 0 || p.Function >= len(c.Functions) {
			continue
		}
		f := c.Functions[p.Function]
		if f.Name != "" || f.Library == KernelCode || f.Library == NoFile || f.Library == Unresolved {
			f.Start = 0
		}
		k, ok := index[f]
		if !ok {
			k = len(functions)
			index[f] = k
			functions = append(functions, f)
		}
		page, ok := pages[p.Page]
		if !ok {
			page = len(mixed)
			pages[p.Page] = page
			mixed, counts = append(mixed, nil), append(counts, 0)
		}
		mixed[page] = append(mixed[page], portion{k, float64(p.Count)})
		counts[page] += float64(p.Count)
	}
	for i, m := range mixed[firstPage:] {
		for k := range m {
			m[k].share /= counts[firstPage+i]
		}
	}
	return functions, pages, mixed, counts
}
