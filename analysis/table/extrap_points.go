package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"jobgait/analysis/scaling"
)

// enoughOfCombination is the least number of values of the varying parameter for a series of one combination of
// the others: below three no method has a model.
const enoughOfCombination = 3

// experiment is what Extra-P's formats hold: values at points of one or more
// parameters, for each call path and metric.
type experiment struct {
	in         *source
	parameters []string
	n          int // measurements of all sets
	sets       []*set
	index      map[[2]string]*set
}

// set is the measurements of one call path and metric. Point k is
// points[k*d:(k+1)*d] for d parameters.
type set struct {
	e                *experiment
	callpath, metric string
	points, values   []float64
}

// of returns the set of a call path and metric, and adds an empty one if it is new.
func (e *experiment) of(callpath, metric string) *set {
	key := [2]string{callpath, metric}
	if s, ok := e.index[key]; ok {
		return s
	}
	s := &set{e: e, callpath: callpath, metric: metric}
	if e.index == nil {
		e.index = map[[2]string]*set{}
	}
	e.index[key] = s
	e.sets = append(e.sets, s)
	return s
}

// add adds the repetitions of one point. It returns an error if all sets together then have too many measurements.
func (s *set) add(point, repetitions []float64) error {
	for _, v := range repetitions {
		s.points = append(s.points, point...)
		s.values = append(s.values, v)
	}
	s.e.n += len(repetitions)
	return s.e.in.tooMany(s.e.n)
}

// file converts the measurements to series of one parameter each. It returns an error if there is no such series.
func (e *experiment) file(format Format) (Measurements, error) {
	f := e.series(format)
	switch {
	case len(f.Series) == 0 && f.Left > 0:
		return Measurements{}, fmt.Errorf("%s: %s vary together: a model has one parameter: measure %d points "+
			"that differ in it alone",
			e.in.name, strings.Join(e.parameters, " and "), enoughOfCombination)
	case len(f.Series) == 0:
		return Measurements{}, fmt.Errorf("%s: the file has no measurements: at least one is required", e.in.name)
	}
	return f, nil
}

// series returns the series of all sets with values. Left counts the combinations of parameters that were left out
// because they have too few values of the varying one.
func (e *experiment) series(format Format) Measurements {
	f := Measurements{Format: format}
	metrics := map[string]bool{}
	for _, s := range e.sets {
		metrics[s.metric] = true
	}
	for i, s := range e.sets {
		if len(s.values) == 0 {
			continue
		}
		id := s.title(len(metrics) > 1, i)
		list, left := s.split(e.parameters)
		for _, one := range list {
			one.Metric = s.metric
			one.ID = strings.TrimSpace(id + " " + one.ID)
			f.Series = append(f.Series, one)
		}
		f.Left += left
	}
	return f
}

// title returns the id of a set: its call path, followed by its metric if the file has several metrics. Without a
// call path the id is the metric, and without both it is the set's index i.
func (s *set) title(several bool, i int) string {
	switch {
	case s.callpath == "" && s.metric == "":
		return strconv.Itoa(i)
	case s.callpath == "":
		return s.metric
	case several && s.metric != "":
		return joinID(s.callpath, s.metric)
	}
	return s.callpath
}

// joinID returns the id of one metric of several; WriteExtraP splits it again.
func joinID(callpath, metric string) string { return callpath + "|" + metric }

// split makes a series of each combination in which one parameter alone varies. Its ID names the values of
// those others that vary elsewhere. Combinations with fewer than enoughOfCombination values are left out;
// left is their number. If fewer than two parameters vary, all values make one series.
func (s *set) split(parameters []string) (list []scaling.Series, left int) {
	d := len(parameters)
	var varying []int
	for k := range d {
		for i := k; i < len(s.points); i += d {
			if s.points[i] != s.points[k] {
				varying = append(varying, k)
				break
			}
		}
	}
	if len(varying) < 2 {
		k := 0
		if len(varying) == 1 {
			k = varying[0]
		}
		return []scaling.Series{s.along(parameters, k, nil, s.all())}, 0
	}
	for _, k := range varying {
		for _, rows := range s.combinations(d, k) {
			if s.distinct(d, k, rows) < enoughOfCombination {
				left++
				continue
			}
			list = append(list, s.along(parameters, k, varying, rows))
		}
	}
	return list, left
}

// all returns the indexes of all rows.
func (s *set) all() []int {
	rows := make([]int, len(s.values))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// combinations groups the rows that agree in all parameters but k, in the order
// of their first row.
func (s *set) combinations(d, k int) [][]int {
	index := map[string]int{}
	var out [][]int
	key := make([]byte, 0, 8*d)
	for row := range s.values {
		key = key[:0]
		for j, v := range s.points[row*d : (row+1)*d] {
			if j != k {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
			}
		}
		i, ok := index[string(key)]
		if !ok {
			i = len(out)
			index[string(key)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], row)
	}
	return out
}

// distinct counts the values of parameter k among rows.
func (s *set) distinct(d, k int, rows []int) int {
	seen := map[float64]bool{}
	for _, row := range rows {
		seen[s.points[row*d+k]] = true
	}
	return len(seen)
}

// along returns the series of parameter k over the given rows. Its ID names the values of the other parameters
// listed in varying, in parentheses.
func (s *set) along(parameters []string, k int, varying, rows []int) scaling.Series {
	d := len(parameters)
	out := scaling.Series{Parameter: parameters[k], Observations: make([]scaling.Observation, 0, len(rows))}
	for _, row := range rows {
		out.Observations = append(out.Observations, scaling.Observation{P: s.points[row*d+k], Value: s.values[row]})
	}
	var fixed []string
	for _, j := range varying {
		if j != k {
			fixed = append(fixed, parameters[j]+"="+strconv.FormatFloat(s.points[rows[0]*d+j], 'g', -1, 64))
		}
	}
	if fixed != nil {
		out.ID = "(" + strings.Join(fixed, ", ") + ")"
	}
	return out
}
