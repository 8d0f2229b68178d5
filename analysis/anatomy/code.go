package anatomy

// Function identifies code in reports: by name, or without a name by the place where it starts in its file.
// Functions of equal values are one.
type Function struct {
	Library string `json:"library"`         // base name of the file, or KernelCode, NoFile or Unresolved
	Name    string `json:"name"`            // "" is not known
	Start   uint64 `json:"start,omitempty"` // of a function without a name, in its file
}

// HotAddress is code that was hit so often in the whole run, a place of 16 bytes of a page, and the index of
// the function that it belongs to.
type HotAddress struct {
	Page     uint64
	Place    uint8
	Function int
	Count    int64
}

// Code describes the sampled code of a run: its functions, and the addresses with their samples.
type Code struct {
	Functions    []Function
	HotAddresses []HotAddress
	// Builds are the build ids of libraries, in hexadecimal digits, where they are known.
	Builds map[string]string
}

// Block holds the samples of a stretch of the run, by slot and by page; slots are those of the cycles.
type Block struct {
	First   int64
	Samples []uint32
	Pages   []Page
	// SampleS is the CPU time that one sample stands for.
	SampleS float64
	// Weight is the number of similar blocks that this one represents; 0 means itself alone. Of a long run not
	// all blocks are read.
	Weight float64
}

// Page are the samples in one page, or in one part of it: each sample is in one part only.
type Page struct {
	Key    uint64
	Part   PagePart
	Counts []uint16
}

// Cycles lists the cycles of a pattern, each with its first slot and its length in slots.
type Cycles struct {
	Pattern   string
	Instances [][2]int
	// OnCPU is whether the parts of a cycle are of its CPU time and not of its wall time: beside other work on the
	// same CPUs wall time stretches each part differently.
	OnCPU bool
}

// unresolved is the index of the function Unresolved.
const unresolved = 0

// place is a place of a page, with the samples of the whole run.
type place struct {
	part     PagePart
	function int
	count    float64
}

// numbered returns the functions, Unresolved first and equal ones once, the keys of the pages, and the places of each
// page with the index of their function in that list. Functions with a name and those in no file lose their Start.
// Places without samples or without a valid function are left out.
func (c Code) numbered() (functions []Function, pages []uint64, places map[uint64][]place) {
	functions = []Function{{Library: Unresolved}}
	index := map[Function]int{functions[unresolved]: unresolved}
	places = map[uint64][]place{}
	for _, p := range c.HotAddresses {
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
		if len(places[p.Page]) == 0 {
			pages = append(pages, p.Page)
		}
		places[p.Page] = append(places[p.Page], place{PlacePart(p.Place), k, float64(p.Count)})
	}
	return functions, pages, places
}
