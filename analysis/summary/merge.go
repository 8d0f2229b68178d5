package summary

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
)

// Merge joins the records of one run's nodes. nodes names every node that the
// job had, in order; a node without a record is kept as missing. Records must
// be of one run and there must be at least one.
func Merge(records []NodeRecord, nodes []string) Summary {
	first := records[0]
	s := Summary{
		Schema: Schema, Key: runKey(records), Job: first.Job,
		Start: math.Inf(1), Nodes: []Node{}, Notes: []note.Note{},
		Patterns: []pattern.Pattern{}, Phases: []phase.Phase{}, Timeline: Timeline{Columns: []TimelineColumn{}},
	}
	for _, r := range records {
		s.Job = s.Job.With(r.Job)
		s.Start = min(s.Start, r.Start)
		s.End = max(s.End, r.End)
		s.ElapsedS = max(s.ElapsedS, r.ElapsedS)
		s.Exit = run.WorseExit(s.Exit, r.Exit)
		for _, n := range r.Notes {
			if n.Code == note.Suspended && s.SuspendedS > 0 {
				continue // all nodes are, and one says it
			}
			s.Notes = append(s.Notes, n)
		}
		s.SuspendedS = max(s.SuspendedS, r.SuspendedS)
	}
	s.Silence = silenceOf(records)
	s.Nodes = nodeTable(records, nodes)
	s.Notes = append(s.Notes, missingNote(s.Nodes)...)
	s.Counters = sumCounters(records)
	s.Memory, s.CPULimit = sumMemory(records), sumCPULimits(records)
	s.Time = meanTimeDivision(records, len(s.Nodes))
	s.Quality = sumQuality(records)
	s.ImbalancePct, s.Lanes = imbalance(s.Nodes), nodeLanes(records, s.Nodes)

	lead, odd := mainPeriodRecord(records)
	if len(odd) > 0 {
		s.Notes = append(s.Notes, note.New(note.NodesDisagree,
			"the main period of %s differs from that of the other nodes: the report shows the patterns of %s",
			nameSome(odd), lead.Node))
	}
	s.LeadNode, s.Patterns, s.Phases, s.Timeline, s.Minute = lead.Node, lead.Patterns, lead.Phases, lead.Timeline,
		lead.Minute
	s.Programs, s.Course = lead.Programs, lead.Course
	s.Sleeps, s.ThreadWork, s.NodeMemoryBytes = sumSleeps(records), lead.ThreadWork, lead.NodeMemoryBytes
	s.Loops, s.Macros, s.Suspended = lead.Loops, lead.Macros, lead.Suspended
	records = slices.Clone(records)
	for i := range records {
		records[i] = records[i].withPatternsOf(lead)
	}
	s.setCode(records, lead)
	s.GPUs = gpusOf(records, cmp.Or(s.CodeNode, s.LeadNode), s.LeadNode)
	s.agreement(records, lead)
	return s
}

// runKey returns the key of the first node on which an agent ran, else that of the first record.
func runKey(records []NodeRecord) run.Key {
	for _, r := range records {
		if r.Sampled() {
			return r.Key
		}
	}
	return records[0].Key
}

// Sampled reports whether an agent ran on the node and left a profile.
func (r NodeRecord) Sampled() bool { return r.Quality.Scope != "" && r.Quality.Scope != "none" }

// Sampled reports whether any node of the run was sampled.
func (s Summary) Sampled() bool { return s.Quality.Scope != "" && s.Quality.Scope != "none" }

// Reported returns the number of nodes whose record arrived.
func (s Summary) Reported() int {
	n := 0
	for _, node := range s.Nodes {
		if node.Reported {
			n++
		}
	}
	return n
}

// Complete reports whether the record of every node of the job arrived.
func (s Summary) Complete() bool {
	return !slices.ContainsFunc(s.Nodes, func(n Node) bool { return !n.Reported })
}

// nodeTable returns one row per named node; nodes without a record are not Reported.
func nodeTable(records []NodeRecord, nodes []string) []Node {
	by := recordByNode(records)
	table := make([]Node, 0, len(nodes))
	for _, name := range nodes {
		r, ok := by[name]
		if !ok {
			table = append(table, Node{Name: name})
			continue
		}
		n := Node{Name: name, Reported: true, BusyCPUs: r.busyCPUs(),
			Samples: r.Quality.Samples, Missing: r.Quality.Missing, Sealed: r.Quality.Sealed}
		if len(r.Patterns) > 0 {
			n.PeriodS, n.Coverage = &r.Patterns[0].PeriodS, &r.Patterns[0].Coverage
		}
		table = append(table, n)
	}
	return table
}

// recordByNode returns the last record of each node by its name.
func recordByNode(records []NodeRecord) map[string]*NodeRecord {
	by := make(map[string]*NodeRecord, len(records))
	for i := range records {
		by[records[i].Node] = &records[i]
	}
	return by
}

// imbalance returns (max - mean) / mean of the nodes' busy CPUs in percent; nil for fewer than two nodes
// whose busy CPUs are known, or if none is busy.
func imbalance(nodes []Node) *float64 {
	sum, largest, n := 0.0, 0.0, 0
	for _, node := range nodes {
		if node.BusyCPUs != nil {
			sum += *node.BusyCPUs
			largest = max(largest, *node.BusyCPUs)
			n++
		}
	}
	if n < 2 || sum == 0 {
		return nil
	}
	mean := sum / float64(n)
	pct := 100 * (largest - mean) / mean
	return &pct
}

// missingNote returns a note that names the nodes without a record, nil if none exists.
func missingNote(nodes []Node) []note.Note {
	var names []string
	for _, n := range nodes {
		if !n.Reported {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []note.Note{note.New(note.MissingNodes, "no record from %d of %d nodes: %s: the report lacks their values",
		len(names), len(nodes), nameSome(names))}
}

// nameSome lists names, the first five of many.
func nameSome(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// sumCounters returns the counters of all nodes, added up by name and scope. The share of the run that a sum covers is
// the mean of the nodes that have the counter.
func sumCounters(records []NodeRecord) []run.Counter {
	sums := []run.Counter{}
	var of []float64 // nodes
	for _, r := range records {
		for _, c := range r.Counters {
			i := slices.IndexFunc(sums, func(s run.Counter) bool { return s.Name == c.Name && s.Scope == c.Scope })
			if i < 0 {
				sums = append(sums, c)
				of = append(of, 1)
			} else {
				part := (sums[i].Part()*of[i] + c.Part()) / (of[i] + 1)
				sums[i].Total += c.Total
				sums[i].Before += c.Before
				sums[i].Share = 0
				if of[i]++; part < 1 {
					sums[i].Share = part
				}
			}
		}
	}
	return sums
}

// sumQuality returns the sum of the sampled nodes' quality; the overhead is their mean weighted by CPUs, and
// the time of the prolog the longest. Rates and sources are those of the first node; different scopes give
// "mixed".
func sumQuality(records []NodeRecord) run.Quality {
	var q run.Quality
	overhead := 0.0
	q.Sealed = true
	for _, r := range records {
		if !r.Sampled() {
			continue
		}
		if q.Scope == "" {
			q.Scope, q.RateHz, q.AddressHz, q.Sources = r.Quality.Scope, r.Quality.RateHz, r.Quality.AddressHz, r.Quality.Sources
			q.BudgetPct, q.InterruptNS = r.Quality.BudgetPct, r.Quality.InterruptNS
		} else if q.Scope != r.Quality.Scope {
			q.Scope = "mixed"
		}
		q.PrologS = maxOptional(q.PrologS, r.Quality.PrologS)
		q.CPUs += r.Quality.CPUs
		q.Samples += r.Quality.Samples
		q.Missing += r.Quality.Missing
		q.LostRecords += r.Quality.LostRecords
		q.Blocks += r.Quality.Blocks
		q.Sealed = q.Sealed && r.Quality.Sealed
		q.AgentCPUS += r.Quality.AgentCPUS
		q.GPUReaderS, q.GPUReaderStartS = q.GPUReaderS+r.Quality.GPUReaderS, q.GPUReaderStartS+r.Quality.GPUReaderStartS
		overhead += r.Quality.OverheadPct * float64(r.Quality.CPUs)
	}
	if q.Scope == "" {
		q.Scope, q.Sealed = "none", false
	}
	if q.CPUs > 0 {
		q.OverheadPct = overhead / float64(q.CPUs)
	}
	if q.Sources == nil {
		q.Sources = []run.CounterSource{}
	}
	return q
}

// samePeriod is the relative difference up to which two nodes' periods are the same
// one.
const samePeriod = 0.05

// mainPeriodRecord finds the main period that most nodes share, and returns the record that represents the
// run and the names of the nodes with another period. The first node of the job stands for the run where it
// can, because its timeline is kept in full; else the node of the median period. If no node has a pattern, it
// returns the busiest node.
func mainPeriodRecord(records []NodeRecord) (lead NodeRecord, odd []string) {
	var found []*NodeRecord
	for i := range records {
		if len(records[i].Patterns) > 0 {
			found = append(found, &records[i])
		}
	}
	if len(found) == 0 {
		return busiest(records), nil
	}
	slices.SortStableFunc(found, func(a, b *NodeRecord) int {
		return cmp.Compare(a.Patterns[0].PeriodS, b.Patterns[0].PeriodS)
	})
	from, to := largestGroup(found)
	for i, r := range found {
		if i < from || i >= to {
			odd = append(odd, r.Node)
		}
	}
	slices.Sort(odd)
	for _, r := range found[from:to] {
		if r.Node == records[0].Node {
			return *r, odd
		}
	}
	return *found[(from+to-1)/2], odd
}

// largestGroup returns the bounds of the longest stretch of records, sorted by
// period, whose periods differ by no more than the share samePeriod.
func largestGroup(sorted []*NodeRecord) (from, to int) {
	lo := 0
	for hi := range sorted {
		for sorted[hi].Patterns[0].PeriodS-sorted[lo].Patterns[0].PeriodS > samePeriod*sorted[hi].Patterns[0].PeriodS {
			lo++
		}
		if hi+1-lo > to-from {
			from, to = lo, hi+1
		}
	}
	return from, to
}

// busiest returns the record whose node the job used most: nodes without steps have nothing to show. If no
// record has this value, it returns the first.
func busiest(records []NodeRecord) NodeRecord {
	best, maxBusy := records[0], -1.0
	for _, r := range records {
		if b := r.busyCPUs(); b != nil && *b > maxBusy {
			best, maxBusy = r, *b
		}
	}
	return best
}
