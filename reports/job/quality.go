package job

import (
	"fmt"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Quality describes the quality of the samples, summed over the nodes.
type Quality struct {
	Scope        string   `json:"scope"`
	NodeCPUs     int      `json:"node_cpus"`
	RateHz       *float64 `json:"rate_hz"`
	AddressHz    *float64 `json:"address_hz"`
	Samples      int64    `json:"samples"`
	Missing      int64    `json:"missing"`
	MissingShare *float64 `json:"missing_share"`
	LostRecords  int64    `json:"lost_records"`
	Sealed       bool     `json:"sealed"`
	AgentCPUS    float64  `json:"agent_cpu_s"`
	OverheadPct  *float64 `json:"overhead_pct"`
	// GPUReaderS is the part of AgentCPUS spent on reading the GPUs, GPUReaderStartS the part of GPUReaderS spent
	// on starting the reader.
	GPUReaderS      float64 `json:"gpu_reader_cpu_s,omitempty"`
	GPUReaderStartS float64 `json:"gpu_reader_start_s,omitempty"`
	// BudgetPct is the overhead that the agent was allowed; InterruptNS the assumed cost of a record.
	BudgetPct   *float64        `json:"budget_pct"`
	InterruptNS *float64        `json:"interrupt_ns"`
	Sources     []CounterSource `json:"sources"`
}

// CounterSource says how one counter was read, or why it was not.
type CounterSource struct {
	Name   string `json:"name"`
	Event  Word   `json:"event"`
	PMU    Word   `json:"pmu"`
	Config Word   `json:"config"` // the config of a perf event, or the file that was read
	Scope  Word   `json:"scope"`
	// Hz is the number of readings per second; 0 = once in every step.
	Hz     float64 `json:"hz"`
	Read   bool    `json:"read"`
	Absent Word    `json:"absent"` // the reason, where it was not read
}

// newQuality returns the quality of the run's samples. It lists equal sources of several nodes once. The shares are nil
// without samples.
func newQuality(s summary.Summary) Quality {
	q := s.Quality
	out := Quality{Scope: q.Scope, NodeCPUs: q.CPUs, RateHz: positive(q.RateHz), AddressHz: positive(q.AddressHz),
		BudgetPct: positive(q.BudgetPct), InterruptNS: positive(q.InterruptNS), Samples: q.Samples, Missing: q.Missing,
		LostRecords: q.LostRecords, Sealed: q.Sealed, AgentCPUS: q.AgentCPUS,
		GPUReaderS: q.GPUReaderS, GPUReaderStartS: q.GPUReaderStartS, Sources: []CounterSource{}}
	if out.Scope == "" {
		out.Scope = "none"
	}
	if q.Samples > 0 {
		share := float64(q.Missing) / float64(q.Samples)
		out.MissingShare, out.OverheadPct = &share, &q.OverheadPct
	}
	seen := make(map[CounterSource]bool)
	for _, c := range q.Sources {
		x := CounterSource{Name: c.Name, Event: Word(c.Event), PMU: Word(c.PMU), Config: Word(c.Config), Scope: Word(c.Scope),
			Hz: c.Hz, Read: c.Absent == "", Absent: Word(c.Absent)}
		if !seen[x] {
			seen[x] = true
			out.Sources = append(out.Sources, x)
		}
	}
	return out
}

// shortRunS is the length in s of a run below which the agent's start is a large part of the overhead.
const shortRunS = 60.0

// overheadText says how much sampling a run of elapsedS seconds cost, how much it was allowed to, and, above that, that
// the start weighs more in a short run.
func (q Quality) overheadText(elapsedS float64) string {
	text := quantity.Optional(q.OverheadPct, quantity.Percent) + " of the CPUs"
	switch {
	case q.BudgetPct == nil:
	case q.OverheadPct == nil || *q.OverheadPct <= *q.BudgetPct:
		text += " of the node, " + quantity.Chosen(*q.BudgetPct) + " allowed"
	default:
		text += " of the node, more than the " + quantity.Chosen(*q.BudgetPct) + " allowed"
		if elapsedS < shortRunS {
			text += "; in a short run the start of the sampling is a large part of it"
		}
	}
	text += fmt.Sprintf("; the agent itself used %s of CPU time", quantity.Duration(q.AgentCPUS))
	if q.GPUReaderS > 0 {
		text += fmt.Sprintf(", of which reading the GPUs took %s (%s to start)", quantity.Duration(q.GPUReaderS),
			quantity.Duration(q.GPUReaderStartS))
	}
	return text
}

// sampled reports whether there are any samples.
func (q Quality) sampled() bool { return q.Samples > 0 && q.Scope != "none" }

// scopeText says whose activity the figures describe.
func (q Quality) scopeText() string {
	switch q.Scope {
	case "job":
		return "all processes of the job"
	case "mixed":
		return "not the same on all nodes"
	case "task":
		return "the command and what it started, as an ordinary user may"
	case "proc":
		return "the job's processes, as far as files below /proc tell"
	}
	return "nothing: there are no samples"
}

// textQuality prints the section on the quality of the samples, and the notes.
func (r Report) textQuality(p *text.Page) {
	p.Section("DATA QUALITY", "")
	last := ""
	for _, f := range r.facts() {
		name := f.Name
		if name == last {
			name = ""
		}
		last = f.Name
		p.Text("  "+text.PadRight(name, gutterWidth-2), f.Text)
	}
	list, rest := r.listedNotes()
	if len(list) == 0 {
		return
	}
	p.Line("  notes")
	for _, n := range list {
		p.Text("    ", n.Line()+" ["+string(n.Code)+"]")
	}
	p.Text("    ", rest)
}
