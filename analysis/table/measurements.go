package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"jobgait/analysis/scaling"
)

// Format is a file format of measurements.
type Format string

// The formats of measurements.
const (
	CSV              Format = "csv"
	SeriesLines      Format = "series lines"
	ExtraPText       Format = "Extra-P text"
	ExtraPJSON       Format = "Extra-P JSON"
	ExtraPLegacyJSON Format = "Extra-P legacy JSON"
	ExtraPLines      Format = "Extra-P JSON Lines"
	Talpas           Format = "Talpas"
	Hyperfine        Format = "hyperfine JSON"
	GoogleBenchmark  Format = "Google Benchmark JSON"
	JMH              Format = "JMH JSON"
	PytestBenchmark  Format = "pytest-benchmark JSON"
	Criterion        Format = "cargo-criterion messages"
	CriterionSamples Format = "criterion's raw.csv"
	Lammps           Format = "LAMMPS log"
)

// Measurements holds the series of one input.
type Measurements struct {
	Reading
	Format Format
	Series []scaling.Series
	// Numbers reports for each series whether its id was a number in the input, so that it is written as one. It
	// may be shorter than Series: the rest are text.
	Numbers []bool
	// Left counts the combinations of several parameters that were left out because they have fewer than three
	// values of the varying one.
	Left int
}

// MeasurementOptions holds the options for reading a file of measurements.
type MeasurementOptions struct {
	Name    string // of the file, for messages
	Columns Columns
	Limits  Limits
}

// DefaultMeasurements returns the options for a file of the given name. Its bounds are
// far beyond honest input (100,000 points take 4 MB) and keep what is in memory below
// half a gigabyte.
func DefaultMeasurements(name string) MeasurementOptions {
	return MeasurementOptions{Name: name,
		Limits: Limits{Bytes: 128 << 20, Document: 64 << 20, Line: 32 << 20, Rows: 2_000_000, Values: 16_000_000,
			Series: 200_000, Columns: 1 << 12}}
}

// ReadMeasurements reads CSV, series lines, logs of LAMMPS and the formats of Extra-P, hyperfine, Google Benchmark,
// pytest-benchmark, JMH, Criterion and cargo-criterion, and JSON objects of a size and numbers, known by their content.
//
// A series varies one parameter. Where a file varies several, each combination of the
// others' values is a series of its own if it has three values or more. A malformed line
// is an error: half of a file would give another model in silence. A number that is not
// useful (a missing value, p = 0) is passed on, and the analysis says so.
func ReadMeasurements(r io.Reader, o MeasurementOptions) (Measurements, error) {
	in := newSource(r, o.Name, o.Limits)
	if err := in.begin(); err != nil {
		return Measurements{}, err
	}
	lines, _, err := in.sample(1)
	if err != nil {
		return Measurements{}, err
	}
	if len(lines) == 0 {
		if in.broken {
			_, _ = in.next()
			return Measurements{}, fmt.Errorf("%s: %s", o.Name, in.cutText())
		}
		return Measurements{}, fmt.Errorf("%s: the file has no data: want CSV, JSON or Extra-P", o.Name)
	}
	if err := in.rejectUnsupported(lines[0]); err != nil {
		return Measurements{}, err
	}
	var m Measurements
	switch first := bytes.TrimSpace(lines[0]); {
	case first[0] == '{' || first[0] == '[':
		m, err = readMeasurementJSON(in, o.Columns)
	case isLammpsLog(first):
		m, err = readLammpsMeasurements(in)
	case isKeyword(first):
		m, err = readExtraPText(in)
	default:
		m, err = readMeasurementRows(in, o.Columns)
	}
	if err != nil {
		return Measurements{}, err
	}
	m.Cut = in.cutText()
	return m, nil
}

// readMeasurementJSON reads any of the JSON formats; it distinguishes them by the keys of the first object.
func readMeasurementJSON(in *source, by Columns) (Measurements, error) {
	line, err := in.nextContent()
	if err != nil {
		return Measurements{}, err
	}
	first := bytes.Clone(bytes.TrimSpace(line))
	keys, ok := objectKeys(first)
	if talpas, yes := fromTalpas(first); !ok && yes {
		if keys, ok = objectKeys(talpas); ok {
			return readPointLines(in, first, Talpas)
		}
	}
	if !ok {
		return readDocument(in, first, by)
	}
	if isMeasurementObject(first) && keys["params"] == nil {
		rows, err := readObjectLines(in, first)
		if err != nil {
			return Measurements{}, err
		}
		return readMeasurementTable(rows, by)
	}
	has := func(name string) bool { return keys[name] != nil }
	switch {
	case has("measurements"), has("benchmarks"), has("results"):
		return readDocument(in, first, by)
	case has("reason"):
		return readCriterionMeasurements(in, first)
	case has("params"):
		return readPointLines(in, first, ExtraPLines)
	case has("p") || has("y"):
		return readSeriesLines(in, first)
	case has("schema"):
		return Measurements{}, in.fail("the file is a JSON result of jobgait: name the file of measurements instead")
	}
	return Measurements{}, in.fail("no measurements in this object: it has no parameter and number, such as " +
		`{"nodes": 4, "time": 2.5}, nor "params", nor "measurements"`)
}

// objectKeys returns the keys and values of a line that is one JSON object; false otherwise.
func objectKeys(line []byte) (keys map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(plainJSON(line), &keys)
	return keys, err == nil && keys != nil
}

// tooMany returns an error if n exceeds the limit of measurements.
func (s *source) tooMany(n int) error {
	if n > s.limits.Rows {
		return fmt.Errorf("the file has more than %d measurements: %w", s.limits.Rows, errTooLarge)
	}
	return nil
}
