package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// benchmarkData is how the pages of github-action-benchmark begin.
const benchmarkData = "window.BENCHMARK_DATA"

// runDocument is JSON of other tools that holds runs: the entries of github-action-benchmark
// by suite, or the results of hyperfine by command.
type runDocument struct {
	Entries map[string][]benchmarkEntry
	Results []hyperfineResult
}

// benchmarkEntry is one run of a suite. Its date is in milliseconds since 1970. The tool customBiggerIsBetter, or in
// forks of the action BiggerIsBetter, says that its values are scores.
type benchmarkEntry struct {
	Commit         struct{ ID string }
	Date           float64
	Tool           string
	BiggerIsBetter bool `json:"bigger_is_better"`
	Benches        []struct {
		Name, Unit string
		Value      value
	}
}

// hyperfineResult is the runs of one command, in their order.
type hyperfineResult struct {
	Command string
	Times   []value
}

// isRunDocument reports whether an input with the given first line is one JSON document of a benchmark tool, and not
// one series per line. It begins with benchmarkData or a list, its first line is "{" alone, or that line has a key of
// such a document and no key "y".
func isRunDocument(first []byte) bool {
	first = bytes.TrimSpace(first)
	if bytes.HasPrefix(first, []byte(benchmarkData)) || string(first) == "{" || first[0] == '[' {
		return true
	}
	if first[0] != '{' || bytes.Contains(first, []byte(`"y"`)) {
		return false
	}
	for _, key := range []string{"entries", "results", "benchmarks", "context", "machine_info", "commit_hash", "arch"} {
		if bytes.Contains(first, []byte(`"`+key+`"`)) {
			return true
		}
	}
	return false
}

// readRunDocument reads a whole document of a benchmark tool: one series for each benchmark or command. It returns an
// error if the document is malformed, of no known tool, or too large.
func readRunDocument(in *source, o RunOptions) ([]Runs, string, error) {
	first, err := in.nextContent()
	if err != nil {
		return nil, "", err
	}
	line, text := in.number, append(bytes.Clone(first), '\n')
	more, err := in.rest()
	if err != nil {
		return nil, "", err
	}
	text = bytes.TrimRight(append(text, more...), "; \t\r\n")
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte(benchmarkData)) {
		_, text, _ = bytes.Cut(text, []byte{'='})
	}
	if countEntries(text) > o.Limits.Values {
		return nil, "", in.failAt(line, "read series: the file has more than %d values: %w", o.Limits.Values, errTooLarge)
	}
	if isListOf(text, isRunObject) {
		rows, err := readObjectList(in, text, line)
		if err != nil {
			return nil, "", err
		}
		return readRunTable(rows, o)
	}
	all, understood, err := parseRunDocument(plainJSON(text), o.Limits.Series)
	if err != nil {
		return nil, "", in.failAt(line, "read series: the JSON document is malformed: %w: correct it", err)
	}
	runs := 0
	for i := range all {
		all[i].finish()
		runs += len(all[i].Y)
	}
	switch {
	case len(all) == 0 && isList(text):
		return nil, "", in.failAt(line, "read: the file is a JSON list, but not of JMH or github-action-benchmark: write "+
			"one JSON object per line")
	case len(all) == 0 && understood == "":
		err = errors.New("the JSON document contains no runs: want one series per line, or the JSON of " +
			"github-action-benchmark, hyperfine, pytest-benchmark, CodSpeed, Google Benchmark, JMH, asv or the Phoronix " +
			"Test Suite")
	case runs > o.Limits.Rows || len(all) > o.Limits.Series:
		err = fmt.Errorf("the JSON document has more than %d runs or %d series: %w",
			o.Limits.Rows, o.Limits.Series, errTooLarge)
	}
	if err != nil {
		return nil, "", in.failAt(line, "read series: %w", err)
	}
	markRepeated(all)
	return all, understood, nil
}

// isListOf reports whether JSON text is a valid list whose first entry satisfies is.
func isListOf(text []byte, is func(object []byte) bool) bool {
	if text = plainJSON(text); !isList(text) || !json.Valid(text) {
		return false
	}
	first := false
	elements(text, func(entry []byte) bool {
		first = is(entry)
		return false
	})
	return first
}

// isList reports whether JSON text is a list.
func isList(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte{'['}) }

// parseRunDocument parses a whole document and returns its series and how it was understood. A document of no known
// tool gives no series, "" and no error; malformed JSON is an error. maxSeries limits the series that are made.
func parseRunDocument(text []byte, maxSeries int) (all []Runs, understood string, err error) {
	if isList(text) {
		return parseBenchmarkList(text)
	}
	if all, understood, ok := parseSession(text, maxSeries); ok {
		return all, understood, nil
	}
	if all, ok := parsePhoronix(text); ok {
		return all, "Phoronix Test Suite: time = timestamp of the system, value = value", nil
	}
	var doc runDocument
	var otherType *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &doc); {
	case errors.As(err, &otherType):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	if len(doc.Entries) > 0 {
		return doc.benchmarks(), "github-action-benchmark: time = date, value = value, commit", nil
	}
	if all = doc.hyperfine(); len(all) > 0 {
		understood = "hyperfine's JSON: value = times"
	}
	return all, understood, nil
}

// benchmarks returns the series of all suites; if there are several, the suite precedes the name of a
// benchmark.
func (d *runDocument) benchmarks() []Runs {
	var all []Runs
	for _, suite := range slices.Sorted(maps.Keys(d.Entries)) {
		place := map[string]int{}
		first := len(all)
		for _, entry := range d.Entries[suite] {
			for _, b := range entry.Benches {
				k, known := place[b.Name]
				if !known {
					k = len(all)
					place[b.Name] = k
					one := Runs{Unit: b.Unit, largerIsBetter: entry.BiggerIsBetter || entry.Tool == "customBiggerIsBetter"}
					one.ID, one.Meta = b.Name, map[string][]string{"commit": nil, "tool": nil}
					if len(d.Entries) > 1 {
						one.ID = suite + "/" + b.Name
					}
					all = append(all, one)
				}
				one := &all[k]
				one.Y, one.Given = append(one.Y, float64(b.Value)), append(one.Given, Moment{Number: entry.Date})
				one.Meta["commit"] = append(one.Meta["commit"], entry.Commit.ID)
				one.Meta["tool"] = append(one.Meta["tool"], entry.Tool)
			}
		}
		for k := first; k < len(all); k++ {
			all[k].place(Milliseconds)
		}
	}
	return all
}

// hyperfine returns the series of all commands. Runs are numbered, because hyperfine does not record when they
// began.
func (d *runDocument) hyperfine() []Runs {
	var all []Runs
	for _, r := range d.Results {
		one := Runs{Unit: "s"}
		one.ID = r.Command
		for i, t := range r.Times {
			one.Y, one.Given = append(one.Y, float64(t)), append(one.Given, Moment{Number: float64(i)})
		}
		if len(one.Y) > 0 {
			one.place(Days)
			all = append(all, one)
		}
	}
	return all
}

// place sets the times of the runs from those given in the input; a series with an invalid time becomes a bad
// one.
func (in *Runs) place(unit TimeUnit) {
	if err := in.setTimes(in.Given, unit); err != nil {
		*in = badRuns(in.ID, err.Error())
	}
}
