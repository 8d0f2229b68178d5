package profiletest

import "jobgait/agent/profile"

// column is a counter and the spread of its increments: 1 for single events (Poisson), more for events in
// bursts.
type column struct {
	profile.Column
	noise float64
}

// counter returns a column of a node-wide counter.
func counter(name, unit string, noise float64) column {
	return column{profile.Column{Name: name, Unit: unit, Scope: "node"}, noise}
}

var columns = []column{
	counter("instructions", "instructions", 1e4),
	counter("cycles", "cycles", 1e4),
	counter("llc_misses", "misses", 10),
	counter("context_switches", "switches", 2),
	counter("page_faults", "faults", 20),
	counter("migrations", "migrations", 1),
	counter("net_bytes", "bytes", 1500),
	{profile.Column{Name: "memory", Unit: "bytes", Scope: "job", Gauge: true}, 0},
}

// part is one phase of the synthetic job, with its rates and code.
type part struct {
	rates  [8]float64 // of the columns, a second; of a gauge its level
	busy   float64    // share of the CPUs
	kernel float64    // share of the addresses in the kernel
	code   uint64     // first page
	pages  int        // number of pages
}

// Two CPUs at 3 GHz: 6e9 cycles a second when busy.
var (
	startUp = part{
		rates: [8]float64{4e9, 3.2e9, 5e6, 300, 20000, 5, 1e5, 2e8},
		busy:  0.5, kernel: 0.3, code: 0x5151, pages: 60,
	}
	compute = part{
		rates: [8]float64{1.4e10, 5.9e9, 2e6, 40, 10, 1, 0, 1e9},
		busy:  0.98, kernel: 0.01, code: 0xc0c0c0, pages: 12,
	}
	move = part{
		rates: [8]float64{4e9, 5.9e9, 6e7, 60, 400, 1, 0, 1.1e9},
		busy:  0.97, kernel: 0.03, code: 0x3030, pages: 5,
	}
	wait = part{
		rates: [8]float64{1.5e9, 2e9, 1e6, 4000, 10, 20, 3e8, 1e9},
		busy:  0.35, kernel: 0.6, code: 0x777, pages: 8,
	}
)
