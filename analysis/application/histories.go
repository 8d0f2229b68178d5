package application

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/table"
)

// Histories holds stored series of runs and, at the same indexes, the inputs for the change detector that were
// made of them. With both, a change that the detector finds leads back to stored runs.
type Histories struct {
	Inputs []table.Runs
	Stored []history.ApplicationRuns
}

// NewHistories makes the change detector's input of each stored series. metric names the metric to analyse; ""
// selects the leading metric of each series. An unknown name is an error.
func NewHistories(stored []history.ApplicationRuns, metric string) (Histories, error) {
	h := Histories{Stored: stored}
	for _, s := range stored {
		m := leadingMetric(s.Runs)
		if metric != "" {
			var ok bool
			if m, ok = MetricOf(metric); !ok {
				return h, fmt.Errorf("unknown metric %q: want one of %s", metric, MetricNames())
			}
		}
		h.Inputs = append(h.Inputs, detectorInput(s, m))
	}
	return h, nil
}

// day is the length of a day in seconds: T counts days of UTC from 1970.
const day = 86400

// detectorInput converts a stored series to the change detector's input for metric m, with times in days since
// 1970 (UTC).
func detectorInput(s history.ApplicationRuns, m Metric) table.Runs {
	n := len(s.Runs)
	in := table.Runs{
		Series: changepoint.Series{
			ID: strconv.FormatInt(s.SeriesID, 10), Machine: s.Cluster, User: s.User,
			T: make([]float64, n), Y: make([]float64, n), Start: make([]float64, n),
			Also: map[string][]float64{}, Meta: recordedFields(s), Nodes: knownNodes(s.Nodes),
		},
		App: s.App, Shape: s.Shape, Metric: m.Name, Unit: m.Unit, Calendar: true, Notes: []note.Note{},
	}
	in.Array = make([]string, n)
	for i, r := range s.Runs {
		in.T[i], in.Start[i], in.Y[i] = r.Start/day, r.Start, m.value(r)
		if whole, part := run.SplitDisplayID(r.DisplayID); part != "" {
			in.Array[i] = whole
		}
	}
	in.Code, in.CodeS = functionStepTimes(s)
	for _, other := range metrics() {
		if values, some := metricColumn(s.Runs, other); some && other.Name != m.Name {
			in.Also[other.Name] = values
		}
	}
	return in
}

// knownNodes returns nodes unchanged, or nil if the nodes of no run are known.
func knownNodes(nodes [][]string) [][]string {
	if slices.ContainsFunc(nodes, func(n []string) bool { return len(n) > 0 }) {
		return nodes
	}
	return nil
}

// metricColumn returns the value of metric m for each run, NaN if missing; some reports whether any run has it.
func metricColumn(runs []history.Run, m Metric) (values []float64, some bool) {
	values = make([]float64, len(runs))
	for i, r := range runs {
		values[i] = m.value(r)
		some = some || !math.IsNaN(values[i])
	}
	return values, some
}

// recordedFields returns the recorded fields of the runs, such as partition: by name of the field, one value
// for each run; "" means unknown.
func recordedFields(s history.ApplicationRuns) map[string][]string {
	fields := map[string][]string{}
	set := func(name string, i int, value string) {
		if value == "" {
			return
		}
		if fields[name] == nil {
			fields[name] = make([]string, len(s.Runs))
		}
		fields[name][i] = value
	}
	for i, r := range s.Runs {
		set("partition", i, r.Partition)
		if i < len(s.Fields) {
			for name, value := range s.Fields[i] {
				set(name, i, value)
			}
		}
	}
	return fields
}

// Keep returns the histories at the indexes for which keep returns true.
func (h Histories) Keep(keep func(i int) bool) Histories {
	var out Histories
	for i := range h.Inputs {
		if keep(i) {
			out.Inputs, out.Stored = append(out.Inputs, h.Inputs[i]), append(out.Stored, h.Stored[i])
		}
	}
	return out
}

// OnlyCodeOf removes the per-function times of all histories for which keep returns false: each function would
// be analysed as a series, and functions of other applications are not reported.
func (h Histories) OnlyCodeOf(keep func(i int) bool) {
	for i := range h.Inputs {
		if !keep(i) {
			h.Inputs[i].Code, h.Inputs[i].CodeS = nil, nil
		}
	}
}

// Events converts the changes found in history i to rows for the database. Changes that have no stored run are
// left out.
func (h Histories) Events(i int, found changepoint.SeriesResult) []history.ChangeRow {
	runs := h.Stored[i].Runs
	id := func(k *int) *int64 {
		if k == nil || *k < 0 || *k >= len(runs) {
			return nil
		}
		return &runs[*k].ID
	}
	var events []history.ChangeRow
	for _, c := range found.Changes {
		first := id(&c.Index)
		if first == nil {
			continue
		}
		causes, err := json.Marshal(c.Causes)
		if err != nil { // of numbers that are not finite
			causes = []byte("[]")
		}
		events = append(events, history.ChangeRow{
			Metric: h.Inputs[i].Metric, RunID: *first, Detected: id(&c.DetectedIndex), End: id(c.EndIndex),
			Kind: string(c.Kind), EffectPct: c.EffectPct, LoPct: c.LoPct, HiPct: c.HiPct,
			FalsePer1000: c.FalsePer1000, Causes: string(causes),
		})
	}
	return events
}
