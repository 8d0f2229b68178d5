package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/internal/robust"
)

// criterionColumns are the columns of the raw.csv files that Criterion.rs writes which are read: the names of a
// benchmark, and in each row the total of some iterations.
var criterionColumns = []string{"group", "function", "value", "sample_measured_value", "unit", "iteration_count"}

// criterionSample is one row: the benchmark's id in the form of cargo-criterion, GROUP/FUNCTION/VALUE without the
// absent ones, and the value per iteration.
type criterionSample struct {
	id, unit string
	value    float64
}

// isCriterionSamples reports whether the header is that of Criterion's raw.csv.
func (r *csvReader) isCriterionSamples() bool {
	return r.headed && !slices.ContainsFunc(criterionColumns, func(name string) bool {
		return !slices.Contains(r.names, name)
	})
}

// eachCriterionSample calls handle with every row of Criterion's raw.csv, which may be several joined files, one for
// each benchmark. It stops with an error at a row without a total or a positive number of iterations, and if handle
// returns one. If the input is cut off in such a row, it ends there without an error.
func (r *csvReader) eachCriterionSample(handle func(criterionSample) error) error {
	var at [6]int
	for k, name := range criterionColumns {
		at[k] = slices.Index(r.names, name)
	}
	for rows := 0; ; rows++ {
		cells, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		total, _, totalOK := r.number(cells[at[3]])
		count, _, countOK := r.number(cells[at[5]])
		if !totalOK || !countOK || !(count > 0) {
			err = errors.New("invalid sample of criterion: sample_measured_value must be a number and iteration_count a " +
				"positive one")
		} else {
			var words []string
			for _, i := range at[:3] {
				if len(cells[i]) > 0 {
					words = append(words, string(cells[i]))
				}
			}
			err = handle(criterionSample{strings.Join(words, "/"), string(cells[at[4]]), total / count})
		}
		if err != nil {
			if err = r.badRow(rows, err); err != nil {
				return err
			}
			return nil
		}
	}
}

// criterionRuns reads Criterion's raw.csv as a session: one run of each benchmark, the median of its samples.
func (r *csvReader) criterionRuns() ([]Runs, string, error) {
	type benchmark struct {
		unit   string
		values []float64
	}
	var order []string
	samples, n := map[string]*benchmark{}, 0
	err := r.eachCriterionSample(func(s criterionSample) error {
		if n++; n > r.in.limits.Rows {
			return fmt.Errorf("the file has more than %d samples: %w", r.in.limits.Rows, errTooLarge)
		}
		b := samples[s.id]
		if b == nil {
			b = &benchmark{unit: s.unit}
			samples[s.id], order = b, append(order, s.id)
		}
		if b.unit != s.unit {
			return errors.New("the unit differs from that of the samples before: use one unit")
		}
		if !math.IsNaN(s.value) {
			b.values = append(b.values, s.value)
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	var all []Runs
	for _, id := range order {
		b := samples[id]
		one := undatedRun(id, b.unit, robust.MedianInPlace(b.values))
		one.finish()
		all = append(all, one)
	}
	return all, "criterion's raw.csv: value = median of sample_measured_value / iteration_count, runs in the order of " +
		"the files", nil
}

// criterionMeasurements reads Criterion's raw.csv as measurements. The parameter is the last number in a benchmark's
// id, GROUP/FUNCTION/VALUE; benchmarks without one are left out.
func (r *csvReader) criterionMeasurements() (Measurements, error) {
	b := numberedBenchmarks{experiment: experiment{in: r.in}}
	err := r.eachCriterionSample(func(s criterionSample) error { return b.addTime(s.id, s.unit, s.value) })
	if err == nil {
		if err = b.check(); err != nil {
			err = r.in.fail("read criterion's samples: %w", err)
		}
	}
	if err != nil {
		return Measurements{}, err
	}
	return b.file(CriterionSamples)
}
