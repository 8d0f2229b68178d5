package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// hyperfine reads the results of `hyperfine --export-json` with a parameter. A command without single times
// gives its mean.
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
			return fmt.Errorf("command %q of hyperfine has no parameter: run it with --parameter-list", short(one.Command))
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

// googleBenchmark reads the JSON of Google Benchmark. The parameter is the last number in a benchmark's name:
// BM_Sort/1024, BM_Sort/1024/threads:4. Aggregates and benchmarks without a number are left out.
func (doc *document) googleBenchmark(benchmarks []byte) (Measurements, error) {
	e := &experiment{in: doc.in}
	without := ""
	doc.format = GoogleBenchmark
	doc.begin(benchmarks)
	err := doc.list(func() error {
		var one struct {
			Name     string
			RunName  string `json:"run_name"`
			RunType  string `json:"run_type"`
			RealTime value  `json:"real_time"`
			TimeUnit string `json:"time_unit"`
		}
		if err := doc.d.Decode(&one); err != nil {
			return err
		}
		if one.RunType == "aggregate" {
			return nil
		}
		if one.RunName == "" {
			one.RunName = one.Name
		}
		benchmark, parameter, p, ok := lastNumber(one.RunName)
		if !ok {
			without = one.RunName
			return nil
		}
		perSecond := max(1, nameOf("t_"+one.TimeUnit).timeUnit().perSecond())
		return e.named(parameter).of(benchmark, "real_time_s").add([]float64{p}, []float64{float64(one.RealTime) / perSecond})
	})
	if err == nil && e.n == 0 && without != "" {
		err = fmt.Errorf("benchmark %q has no number in its name: want a varied argument, such as name/8", short(without))
	}
	if err == nil && len(e.parameters) > 1 {
		err = errors.New("some benchmarks vary a plain argument, others a named one: want one kind in a file")
	}
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	return e.file(GoogleBenchmark)
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

// lastNumber splits the name of a benchmark at its last argument that is a number, and returns the argument's
// name and value; false if none exists.
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
