package run

// Counter is the total of one cumulative counter over the run.
type Counter struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Scope string  `json:"scope"`
	Total float64 `json:"total"` // while there were samples
	// Before is what the run had counted when its first sample was taken.
	Before float64 `json:"before,omitempty"`
	// Share is the part of the sampled time that Total covers; 0 means all of it.
	Share float64 `json:"share,omitempty"`
}

// Part returns the part of the sampled time that Total covers, 0 < part <= 1.
func (c Counter) Part() float64 {
	if c.Share > 0 && c.Share < 1 {
		return c.Share
	}
	return 1
}

// MemoryPeak is the counter of the largest memory that the job's processes had at
// once: a count that only grows, so that no decimation lowers it.
const MemoryPeak = "proc_mem_peak"

// MemoryMost is the counter of the largest resident memory of one process, files that it
// mapped included, as wait4 returns it. It covers commands that ended before they were sampled.
const MemoryMost = "proc_rss_max"
