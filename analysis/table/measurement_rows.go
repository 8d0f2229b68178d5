package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jobgait/analysis/scaling"
)

// Names of columns that measurements have besides parameters and values.
var (
	ignoredNames = []string{"rep", "repetition", "run", "iteration", "job", "job id", "jobid", "build", "build id", "seed",
		"exit", "exit code", "exitcode"}
	seriesNames   = []string{"series", "id", "callpath", "region", "kernel", "function", "benchmark"}
	metricNames   = []string{"metric"}
	groupNames    = []string{"group", "day", "date", "node"}
	nodeHourNames = []string{"node hours"}
	// averageNames are the columns that are read from a table of statistics; its others are not measurements.
	averageNames = []string{"value", "y", "mean", "average", "avg", "median"}
)

// measurementTable reads the rows of one CSV file.
type measurementTable struct {
	*csvReader
	parameter, metric, group, nodeHours int   // columns, -1 if absent
	values, keys, others                []int // others are further parameters
	units                               []string
	out                                 []scaling.Series
	index                               map[[2]string]int
	at                                  [][]string // values of others of each observation
	n                                   int
}

// readMeasurementRows reads CSV with one measurement per row; by names the columns that the header does not
// identify.
func readMeasurementRows(in *source, by Columns) (Measurements, error) {
	reader, err := openCSV(in)
	if err != nil {
		return Measurements{}, err
	}
	if reader.isCriterionSamples() {
		return reader.criterionMeasurements()
	}
	return readMeasurementTable(reader, by)
}

// readMeasurementTable reads the rows of a table of measurements.
func readMeasurementTable(reader *csvReader, by Columns) (Measurements, error) {
	in := reader.in
	t := &measurementTable{csvReader: reader, index: map[[2]string]int{}}
	if err := t.chooseColumns(by); err != nil {
		return Measurements{}, err
	}
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			if why := t.add(cells); why != nil {
				if err = t.badRow(t.n, why); err == nil {
					break
				}
			}
		}
		if err != nil {
			return Measurements{}, err
		}
	}
	if len(t.out) == 0 {
		return Measurements{}, in.fail("the file has a header but no measurements: want one or more in each line below it")
	}
	m := Measurements{Format: CSV, Reading: Reading{Columns: t.describe(t.understood())}}
	for i := range t.out {
		list, left := t.split(i)
		m.Series, m.Left = append(m.Series, list...), m.Left+left
	}
	return m, nil
}

// chooseColumns assigns the columns' roles: by the user's choice, then by name or kind of content or, in a file without
// a header, by position. It returns an error if no column can be the parameter or the value.
func (t *measurementTable) chooseColumns(by Columns) error {
	taken := map[int]bool{}
	take := func(i int) int {
		taken[i] = true
		return i
	}
	isTaken := func(i int) bool { return taken[i] }
	t.parameter, t.metric, t.group, t.nodeHours = -1, -1, -1, -1
	for _, c := range []struct {
		name string
		to   *int
	}{{by.Parameter, &t.parameter}, {by.Time, &t.group}} {
		if c.name != "" {
			i, err := t.column(c.name)
			if err != nil {
				return err
			}
			*c.to = take(i)
		}
	}
	if by.Value != "" {
		i, err := t.column(by.Value)
		if err != nil {
			return err
		}
		t.values = []int{take(i)}
	}
	if !t.headed {
		return t.byPlace(taken)
	}
	for _, c := range []struct {
		names []string
		to    *int
	}{{metricNames, &t.metric}, {groupNames, &t.group}, {nodeHourNames, &t.nodeHours}} {
		if i := t.find(c.names, isTaken); *c.to < 0 && i >= 0 {
			*c.to = take(i)
		}
	}
	for i, name := range t.names {
		switch words := nameOf(name).words; {
		case taken[i]:
		case slices.Contains(seriesNames, words):
			t.keys = append(t.keys, take(i))
		case slices.Contains(ignoredNames, words):
			take(i)
		}
	}
	if err := t.chooseParameter(take, isTaken); err != nil {
		return err
	}
	t.chooseValues(by, taken)
	if len(t.values) == 0 {
		return t.in.fail("the header names no column that is known as the value: %q: name one with --column",
			short(strings.Join(t.names, string(t.separator))))
	}
	t.chooseKeys(taken)
	t.units = unknownUnits(len(t.names))
	return nil
}

// chooseParameter chooses the column of the parameter by its name, else the first column of numbers that is not
// known as a value. Further columns with names of parameters become others.
func (t *measurementTable) chooseParameter(take func(int) int, isTaken func(int) bool) error {
	isWords := func(i int) bool { return isTaken(i) || t.kind(i) == texts || t.kind(i) == dates }
	if t.parameter < 0 {
		if i := t.find(parameterNames, isWords); i >= 0 {
			t.parameter = take(i)
		}
	}
	for i, name := range t.names {
		words := nameOf(name).words
		known := slices.Contains(valueNames, words) || slices.Contains(statistics, words)
		if t.parameter < 0 && !isWords(i) && !known {
			t.parameter = take(i)
		}
	}
	if t.parameter < 0 {
		return t.in.fail("the header names no column that is known as the parameter: %q: name one with --parameter",
			short(strings.Join(t.names, string(t.separator))))
	}
	for i, name := range t.names {
		if !isWords(i) && slices.Contains(parameterNames, nameOf(name).words) {
			t.others = append(t.others, take(i))
		}
	}
	return nil
}

// chooseValues chooses the average of a table of statistics, else all remaining columns of numbers, else the
// first of the further parameters. It does nothing if the user named the value.
func (t *measurementTable) chooseValues(by Columns, taken map[int]bool) {
	if by.Value != "" {
		return
	}
	free := func(i int) bool { return taken[i] || t.kind(i) == texts || t.kind(i) == dates }
	i := t.find(averageNames, free)
	if i < 0 { // not of numbers: the first row will be the error
		i = t.find(averageNames, func(i int) bool { return taken[i] })
	}
	if i >= 0 {
		t.values = []int{i}
		return
	}
	for i := range t.names {
		if !free(i) {
			t.values = append(t.values, i)
			taken[i] = true
		}
	}
	if len(t.values) == 0 && len(t.others) > 0 { // "n,p": one of them was measured
		t.values, t.others = t.others[:1], t.others[1:]
	}
}

// chooseKeys chooses the columns of words before the parameter and the values as names of the series, if no column is
// known as one by its name. It does so only if the words repeat: the sampled rows have one combination of them, or at
// most half as many as there are rows.
func (t *measurementTable) chooseKeys(taken map[int]bool) {
	if len(t.keys) > 0 {
		return
	}
	var keys []int
	for i := range min(t.parameter, slices.Min(t.values)) {
		if !taken[i] && t.kind(i) == texts {
			keys = append(keys, i)
		}
	}
	seen := map[string]bool{}
	for _, row := range t.sample {
		key := ""
		for _, i := range keys {
			key += "\x00" + row[i]
		}
		seen[key] = true
	}
	if 2*len(seen) <= len(t.sample) || len(seen) == 1 {
		t.keys = keys
	}
}

// byPlace assigns the columns of a file without a header: parameter, repetition, value, or parameter, value. If the
// user named both the parameter and the value, it keeps these. It is an error if the user named other columns, or if
// the file has another number of columns.
func (t *measurementTable) byPlace(taken map[int]bool) error {
	t.units = unknownUnits(len(t.names))
	if t.parameter >= 0 && len(t.values) > 0 {
		return nil
	}
	if len(taken) > 0 || len(t.names) < 2 || len(t.names) > 3 {
		return t.in.failAt(t.in.number+1,
			"%d columns without a header: give param,rep,value or param,value, or name the columns",
			len(t.names))
	}
	t.parameter, t.values = 0, []int{len(t.names) - 1}
	t.names[0], t.names[len(t.names)-1] = "param", "value"
	return nil
}

// add adds the values of one row, each to the series of its id and metric. It returns an error if a cell cannot be read
// or the file has too many series or measurements.
func (t *measurementTable) add(cells [][]byte) error {
	o, err := t.observation(cells)
	if err != nil {
		return err
	}
	var id []string
	for _, i := range t.keys {
		if s := string(cells[i]); s != "" {
			id = append(id, s)
		}
	}
	name := ""
	if t.metric >= 0 {
		name = string(cells[t.metric])
	}
	others := ""
	for _, i := range t.others {
		others += ", " + t.names[i] + "=" + string(cells[i])
	}
	for _, i := range t.values {
		if o.Value, err = t.numberOf(i, cells[i]); err != nil {
			return err
		}
		t.append(strings.Join(id, " "), name, i, o, others)
	}
	t.n += len(t.values)
	if len(t.out) > t.in.limits.Series {
		return fmt.Errorf("the file has more than %d series: %w", t.in.limits.Series, errTooLarge)
	}
	return t.in.tooMany(t.n)
}

// observation reads the parameter, the group and the cost in node hours of a row. A row without a parameter is an
// error; a missing or negative cost is 0.
func (t *measurementTable) observation(cells [][]byte) (o scaling.Observation, err error) {
	if o.P, err = t.numberOf(t.parameter, cells[t.parameter]); err != nil {
		return o, err
	}
	if math.IsNaN(o.P) {
		return o, fmt.Errorf("the line has no value for the parameter %s: want a number", t.names[t.parameter])
	}
	if t.nodeHours >= 0 {
		if o.NodeHours, err = t.numberOf(t.nodeHours, cells[t.nodeHours]); !(o.NodeHours >= 0) {
			o.NodeHours = 0
		}
	}
	if t.group >= 0 {
		o.Group = string(cells[t.group])
	}
	return o, err
}

// numberOf returns the number in a cell of column i; NaN if the value is missing. It returns an error if the cell is
// not a number, or if its unit differs from that of the first value.
func (t *measurementTable) numberOf(i int, cell []byte) (float64, error) {
	v, unit, ok := t.number(cell)
	if !ok {
		return 0, fmt.Errorf("column %s: invalid value %q: want a number", t.names[i], short(cell))
	}
	if math.IsNaN(v) {
		return v, nil
	}
	if t.units[i] == unknownUnit {
		t.units[i] = unit
	}
	if unit != t.units[i] {
		return 0, fmt.Errorf("column %s: the unit of %q differs from that of the rows before: use one unit", t.names[i],
			short(cell))
	}
	return v, nil
}

// append appends an observation to the series of an id and a metric, whose name is that of the column if metricName is
// "". others has the names and values of the further parameters.
func (t *measurementTable) append(id, metricName string, column int, o scaling.Observation, others string) {
	if metricName == "" {
		metricName = t.names[column]
	}
	key := [2]string{id, metricName}
	i, ok := t.index[key]
	if !ok {
		i = len(t.out)
		t.index[key] = i
		t.out = append(t.out, scaling.Series{ID: t.title(key), Parameter: t.names[t.parameter], Metric: metricName})
		t.at = append(t.at, nil)
	}
	t.out[i].Observations = append(t.out[i].Observations, o)
	if len(t.others) > 0 {
		t.at[i] = append(t.at[i], others)
	}
}

// title returns the id of a series, with its metric if there are several. A file of one series has the id "0",
// as its first line would.
func (t *measurementTable) title(key [2]string) string {
	several := t.metric >= 0 || len(t.values) > 1
	switch {
	case key[0] != "" && several:
		return joinID(key[0], key[1])
	case key[0] != "":
		return key[0]
	case several:
		return key[1]
	}
	return "0"
}

// split divides series i by the values of the further parameters. left counts the parts that are left out because they
// have fewer than enoughOfCombination values of the first parameter. The series stays whole if the first parameter
// determines the further ones, or if all parts would be left out.
func (t *measurementTable) split(i int) (list []scaling.Series, left int) {
	whole := t.out[i]
	var order []string
	parts := map[string][]scaling.Observation{}
	sizes := map[string]map[float64]bool{}
	at := map[float64]string{}
	follows := true
	for k, others := range t.at[i] {
		o := whole.Observations[k]
		if parts[others] == nil {
			order, sizes[others] = append(order, others), map[float64]bool{}
		}
		parts[others] = append(parts[others], o)
		sizes[others][o.P] = true
		if before, ok := at[o.P]; ok && before != others {
			follows = false
		}
		at[o.P] = others
	}
	if follows || len(order) < 2 {
		return []scaling.Series{whole}, 0
	}
	for _, others := range order {
		if len(sizes[others]) < enoughOfCombination {
			left++
			continue
		}
		one := whole
		one.Observations = parts[others]
		if one.ID += " (" + strings.TrimPrefix(others, ", ") + ")"; whole.ID == "0" {
			one.ID = "(" + strings.TrimPrefix(others, ", ") + ")"
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return []scaling.Series{whole}, 0
	}
	return list, left
}

// understood returns a text that says which columns are used for what.
func (t *measurementTable) understood() string {
	named := func(columns []int) string {
		const maxNamed = 5
		var out []string
		for _, i := range columns[:min(len(columns), maxNamed)] {
			out = append(out, t.names[i])
		}
		if more := len(columns) - len(out); more > 0 {
			out = append(out, strconv.Itoa(more)+" more")
		}
		return strings.Join(out, ", ")
	}
	out := "parameter = " + t.names[t.parameter]
	if len(t.values) == 1 {
		out += ", value = " + named(t.values)
	} else {
		out += ", values = " + named(t.values)
	}
	if len(t.others) > 0 {
		out += ", further parameters = " + named(t.others)
	}
	if len(t.keys) > 0 {
		out += ", series = " + named(t.keys)
	}
	return out
}
