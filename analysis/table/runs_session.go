package table

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"jobgait/analysis/note"
)

// benchmarkSession is the JSON of one session of a benchmark tool: pytest-benchmark, CodSpeed, Google Benchmark, or
// airspeed velocity (asv). A file holds one run of each benchmark, so a history takes several files.
type benchmarkSession struct {
	// Google Benchmark.
	Context struct {
		Date string
		Host string `json:"host_name"`
	}
	// pytest-benchmark.
	Datetime   string
	CommitInfo struct{ ID string }    `json:"commit_info"`
	Machine    struct{ Node string }  `json:"machine_info"`
	Benchmarks []benchmarkMeasurement // of these and of CodSpeed
	// CodSpeed, with the times of instrument walltime; its other instruments write no values.
	Instrument struct{ Type string }
	// asv. Date is in milliseconds since 1970.
	CommitHash  string `json:"commit_hash"`
	Environment string `json:"env_name"`
	Date        float64
	Params      struct{ Machine string }
	Arch, RAM   string // of its machine.json
	Results     map[string]json.RawMessage
}

// benchmarkMeasurement is one measurement of a session: pytest-benchmark writes Fullname and the median in seconds,
// CodSpeed URI and the median in nanoseconds, Google Benchmark the rest.
type benchmarkMeasurement struct {
	Name, Fullname string
	URI            string
	RunType        string `json:"run_type"`
	RealTime       value  `json:"real_time"`
	TimeUnit       string `json:"time_unit"`
	Stats          struct {
		Median   value
		MedianNs *value `json:"median_ns"`
	}
}

// parseSession parses a document of one session and returns its series and how it was understood. It stops once it
// has more than limit series. ok is false if the document has another form.
func parseSession(text []byte, limit int) (all []Runs, understood string, ok bool) {
	var s benchmarkSession
	if json.Unmarshal(text, &s) != nil {
		return nil, "", false
	}
	switch {
	case s.Datetime != "":
		return s.pytest(), "pytest-benchmark: time = datetime, value = median, commit", true
	case s.Instrument.Type != "" && len(s.Benchmarks) > 0:
		return s.codspeed(), "CodSpeed: value = median_ns, runs in the order of the files", true
	case s.Context.Date != "":
		return s.google(), "Google Benchmark: time = date, value = real_time", true
	case s.Arch != "" && s.RAM != "":
		return nil, "asv: the description of a machine, no runs", true
	case s.CommitHash != "":
		return s.asv(limit), "asv: time = date of the commit, commit", true
	}
	return nil, "", false
}

// pytest returns a series of one run for each benchmark, in seconds.
func (s *benchmarkSession) pytest() []Runs {
	var all []Runs
	for _, b := range s.Benchmarks {
		all = append(all, sessionRun(cmp.Or(b.Fullname, b.Name), "s", float64(b.Stats.Median), Moment{Text: s.Datetime},
			map[string]string{"commit": s.CommitInfo.ID, "host": s.Machine.Node}))
	}
	return all
}

// codspeed returns a series for each benchmark: one run without a date, with the median time in ns. A benchmark
// without times gets a series that is marked as bad, with the reason.
func (s *benchmarkSession) codspeed() []Runs {
	var all []Runs
	for _, b := range s.Benchmarks {
		id := cmp.Or(b.URI, b.Name)
		if b.Stats.MedianNs == nil {
			all = append(all, badRuns(id, "CodSpeed's instrument "+short(s.Instrument.Type)+
				" writes no times: measure with mode walltime"))
			continue
		}
		all = append(all, undatedRun(id, "ns", float64(*b.Stats.MedianNs)))
	}
	return all
}

// google returns a series for each benchmark. Repetitions are runs of one time; means and other statistics of
// them are left out.
func (s *benchmarkSession) google() []Runs {
	var all []Runs
	for _, b := range s.Benchmarks {
		if b.RunType != "aggregate" {
			all = append(all, sessionRun(b.Name, b.TimeUnit, float64(b.RealTime), Moment{Text: s.Context.Date},
				map[string]string{"host": s.Context.Host}))
		}
	}
	return JoinSessions(all)
}

// asv returns a series of one run for each benchmark and combination of its parameters, until it has more than limit.
func (s *benchmarkSession) asv(limit int) []Runs {
	var all []Runs
	for _, name := range slices.Sorted(maps.Keys(s.Results)) {
		if len(all) > limit {
			break
		}
		values, labels, ok := asvResult(s.Results[name])
		if !ok {
			all = append(all, badRuns(name, "this result has a form of asv that jobgait does not know"))
			continue
		}
		for i, v := range values {
			id := name
			if i < len(labels) {
				id += "(" + labels[i] + ")"
			}
			unit, scale := asvUnit(name)
			one := sessionRun(id, unit, v*scale, Moment{Number: s.Date}, map[string]string{"commit": s.CommitHash})
			one.Machine, one.Shape = s.Params.Machine, s.Environment
			all = append(all, one)
		}
	}
	return all
}

// asvUnit returns the unit of a benchmark, which its name says, and the factor that turns results into that unit:
// suite.Class.time_sort is measured in seconds, peakmem_sort in bytes. What track_ benchmarks return is not known;
// it is a value, not a time.
func asvUnit(name string) (unit string, scale float64) {
	kind, _, _ := strings.Cut(name[strings.LastIndexByte(name, '.')+1:], "_")
	switch kind {
	case "mem", "peakmem":
		return "MB", 1e-6
	case "track":
		return "value", 1
	}
	return "s", 1
}

// asvResult parses the result of one benchmark: its values, NaN where the benchmark failed, and a label for each if it
// has parameters. The result is a number, an object with result and params, or, since version 2 of the format, a list
// that begins with both. ok is false if it has another form.
func asvResult(raw json.RawMessage) (values []float64, labels []string, ok bool) {
	var result, params json.RawMessage = raw, nil
	var object struct{ Result, Params json.RawMessage }
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &list) == nil && len(list) > 0:
		if result = list[0]; len(list) > 1 {
			params = list[1]
		}
	case json.Unmarshal(raw, &object) == nil && object.Result != nil:
		result, params = object.Result, object.Params
	}
	var many []*float64
	var one *float64
	var axes [][]string
	switch {
	case json.Unmarshal(result, &many) == nil:
	case json.Unmarshal(result, &one) == nil:
		many = []*float64{one}
	default:
		return nil, nil, false
	}
	for _, v := range many {
		y := math.NaN() // the benchmark failed
		if v != nil {
			y = *v
		}
		values = append(values, y)
	}
	if !absent(params) && json.Unmarshal(params, &axes) != nil {
		return nil, nil, false
	}
	return values, combinations(axes, len(values)), true
}

// maxLabel is the length of a combination of parameters from which its number replaces it: labels are as long as
// their product with the number of combinations.
const maxLabel = 200

// combinations returns the texts of the first n combinations of parameters; the last parameter varies fastest. A number
// such as "#7", from 0, stands for a combination that is longer than maxLabel or does not exist. It returns nil without
// parameters.
func combinations(axes [][]string, n int) []string {
	if len(axes) == 0 || slices.ContainsFunc(axes, func(values []string) bool { return len(values) == 0 }) {
		return nil
	}
	out := make([]string, n)
	words := make([]string, len(axes))
	for i := range out {
		rest, length := i, 0
		for k := len(axes) - 1; k >= 0; k-- {
			words[k] = axes[k][rest%len(axes[k])]
			rest /= len(axes[k])
			length += len(words[k]) + len(", ")
		}
		if length > maxLabel || rest > 0 { // more results than combinations
			out[i] = "#" + strconv.Itoa(i)
			continue
		}
		out[i] = strings.Join(words, ", ")
	}
	return out
}

// sessionRun returns a series of one run of a session: the value y at a time, which is in milliseconds since 1970 if it
// is a number, with fields as metadata. If the time is invalid, the series is marked as bad.
func sessionRun(id, unit string, y float64, at Moment, fields map[string]string) Runs {
	one := Runs{Unit: unit, OneSession: true, Given: []Moment{at}}
	one.ID, one.Y, one.Meta = id, []float64{y}, map[string][]string{}
	for name, v := range fields {
		one.Meta[name] = []string{v}
	}
	one.place(Milliseconds)
	return one
}

// JoinSessions merges series that are parts of one history: sessions of a benchmark tool with the same id, machine and
// shape. All other series are returned as they are. The runs of a merged series are in the order of time, undated ones
// in the given order.
func JoinSessions(inputs []Runs) []Runs {
	type key struct {
		id, machine, shape string
		undated            bool
	}
	var out []Runs
	place := map[key]int{}
	for _, in := range inputs {
		of := key{in.ID, in.Machine, in.Shape, in.Undated}
		k, known := place[of]
		if !in.OneSession || !known {
			if in.OneSession {
				place[of] = len(out)
			}
			out = append(out, in)
			continue
		}
		out[k] = out[k].append(in)
	}
	for i := range out {
		switch {
		case out[i].OneSession && out[i].Undated:
			out[i].number() // in the order given
		case out[i].OneSession:
			out[i] = out[i].arrange(timeOrder(out[i].T))
		}
	}
	return out
}

// append returns the runs of both series. Fields that only one of them has are "" in the other. A series of
// another unit is not comparable: its values become missing, with a note.
func (in Runs) append(more Runs) Runs {
	if in.Unit != more.Unit {
		in.Notes = append(in.Notes, note.New(note.UnusableValue,
			"one file has the unit %q and another %q: the %d values of the latter are treated as missing: use one unit",
			in.Unit, more.Unit, len(more.Y)))
		for i := range more.Y {
			more.Y[i] = math.NaN()
		}
	}
	before, after := len(in.Y), len(more.Y)
	in.Y, in.T, in.Given = append(in.Y, more.Y...), append(in.T, more.T...), append(in.Given, more.Given...)
	for name := range more.Meta {
		if in.Meta[name] == nil {
			in.Meta[name] = make([]string, before)
		}
	}
	for name := range in.Meta {
		fields := more.Meta[name]
		if fields == nil {
			fields = make([]string, after)
		}
		in.Meta[name] = append(in.Meta[name], fields...)
	}
	in.Notes = append(in.Notes, more.Notes...)
	return in
}
