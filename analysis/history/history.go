package history

import (
	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
	"math"
)

// ApplicationRuns is one series: the runs of one application in one shape, oldest first.
type ApplicationRuns struct {
	SeriesID                  int64
	Cluster, User, App, Shape string
	Runs                      []Run
	// Fields and Nodes are those of each run: what was recorded of it, and the
	// nodes that it ran on (nil for more than MaxNodes).
	Fields []map[string]string
	Nodes  [][]string
	// Code is the CPU time by code of each run, classes first, then functions.
	Code [][]CodeTime
	// Acknowledged lists the row ids of runs whose change was acknowledged.
	Acknowledged []int64
}

// MaxNodes is the largest number of nodes of a run that are listed in a History. A run on more nodes used most
// of them, so that the absence of a node explains nothing.
const MaxNodes = 64

// HistoryOfUnstoredRun returns the history of one run that is not stored, with the values that a stored run would have:
// Runs, Fields, Nodes and Code have one element each. Its run and its series have no ids. For a run of an
// unknown application it has no runs.
func HistoryOfUnstoredRun(s summary.Summary) ApplicationRuns {
	h := ApplicationRuns{Cluster: note.Clean(s.Key.Cluster, maxName), User: User(s), App: Application(s), Shape: Shape(s)}
	if h.App == Unknown {
		return h
	}
	j, used := s.Job, s.Resources()
	r := Run{
		Cluster: h.Cluster, JobID: s.Key.JobID, DisplayID: s.DisplayID(), Restart: s.Key.Restart, Sub: s.Key.Sub,
		User: h.User, App: h.App, Shape: h.Shape,
		Start: math.Floor(max(s.Start, 0)), End: math.Floor(max(s.End, 0)), ElapsedS: math.Round(1e3*s.RanS()) / 1e3,
		State: note.Clean(s.State, maxName), Exit: s.Exit,
		JobName: note.Clean(j.Name, maxText), Partition: note.Clean(j.Partition, maxName), Size: note.Clean(j.Size, maxName),
		NNodes: nnodes(s), NodesReported: s.Reported(), NTasks: j.NTasks, CPUs: j.NCPUs,
		StepS: stored(s.StepS, 1e6), StartupS: stored(phaseSeconds(s, phase.StartUp), 1e3),
		CheckpointS: stored(phaseSeconds(s, phase.Checkpoint), 1e3), EnergyJ: stored(energy(s), 1e3),
		StepCPUS: stored(s.StepCPUS(), 1e6), StepWaitS: stored(s.StepWaitS(), 1e6), BusyCPUs: stored(s.BusyCPUs(), 1e3),
		WaitingCPUs: stored(used.CPU.Waiting, 1e3), PeakMemBytes: used.Memory.PeakBytes,
		Account: note.Clean(s.Job.Account, maxName),
	}
	if r.CPUS = stored(otherCPUSeconds(s), 1e3); r.CPUS == nil && cpuSeconds(s) != nil && r.BusyCPUs != nil {
		cpu := *r.BusyCPUs * r.ElapsedS // as the views make it
		r.CPUS = &cpu
	}
	if len(s.Patterns) > 0 {
		p := s.Patterns[0]
		r.PeriodS, r.Coverage, r.Confidence, r.Iterations = stored(&p.PeriodS, 1e6), stored(&p.Coverage, 1e4),
			stored(&p.Confidence, 1e4), &p.Instances
	}
	h.Runs, h.Fields, h.Nodes = []Run{r}, []map[string]string{cleanFields(s)}, [][]string{nil}
	h.Code = [][]CodeTime{codeOf(s)}
	if r.NNodes == nil || *r.NNodes <= MaxNodes {
		for _, n := range s.Nodes {
			h.Nodes[0] = append(h.Nodes[0], note.Clean(n.Name, maxName))
		}
	}
	return h
}
