package forecast

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"jobgait/analysis/forecast"
	"jobgait/reports/text"
)

// Schema is the name and version of the JSON form.
const Schema = "jobgait.ask/1"

// document is the JSON form of an answer. Where runs are missing, only Missing, the application and the target are set.
type document struct {
	Schema  string  `json:"schema"`
	App     string  `json:"app"`
	Nodes   *int    `json:"nodes"`
	Size    *string `json:"size"`
	Missing *string `json:"missing"`
	// Runs give the level; Newest is the start of the newest of them. Source is "runs" or "scaling_law".
	Runs     int        `json:"runs"`
	Newest   *time.Time `json:"newest"`
	Source   *string    `json:"source"`
	ElapsedS *interval  `json:"elapsed_s"`
	LimitS   *float64   `json:"limit_s"`
	// LimitRisk is the probability that a run exceeds LimitS.
	LimitRisk       *float64  `json:"limit_risk"`
	MemoryBytesNode *interval `json:"memory_bytes_node"`
	// MemoryLimitBytes is the memory that is requested on each node, MemoryRisk the probability that a run exceeds it.
	MemoryLimitBytes *float64    `json:"memory_limit_bytes"`
	MemoryRisk       *float64    `json:"memory_risk"`
	NodeCounts       []nodeCount `json:"node_counts"`
	FastestNodes     *int        `json:"fastest_nodes"`
	EfficientNodes   []int       `json:"efficient_nodes"`
	// Ask is what to write into the batch script.
	Ask *request `json:"ask"`
}

// interval is an expected value with its 95 % prediction interval.
type interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

type nodeCount struct {
	Nodes      int     `json:"nodes"`
	ElapsedS   float64 `json:"elapsed_s"`
	Efficiency float64 `json:"efficiency"`
}

type request struct {
	TimeS    float64  `json:"time_s"`
	MemBytes *float64 `json:"mem_bytes"`
	// Line is the #SBATCH line.
	Line string `json:"line"`
}

// JSON writes an answer as one JSON object on one line.
func JSON(w io.Writer, a forecast.PlannedRun) error {
	d := document{Schema: Schema, App: a.App, Nodes: nilIfZero(a.Nodes), Size: nilIfZero(a.Size),
		Missing:    nilIfZero(a.Missing),
		NodeCounts: []nodeCount{}, EfficientNodes: []int{}}
	if a.Missing == "" {
		d.addForecast(a)
	}
	b, err := json.Marshal(d)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return text.JSONError("the forecast", err)
}

// addForecast adds the forecast a: how many runs it rests on, elapsed time, memory and the recommended limits.
func (d *document) addForecast(a forecast.PlannedRun) {
	source := "runs"
	if a.Extrapolated {
		source = "scaling_law"
	}
	d.Runs, d.Source, d.LimitS, d.LimitRisk = a.Runs, &source, a.LimitS, a.AtRisk
	if a.Newest > 0 {
		at := time.Unix(int64(a.Newest), 0).UTC()
		d.Newest = &at
	}
	d.ElapsedS = newInterval(a.Elapsed)
	if a.Memory != nil {
		d.MemoryBytesNode = newInterval(*a.Memory)
		if r := a.Request; r != nil {
			d.MemoryLimitBytes, d.MemoryRisk = &r.Bytes, &r.AtRisk
		}
	}
	for _, c := range a.Counts {
		d.NodeCounts = append(d.NodeCounts, nodeCount{c.Nodes, rounded(c.ElapsedS), math.Round(c.Efficiency*1e4) / 1e4})
	}
	if len(a.Counts) > 0 {
		d.FastestNodes = nilIfZero(a.Fastest().Nodes)
		d.EfficientNodes = append(d.EfficientNodes, a.Efficient()...)
	}
	d.Ask = &request{TimeS: a.AskS, MemBytes: a.AskBytes, Line: directives(a)}
}

func newInterval(r forecast.Range) *interval {
	return &interval{rounded(r.Value), rounded(r.Lo), rounded(r.Hi)}
}

// rounded rounds seconds and bytes to thousandths.
func rounded(x float64) float64 { return math.Round(x*1e3) / 1e3 }

// nilIfZero returns nil for a zero value, which means unknown.
func nilIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
