package job

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Lacking is what a report in JSON does not hold of a run.
const Lacking = "uid, modules, builds and other fields, functions, timeline, loops in detail"

// written is what is read back of a report: keys that history has a place for.
type written struct {
	Schema    string            `json:"schema"`
	Job       Job               `json:"job"`
	Resources summary.Resources `json:"resources"`
	Rhythm    struct {
		LeadNode string        `json:"lead_node"`
		Patterns []Pattern     `json:"patterns"`
		Phases   []phase.Phase `json:"phases"`
	} `json:"rhythm"`
	Nodes struct {
		ImbalancePct *float64       `json:"imbalance_pct"`
		List         []summary.Node `json:"list"`
	} `json:"nodes"`
	GPUs     []summary.GPU `json:"gpus"`
	Counters []Counter     `json:"counters"`
	Quality  Quality       `json:"quality"`
	Notes    []Note        `json:"notes"`
}

// Read returns the run that a report in JSON is of, as far as the report says it: not
// what Lacking names, and no uid (-1). Texts are cut and shapes are in the units in which reports print
// them. now is UTC epoch seconds. A report may be anybody's: the run is asked what
// records of nodes are asked; summary.ErrDamaged and summary.ErrNewer say what is wrong.
func Read(text []byte, now float64) (summary.Summary, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return summary.Summary{}, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	name, version, _ := strings.Cut(head.Schema, "/")
	if n, err := strconv.ParseUint(version, 10, 31); head.Schema != Schema && name == "jobgait.report" && err == nil && n > 1 {
		return summary.Summary{}, fmt.Errorf("%w: %s", summary.ErrNewer, head.Schema)
	} else if head.Schema != Schema {
		return summary.Summary{}, fmt.Errorf("%w: schema %.60q is no report", summary.ErrDamaged, head.Schema)
	}
	var w written
	if err := json.Unmarshal(text, &w); err != nil {
		return summary.Summary{}, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	again, err := json.Marshal(w.summary())
	if err != nil {
		return summary.Summary{}, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	s, err := summary.DecodeSummary(again) // cleans its texts
	if err == nil {
		if bad := s.Valid(now); bad != nil {
			err = fmt.Errorf("%w: %w", summary.ErrDamaged, bad)
		}
	}
	return s, err
}

// summary puts what was read where a run has it.
func (w written) summary() summary.Summary {
	j := w.Job
	s := summary.Summary{
		Schema: summary.Schema,
		Key:    run.Key{Cluster: j.Cluster, JobID: j.JobID, Restart: j.Restart, SLUID: string(j.SLUID)},
		Job: run.Job{Name: string(j.Name), User: string(j.User), UID: -1, GID: -1, Account: string(j.Account),
			Partition: string(j.Partition), QOS: string(j.QOS), NNodes: j.NNodes, NodeList: string(j.NodeList),
			NTasks: j.NTasks, NCPUs: j.NCPUs, CPUsPerTask: j.CPUsPerTask, TimeLimitS: w.Resources.Time.LimitS,
			MemoryBytes: w.Resources.Memory.RequestedBytes, AddressBytes: w.Resources.Memory.AddressLimitBytes,
			WorkDir: string(j.WorkDir), Executable: string(j.Executable), Script: string(j.Script), App: string(j.App), Size: string(j.Size)},
		Start: j.StartEpochS, End: j.EndEpochS, ElapsedS: j.ElapsedS, SuspendedS: j.SuspendedS, State: string(j.State),
		Nodes: w.Nodes.List, Patterns: []pattern.Pattern{}, Phases: w.Rhythm.Phases, LeadNode: w.Rhythm.LeadNode,
		ImbalancePct: w.Nodes.ImbalancePct, Quality: w.Quality.summary(), Notes: []note.Note{}, GPUs: w.GPUs,
		Timeline: summary.Timeline{Columns: []summary.TimelineColumn{}},
	}
	if j.SubRun != nil {
		s.Key.Sub = *j.SubRun
	}
	if j.ExitCode != nil && j.ExitSignal != nil {
		s.Exit = &run.Exit{Code: *j.ExitCode, Signal: *j.ExitSignal}
	}
	if j.Threads > 0 {
		s.Job.Fields = map[string]string{run.FieldThreads: strconv.Itoa(j.Threads)}
	}
	if peak := w.Resources.Memory.PeakBytes; peak != nil {
		s.Memory = &summary.Memory{PeakBytes: peak}
	}
	array, task, isTask := strings.Cut(j.ID, "_")
	if isTask && run.IsDisplayID(j.ID) {
		a, _ := strconv.ParseInt(array, 10, 64)
		t, _ := strconv.ParseInt(task, 10, 64)
		s.Job.ArrayJobID, s.Job.ArrayTaskID = &a, &t
	}
	for _, p := range w.Rhythm.Patterns {
		s.Patterns = append(s.Patterns, p.summary())
	}
	for _, c := range w.Counters {
		x := run.Counter{Name: c.Name, Unit: c.Unit, Scope: string(c.Scope), Total: c.Total, Before: c.Before}
		if c.Share != nil {
			x.Share = *c.Share
		}
		s.Counters = append(s.Counters, x)
	}
	for _, n := range w.Notes {
		if len(n.Nodes) == 0 {
			s.Notes = append(s.Notes, note.Note{Code: n.Code, Text: n.Text})
		}
		for _, node := range n.Nodes {
			s.Notes = append(s.Notes, note.Note{Code: n.Code, Text: n.Text, Node: node})
		}
	}
	return s
}

// summary is the pattern as a run has it; its values stay in readable units.
func (p Pattern) summary() pattern.Pattern {
	out := pattern.Pattern{ID: p.ID, Column: p.Column, Kind: p.Kind, PeriodS: p.Period.value(),
		MeanS: or0(p.MeanS), P10S: or0(p.P10S), P90S: or0(p.P90S), CPUS: or0(p.CPUS), PeriodLoS: or0(p.Period.Lo), PeriodHiS: or0(p.Period.Hi),
		PeriodSamples: p.PeriodSamples, PeriodCV: p.PeriodCV, Confidence: p.Confidence, Coverage: p.Coverage, Instances: p.Instances,
		ValuesColumn: p.Shape.Column, ValuesUnit: p.Shape.Unit, Values: p.Shape.Mean, P10: p.Shape.P10, P90: p.Shape.P90,
		Regions: p.Regions, WGSS: or0(p.WGSS)}
	if p.Axis != nil {
		out.Axis = *p.Axis
	}
	return out
}

// summary is the quality as a run has it.
func (q Quality) summary() run.Quality {
	out := run.Quality{Scope: q.Scope, CPUs: q.NodeCPUs, RateHz: or0(q.RateHz), AddressHz: or0(q.AddressHz),
		Samples: q.Samples, Missing: q.Missing, LostRecords: q.LostRecords, Sealed: q.Sealed, AgentCPUS: q.AgentCPUS,
		OverheadPct: or0(q.OverheadPct), BudgetPct: or0(q.BudgetPct), InterruptNS: or0(q.InterruptNS), Sources: []run.CounterSource{}}
	for _, c := range q.Sources {
		out.Sources = append(out.Sources, run.CounterSource{Name: c.Name, Event: string(c.Event), PMU: string(c.PMU),
			Config: string(c.Config), Scope: string(c.Scope), Hz: c.Hz, Absent: string(c.Absent)})
	}
	return out
}

// or0 is 0 for what a report does not know, as a run has it.
func or0(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
