package anatomy

// Function is what is told of code: a name, or without one the place where it
// starts in its file. Functions of equal values are one.
type Function struct {
	Library string `json:"library"`         // base name of the file, or KernelCode, or NoFile
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

// unlisted is the index of the page for all samples of pages that are not known,
// and of the function that they belong to.
const unlisted = 0

// mixtures gives pages and functions numbers from 1 on, equal functions the same.
func (c Code) mixtures() (functions []Function, pages map[uint64]int, mixed []mixture) {
	functions = []Function{{Library: NoFile}}
	index := map[Function]int{functions[unlisted]: unlisted}
	pages, mixed = map[uint64]int{}, []mixture{{{unlisted, 1}}}
	total := []float64{0}
	for _, p := range c.Places {
		if p.Count <= 0 || p.Function < 0 || p.Function >= len(c.Functions) {
			continue
		}
		f := c.Functions[p.Function]
		if f.Name != "" || f.Library == KernelCode || f.Library == NoFile {
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
			mixed, total = append(mixed, nil), append(total, 0)
		}
		mixed[page] = append(mixed[page], portion{k, float64(p.Count)})
		total[page] += float64(p.Count)
	}
	for i, m := range mixed[1:] {
		for k := range m {
			m[k].share /= total[i+1]
		}
	}
	return functions, pages, mixed
}
