package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// benchmarkResult is one entry of the JSON list that a benchmark tool writes for each session. The Java Microbenchmark
// Harness (JMH) writes Benchmark, Params and PrimaryMetric; the custom form of github-action-benchmark has Name, Unit
// and Value. Neither has a date.
type benchmarkResult struct {
	Benchmark     string
	Mode          string // of JMH: thrpt, avgt, sample, ss
	Params        map[string]string
	PrimaryMetric struct {
		Score     looseNumber
		ScoreUnit string
		RawData   [][]looseNumber // a list of iterations for each fork
	}
	Name, Unit string
	Value      *looseNumber
}

// looseNumber is a JSON number, or a text that holds one, as JMH writes "NaN".
type looseNumber float64

// UnmarshalJSON reads a JSON number, or a text that holds one. null and words for a missing value, such as "NaN",
// become NaN. Other values are an error.
func (n *looseNumber) UnmarshalJSON(b []byte) error {
	v, err := plainNumber(strings.Trim(string(b), `"`))
	*n = looseNumber(v)
	return err
}

// isJMH reports whether JMH wrote the result.
func (r *benchmarkResult) isJMH() bool { return r.Benchmark != "" && r.PrimaryMetric.ScoreUnit != "" }

// id returns the name of a benchmark of JMH with its parameters.
func (r *benchmarkResult) id() string { return r.Benchmark + parameterText(r.Params) }

// parseBenchmarkList parses a JSON list of results of JMH or github-action-benchmark. It returns a series of one
// undated run for each entry, and a text that says how the list was understood. If an entry is of neither tool, it
// returns no series and no error; malformed JSON is an error.
func parseBenchmarkList(text []byte) (all []Runs, understood string, err error) {
	var results []benchmarkResult
	var otherType *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &results); {
	case errors.As(err, &otherType):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	modes := map[string][]string{} // of each benchmark of JMH
	for _, r := range results {
		modes[r.id()] = append(modes[r.id()], r.Mode)
	}
	for _, r := range results {
		switch {
		case r.isJMH():
			understood = "JMH: value = score, runs in the order of the files"
			id := r.id()
			if slices.ContainsFunc(modes[id], func(m string) bool { return m != r.Mode }) {
				id += " " + r.Mode // its modes measure different things
			}
			all = append(all, undatedRun(id, r.PrimaryMetric.ScoreUnit, float64(r.PrimaryMetric.Score)))
		case r.Name != "" && r.Value != nil:
			understood = "github-action-benchmark's list: value = value, runs in the order of the files"
			all = append(all, undatedRun(r.Name, r.Unit, float64(*r.Value)))
		default:
			return nil, "", nil
		}
	}
	return all, understood, nil
}

// parameterText returns the parameters of a benchmark in the order of their names: "(size=8, type=a)"; "" without
// parameters.
func parameterText(params map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		words = append(words, name+"="+params[name])
	}
	if words == nil {
		return ""
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// undatedRun returns a series of one run of a session that has no date. JoinSessions numbers such runs.
func undatedRun(id, unit string, y float64) Runs {
	one := Runs{Unit: unit, OneSession: true, Undated: true, Given: []Moment{{}}}
	one.ID, one.Y, one.Meta = id, []float64{y}, map[string][]string{}
	one.place(Days)
	return one
}

// number sets the times of undated runs to their numbers, from 0.
func (in *Runs) number() {
	for i := range in.T {
		in.T[i], in.Given[i] = float64(i), Moment{Number: float64(i)}
	}
}

// jmh reads JMH's list of results as measurements. Parameters that are numbers vary; the others are part of the
// benchmark's name. Benchmarks without a number among their parameters are skipped; it is an error if all are. A fork
// counts as one repetition, the mean of its iterations, since these share a virtual machine. With a single fork each
// iteration counts.
func (doc *document) jmh() (Measurements, error) {
	doc.format = JMH
	if doc.in.broken {
		return Measurements{}, doc.fail(errCutOff)
	}
	doc.begin(doc.all)
	sets := parameterSets{in: doc.in, format: JMH, byNames: map[string]*experiment{}}
	err := doc.list(func() error {
		var r benchmarkResult
		if err := doc.d.Decode(&r); err != nil {
			return err
		}
		if !r.isJMH() {
			return errors.New("the entry is not a result of JMH: want benchmark and primaryMetric")
		}
		names, point := r.numericParameters()
		metric, values := r.repetitions()
		return sets.add(names, point, r.id(), metric, values)
	})
	if _, more := doc.d.Token(); err == nil && more != io.EOF {
		err = errors.New("other data follow the JSON list: want one list in the file")
	}
	if err == nil && len(sets.order) == 0 {
		err = errors.New("no benchmark has a parameter that is a number: vary one with @Param")
	}
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	return sets.file()
}

// parameterSets are the measurements of benchmarks that vary different parameters.
type parameterSets struct {
	in      *source
	format  Format
	byNames map[string]*experiment
	order   []*experiment
}

// add adds the values of a benchmark at a point of the parameters with the given names. A benchmark without parameters
// is left out.
func (s *parameterSets) add(names []string, point []float64, id, metric string, values []float64) error {
	if len(names) == 0 {
		return nil
	}
	key := strings.Join(names, "\x00")
	if s.byNames[key] == nil {
		s.byNames[key] = &experiment{in: s.in, parameters: names}
		s.order = append(s.order, s.byNames[key])
	}
	return s.byNames[key].of(id, metric).add(point, values)
}

// file returns the series of all sets. It returns an error if no benchmark has enough values.
func (s *parameterSets) file() (Measurements, error) {
	all := Measurements{Format: s.format}
	for _, e := range s.order {
		m := e.series(s.format)
		all.Series, all.Left = append(all.Series, m.Series...), all.Left+m.Left
	}
	if len(all.Series) == 0 {
		return s.order[0].file(s.format) // its error
	}
	return all, nil
}

// pytestBenchmark reads the results of pytest-benchmark. Parameters that are numbers vary; the others are part of the
// benchmark's name. A benchmark without all its times (--benchmark-save-data) gives its median.
func (doc *document) pytestBenchmark(benchmarks []byte) (Measurements, error) {
	doc.format = PytestBenchmark
	doc.begin(benchmarks)
	sets := parameterSets{in: doc.in, format: PytestBenchmark, byNames: map[string]*experiment{}}
	err := doc.list(func() error {
		var b struct {
			Name, Fullname string
			Params         map[string]any
			Stats          struct {
				Median *value
				Data   []value
			}
		}
		if err := doc.d.Decode(&b); err != nil {
			return err
		}
		name := cmp.Or(b.Fullname, b.Name)
		if b.Stats.Median == nil && len(b.Stats.Data) == 0 {
			return fmt.Errorf("benchmark %q of pytest-benchmark has no median: run it again with pytest --benchmark-json",
				short(name))
		}
		r := benchmarkResult{Benchmark: name, Params: map[string]string{}}
		for key, v := range b.Params {
			r.Params[key] = fmt.Sprint(v)
		}
		names, point := r.numericParameters()
		if len(names) > 0 { // the name ends with the values of all parameters
			r.Benchmark, _, _ = strings.Cut(name, "[")
		}
		var values []float64
		for _, v := range b.Stats.Data {
			values = append(values, float64(v))
		}
		if len(values) == 0 {
			values = []float64{float64(*b.Stats.Median)}
		}
		return sets.add(names, point, r.id(), "time (s)", values)
	})
	if err == nil && len(sets.order) == 0 {
		err = errors.New("no benchmark has a parameter that is a number: vary one with @pytest.mark.parametrize")
	}
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	return sets.file()
}

// numericParameters returns the names and values of the parameters that are numbers, in the order of their names, and
// removes them from the result.
func (r *benchmarkResult) numericParameters() (names []string, point []float64) {
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		if v, err := parameterNumber(r.Params[name]); err == nil && !math.IsNaN(v) {
			names, point = append(names, name), append(point, v)
			delete(r.Params, name)
		}
	}
	return names, point
}

// parameterNumber reads the number of a parameter, in which K, M and G stand for thousands, millions and billions: 10K.
func parameterNumber(s string) (float64, error) {
	scale := 1.0
	if n := len(s); n > 1 {
		if e := strings.IndexByte("KMG", s[n-1]&^0x20); e >= 0 {
			s, scale = s[:n-1], math.Pow(1000, float64(e+1))
		}
	}
	v, err := plainNumber(s)
	return v * scale, err
}

// repetitions returns the repetitions of a result, and the name of their metric with its unit. A repetition is the mean
// of a fork, or an iteration if there is only one fork; without raw data it is the score. Rates are inverted to times
// per operation.
func (r *benchmarkResult) repetitions() (metric string, values []float64) {
	m := &r.PrimaryMetric
	for _, fork := range m.RawData {
		sum := 0.0
		for _, v := range fork {
			if sum += float64(v); len(m.RawData) == 1 {
				values = append(values, float64(v))
			}
		}
		if len(m.RawData) > 1 && len(fork) > 0 {
			values = append(values, sum/float64(len(fork)))
		}
	}
	if len(values) == 0 {
		values = []float64{float64(m.Score)}
	}
	unit, isRate := rateUnit(m.ScoreUnit)
	if !isRate {
		return "score (" + m.ScoreUnit + ")", values
	}
	for i, v := range values {
		values[i] = 1 / v
	}
	return "time (" + unit + ")", values
}

// criterionLine is one line of cargo-criterion's messages (--message-format=json).
type criterionLine struct {
	Reason, ID    string
	Typical, Mean *struct {
		Estimate value
		Unit     string
	}
}

// isCriterionLine reports whether an input with the given first line holds messages of cargo or cargo-criterion.
func isCriterionLine(first []byte) bool {
	return strings.HasPrefix(strings.ReplaceAll(string(first[:min(len(first), 16)]), " ", ""), `{"reason":`)
}

// eachCriterionLine calls handle with the estimate of every finished benchmark in the messages of cargo-criterion: the
// typical value, or the mean without one. It begins with line first, or with the next line if first is nil. It skips
// other messages. It returns an error if no message is of a finished benchmark.
func eachCriterionLine(in *source, first []byte, handle func(id, unit string, estimate float64) error) error {
	found := false
	for line := first; ; {
		if line == nil {
			var err error
			if line, err = in.nextContent(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		var c criterionLine
		if err := json.Unmarshal(line, &c); err != nil {
			if found && in.dropCut() {
				break
			}
			return in.fail("read a message of cargo-criterion: %w", jsonFault(err))
		}
		line = nil
		estimate := c.Typical
		if estimate == nil {
			estimate = c.Mean
		}
		if c.Reason != "benchmark-complete" || c.ID == "" || estimate == nil {
			continue
		}
		found = true
		if err := handle(c.ID, estimate.Unit, float64(estimate.Estimate)); err != nil {
			return in.fail("read a message of cargo-criterion: %w", err)
		}
	}
	if !found {
		return fmt.Errorf("%s: read: the messages of cargo contain no finished benchmark: write them with "+
			"cargo criterion --message-format=json", in.name)
	}
	return nil
}

// readCriterionRuns reads the messages of cargo-criterion: a series for each benchmark, its runs in the order of the
// messages.
func readCriterionRuns(in *source, o RunOptions) ([]Runs, string, error) {
	var all []Runs
	err := eachCriterionLine(in, nil, func(id, unit string, estimate float64) error {
		if len(all) >= o.Limits.Rows {
			return fmt.Errorf("the file has more than %d results: %w", o.Limits.Rows, errTooLarge)
		}
		all = append(all, undatedRun(id, unit, estimate))
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	all = JoinSessions(all)
	for i := range all {
		all[i].finish()
	}
	return all, "cargo-criterion: value = typical, runs in the order of the messages", nil
}

// readCriterionMeasurements reads the messages of cargo-criterion as measurements; first is the line that was read
// last. The parameter is the last number in a benchmark's id; benchmarks without a number are left out.
func readCriterionMeasurements(in *source, first []byte) (Measurements, error) {
	b := numberedBenchmarks{experiment: experiment{in: in}}
	err := eachCriterionLine(in, first, func(id, unit string, estimate float64) error {
		return b.addTime(id, unit, estimate)
	})
	if err == nil {
		if err = b.check(); err != nil {
			err = fmt.Errorf("%s: read the messages of cargo-criterion: %w", in.name, err)
		}
	}
	if err != nil {
		return Measurements{}, err
	}
	return b.file(Criterion)
}
