package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// hyperfine reads the results of `hyperfine --export-json`. A command without single times gives its mean. A command
// without parameters is an error.
func (doc *document) hyperfine(results []byte) (Measurements, error) {
	e := &experiment{in: doc.in}
	doc.format = Hyperfine
	doc.begin(results)
	err := doc.list(func() error {
		var one struct {
			Command    string
			Mean       value
			Times      []value
			Parameters map[string]string
		}
		if err := doc.d.Decode(&one); err != nil {
			return err
		}
		if len(one.Parameters) == 0 {
			return fmt.Errorf("command %q of hyperfine has no parameter: run hyperfine with --parameter-list",
				short(one.Command))
		}
		if len(one.Times) == 0 {
			one.Times = []value{one.Mean}
		}
		words, err := json.Marshal(one.Parameters)
		if err != nil {
			return err
		}
		point, err := e.point(unquoted(words))
		if err != nil {
			return err
		}
		times := make([]float64, len(one.Times))
		for i, t := range one.Times {
			times[i] = float64(t)
		}
		return e.of("", "time").add(point, times)
	})
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	return e.file(Hyperfine)
}

// unquoted converts the texts of a flat JSON object that are numbers to numbers.
func unquoted(object []byte) []byte {
	var words map[string]string
	if json.Unmarshal(object, &words) != nil {
		return object
	}
	numbers := map[string]any{}
	for name, w := range words {
		if numbers[name] = w; isPlain(w) {
			numbers[name] = json.Number(w)
		}
	}
	out, err := json.Marshal(numbers)
	if err != nil {
		return object
	}
	return out
}

// isPlain reports whether w is a plain decimal number and valid JSON.
func isPlain(w string) bool {
	d, n := scanDecimal([]byte(w))
	return n > 0 && n == len(w) && json.Valid([]byte(w)) && d.places >= 0
}

// googleBenchmark reads the JSON of Google Benchmark, and that of CodSpeed. The parameter is the last number in a
// benchmark's name: BM_Sort/1024, BM_Sort/1024/threads:4. Aggregates and benchmarks without a number are left out.
func (doc *document) googleBenchmark(benchmarks []byte) (Measurements, error) {
	b := numberedBenchmarks{experiment: experiment{in: doc.in}}
	doc.format = GoogleBenchmark
	doc.begin(benchmarks)
	err := doc.list(func() error {
		var one struct {
			Name     string
			RunName  string `json:"run_name"`
			RunType  string `json:"run_type"`
			RealTime *value `json:"real_time"`
			TimeUnit string `json:"time_unit"`
			Stats    struct {
				MedianNs *value `json:"median_ns"` // of CodSpeed
			}
		}
		if err := doc.d.Decode(&one); err != nil {
			return err
		}
		if one.RunType == "aggregate" {
			return nil
		}
		switch {
		case one.RealTime != nil:
			return b.addTime(cmp.Or(one.RunName, one.Name), one.TimeUnit, float64(*one.RealTime))
		case one.Stats.MedianNs != nil:
			return b.addTime(one.Name, "ns", float64(*one.Stats.MedianNs))
		}
		return fmt.Errorf("benchmark %q has neither real_time nor median_ns: want the JSON of Google Benchmark or of "+
			"CodSpeed's mode walltime", short(one.Name))
	})
	if err == nil {
		err = b.check()
	}
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	return b.file(GoogleBenchmark)
}

// numberedBenchmarks is the measurements of benchmarks whose parameter is the last number in their name.
type numberedBenchmarks struct {
	experiment
	without string // a benchmark without a number, which was left out
}

// addTime adds the time of a benchmark, converted to seconds from the given unit; an unknown unit counts as seconds. A
// benchmark without a number in its name is left out.
func (b *numberedBenchmarks) addTime(name, unit string, t float64) error {
	benchmark, parameter, p, ok := lastNumber(name)
	if !ok {
		b.without = name
		return nil
	}
	perSecond := max(1, nameOf("t_"+unit).timeUnit().perSecond())
	return b.named(parameter).of(benchmark, "real_time_s").add([]float64{p}, []float64{t / perSecond})
}

// check returns an error if no benchmark has a number in its name, or if the parameters are of two kinds.
func (b *numberedBenchmarks) check() error {
	if b.n == 0 && b.without != "" {
		return fmt.Errorf("benchmark %q has no number in its name: want a varied argument, such as name/8",
			short(b.without))
	}
	if len(b.parameters) > 1 {
		return errors.New("some benchmarks vary a plain argument, others a named one: want one kind in a file")
	}
	return nil
}

// named returns the experiment with the given parameter, added if it is missing.
func (e *experiment) named(parameter string) *experiment {
	for _, p := range e.parameters {
		if p == parameter {
			return e
		}
	}
	e.parameters = append(e.parameters, parameter)
	return e
}

// lastNumber splits the name of a benchmark, whose parts are separated by "/", at its last argument that is a number.
// It returns the name without the argument, the argument's name ("argument" if it has none) and its value p. ok is
// false if no argument is a number; the first part is not an argument.
func lastNumber(name string) (rest, parameter string, p float64, ok bool) {
	parts := strings.Split(name, "/")
	for i := len(parts) - 1; i > 0; i-- {
		key, word, has := strings.Cut(parts[i], ":")
		if !has {
			key, word = "argument", parts[i]
		}
		if p, err := strconv.ParseFloat(word, 64); err == nil {
			return strings.Join(append(parts[:i:i], parts[i+1:]...), "/"), key, p, true
		}
	}
	return "", "", 0, false
}
