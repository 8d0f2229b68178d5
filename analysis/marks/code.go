package marks

// CodeBins holds the samples of each code page in bins of equal CPU time.
type CodeBins struct {
	// BinS is the CPU time of one bin in seconds.
	BinS float64
	// Pages are the columns: samples of a page in each bin, all of one length.
	Pages [][]float32
}

// Len returns the number of bins.
func (c CodeBins) Len() int {
	if len(c.Pages) == 0 {
		return 0
	}
	return len(c.Pages[0])
}

// A hit is the samples of one page in one bin.
type hit struct {
	page int32
	n    float32
}

// bins holds a run's samples on one scale, which merges that number of bins of CodeBins into one: the frequent
// pages, bin by bin. Few pages have samples in a bin, so only these are kept.
type bins struct {
	hits  []hit
	first []int32 // of the hits of bin i: hits[first[i]:first[i+1]]
	n     []float64
	total []float64 // samples of each page
}

// len returns the number of bins.
func (b *bins) len() int { return len(b.n) }

// hitsOf returns the samples of each page in bin i.
func (b *bins) hitsOf(i int) []hit { return b.hits[b.first[i]:b.first[i+1]] }

// leastShare is the share of the samples below which a page is ignored: it would have less than one sample in
// each of the 500 cycles of a long run.
const leastShare = 0.002

// merged returns the samples of the given pages in the bins [from, to), with each scale bins merged into one and an
// incomplete last one left out. In the result a page is numbered by its index in pages.
func (c CodeBins) merged(pages []int, scale, from, to int) *bins {
	nb := (to - from) / scale
	b := &bins{first: make([]int32, 1, nb+1), n: make([]float64, nb), total: make([]float64, len(pages))}
	for i := range nb {
		for k, p := range pages {
			sum := float32(0)
			for _, x := range c.Pages[p][from+i*scale : from+(i+1)*scale] {
				sum += x
			}
			if sum > 0 {
				b.hits = append(b.hits, hit{int32(k), sum})
				b.n[i] += float64(sum)
				b.total[k] += float64(sum)
			}
		}
		b.first = append(b.first, int32(len(b.hits)))
	}
	return b
}

// frequentPages returns the indexes of the pages that have at least two samples for each of minMarks cycles, and at
// least leastShare of the samples of all pages.
func (c CodeBins) frequentPages() []int {
	total := make([]float64, len(c.Pages))
	all := 0.0
	for p, v := range c.Pages {
		for _, x := range v {
			total[p] += float64(x)
		}
		all += total[p]
	}
	var pages []int
	for p, t := range total {
		if t >= max(2*minMarks, leastShare*all) {
			pages = append(pages, p)
		}
	}
	return pages
}
