package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// runTable is a CSV file of runs column by column.
type runTable struct {
	*csvReader
	time   int   // column of the time
	values []int // columns of the values: a series each
	named  bool  // the value is known by its name, or named by the user
	group  int   // column that divides the runs into series, -1 if none does
	// dividing are the columns that divide the rows if there is no group.
	dividing []string
	unit     TimeUnit
	cells    [][]string // of the columns that are neither times nor values
	given    []Moment
	y        [][]float64
	units    []string
	words    intern
}

// intern stores one copy of each text, because values repeat for months.
type intern map[string]string

// word returns s as a string, which equal texts share. It stores at most 65,536 texts.
func (in intern) word(s []byte) string {
	const maxWords = 1 << 16
	if w, ok := in[string(s)]; ok {
		return w
	}
	w := string(s)
	if len(in) < maxWords {
		in[w] = w
	}
	return w
}

// readRunRows reads a CSV file with one run in each row, or Criterion's raw.csv. It returns the series and how the
// columns were understood.
func readRunRows(in *source, o RunOptions) (all []Runs, understood string, err error) {
	reader, err := openCSV(in)
	if err != nil {
		return nil, "", err
	}
	if reader.isCriterionSamples() {
		return reader.criterionRuns()
	}
	return readRunTable(reader, o)
}

// readRunTable reads the rows of a table of runs. It returns the series and how the columns were understood.
func readRunTable(reader *csvReader, o RunOptions) (all []Runs, understood string, err error) {
	t := &runTable{csvReader: reader, words: intern{}, unit: o.Unit}
	if err := t.chooseColumns(o.Columns); err != nil {
		return nil, "", err
	}
	for {
		cells, err := t.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			if why := t.add(cells); why != nil {
				if err = t.badRow(len(t.given), why); err == nil {
					break
				}
			}
		}
		if err != nil {
			return nil, "", err
		}
	}
	all = t.series()
	return all, t.describe(t.understood()), nil
}

// chooseColumns finds the columns of the time and the value: those that the user named, else those with a
// known name, else for the time the first of dates, then of numbers, then of others, and for the value the
// first of numbers, then of others.
func (t *runTable) chooseColumns(by Columns) (err error) {
	if len(t.names) < 2 {
		return t.in.failAt(max(1, t.in.number), "the file has one column: want two or more, a time and a value of each run")
	}
	t.time, t.group = -1, -1
	value := -1
	for _, c := range []struct {
		name string
		to   *int
	}{{by.Time, &t.time}, {by.Value, &value}, {by.Parameter, &t.group}} {
		if c.name != "" {
			if *c.to, err = t.column(c.name); err != nil {
				return err
			}
		}
	}
	taken := func(i int) bool { return i == t.time || i == value || i == t.group }
	if t.time < 0 {
		if t.time = t.find(timeNames, func(i int) bool { return taken(i) || t.kind(i) == texts }); t.time < 0 && t.headed {
			t.time = t.find(timeNames[:7], taken) // the first row will be the error
		}
	}
	t.named = value >= 0
	if value < 0 {
		value = t.find(valueNames, func(i int) bool { return taken(i) || t.kind(i) == texts })
		t.named = value >= 0
	}
	if t.time < 0 {
		t.time = t.first(taken, dates)
	}
	if t.time < 0 && t.hasStatistics() {
		return t.in.fail("the file has statistics of benchmarks (%s) and no time of a run: want a row for each run with its "+
			"time, or name the column of the time with --time", short(strings.Join(t.names, string(t.separator))))
	}
	if t.time < 0 {
		t.time = t.first(func(i int) bool {
			return taken(i) || slices.Contains(statistics, nameOf(t.names[i]).words)
		}, numeric)
	}
	if t.time < 0 {
		t.time = t.first(taken, empty, texts)
	}
	if value < 0 {
		value = t.first(taken, numeric)
	}
	if value < 0 {
		value = t.first(taken, empty, texts, dates)
	}
	t.values = []int{value}
	t.chooseMore(taken)
	t.y, t.cells = make([][]float64, len(t.values)), make([][]string, len(t.names))
	t.units = unknownUnits(len(t.values))
	return nil
}

// hasStatistics reports whether the rows are statistics, as hyperfine and BenchmarkDotNet write them: a mean and its
// scatter.
func (t *runTable) hasStatistics() bool {
	has := func(names ...string) bool { return t.find(names, noneTaken) >= 0 }
	return has("mean", "average", "avg") && has(scatterNames...)
}

// first returns the first free column of one of the kinds, or -1.
func (t *runTable) first(taken func(int) bool, kinds ...kind) int {
	for i := range t.names {
		if !taken(i) && slices.Contains(kinds, t.kind(i)) {
			return i
		}
	}
	return -1
}

// chooseMore adds the other columns of numbers to the values if no column is known as the value by its name. It skips
// columns with names of metadata or parameters: those that end in _s, start, nodes, ignoredNames and parameterNames.
func (t *runTable) chooseMore(taken func(int) bool) {
	if t.named || !t.headed {
		return
	}
	for i, name := range t.names {
		words := nameOf(name).words
		if taken(i) || i == t.values[0] || t.kind(i) != numeric || strings.HasSuffix(name, "_s") ||
			words == "start" || words == "nodes" ||
			slices.Contains(ignoredNames, words) || slices.Contains(parameterNames, words) {
			continue
		}
		t.values = append(t.values, i)
	}
}

// add adds the run of a row. It returns an error if the time or a value cannot be read, if a unit differs from that of
// the rows before, or if the file has too many runs or cells.
func (t *runTable) add(cells [][]byte) error {
	m, err := parseMoment(string(cells[t.time]))
	if err != nil {
		return fmt.Errorf("parse the time of the run: %w", err)
	}
	if len(t.given) >= t.in.limits.Rows {
		return tooManyRuns(t.in.limits.Rows)
	}
	if len(t.given)*len(t.names) >= t.in.limits.Values {
		return fmt.Errorf("the file has more than %d cells: %w", t.in.limits.Values, errTooLarge)
	}
	for k, i := range t.values {
		v, unit, ok := t.number(cells[i])
		if !ok {
			return fmt.Errorf("column %s: invalid value %q: want a number", t.names[i], short(cells[i]))
		}
		if t.units[k] == unknownUnit && !math.IsNaN(v) {
			t.units[k] = unit
		}
		if unit != t.units[k] && !math.IsNaN(v) {
			return fmt.Errorf("column %s: the unit of %q differs from that of the rows before: use one unit", t.names[i],
				short(cells[i]))
		}
		t.y[k] = append(t.y[k][:len(t.given)], v)
	}
	t.given = append(t.given, m)
	for i, s := range cells {
		if i != t.time && !slices.Contains(t.values, i) {
			t.cells[i] = append(t.cells[i], t.words.word(s))
		}
	}
	return nil
}

// series returns the series of the value columns, each divided by the values of the group column if there is
// one, else by application, shape and benchmark.
func (t *runTable) series() []Runs {
	if t.unit == Auto {
		t.unit = unitOfAll(t.given)
	}
	t.dividing = t.namingColumns()
	var all []Runs
	for k := range t.values {
		one := Runs{}
		one.ID = lineID(0)
		if len(t.values) > 1 {
			one.ID, one.rows = t.names[t.values[k]], t.in.name
		}
		if err := t.fill(&one, k); err != nil {
			all = append(all, badRuns(one.ID, err.Error()))
			continue
		}
		if t.group >= 0 {
			all = append(all, one.divide(t.names[t.group], t.cells[t.group])...)
			continue
		}
		parts := []Runs{one}
		for _, name := range t.dividing {
			parts = divideByName(parts, name)
		}
		all = append(all, parts...)
	}
	for i := range all {
		if !all[i].Bad {
			all[i].finish()
		}
	}
	return all
}

// fill sets a series from value column k: its values, times, metric and unit, and from the other columns its start
// times, nodes, further metrics and metadata. It returns an error if the times cannot be converted.
func (t *runTable) fill(in *Runs, k int) error {
	in.Y = t.y[k]
	if in.Y == nil {
		in.Y = []float64{}
	}
	if err := in.setTimes(slices.Clone(t.given), t.unit); err != nil {
		return err
	}
	in.Also, in.Meta = map[string][]float64{}, map[string][]string{}
	if name := t.names[t.values[k]]; t.headed && name != "value" && name != "y" {
		in.Metric = name
	}
	switch unit := t.units[k]; unit {
	case durationUnit:
		in.Unit = "s"
	case unknownUnit:
		in.Unit = noUnit
	default:
		in.Unit = unit
	}
	for i, name := range t.names {
		if i == t.time || i == t.group || slices.Contains(t.values, i) {
			continue
		}
		values, isNumbers := t.columnNumbers(t.cells[i])
		switch {
		case name == "start" && isNumbers:
			in.Start = values
		case name == appColumn || name == shapeColumn: // even if they are numbers
			in.Meta[name] = slices.Clone(t.cells[i])
		case name == "nodes" && !isNumbers:
			in.Nodes = nodeLists(t.cells[i])
		case strings.HasSuffix(name, "_s") && isNumbers:
			in.Also[name] = values
		default:
			in.Meta[name] = slices.Clone(t.cells[i])
		}
	}
	return nil
}

// columnNumbers returns a column as numbers; missing and infinite ones are NaN. It returns false if a cell is not a
// number or all cells are empty.
func (t *runTable) columnNumbers(cells []string) ([]float64, bool) {
	out := make([]float64, len(cells))
	some := false
	for i, s := range cells {
		v, _, ok := t.number([]byte(s))
		if !ok {
			return nil, false
		}
		if out[i] = v; math.IsInf(v, 0) {
			out[i] = math.NaN()
		}
		some = some || s != ""
	}
	return out, some
}

// divide returns one series for each value of a column, with the runs that have it, in the order of their first runs.
// The id of a series is "NAME=VALUE", after the id of the whole if that is not the default. cells has the column's
// value for each run.
func (in Runs) divide(name string, cells []string) []Runs {
	rows := map[string][]int{}
	var order []string
	for i, s := range cells {
		if rows[s] == nil {
			order = append(order, s)
		}
		rows[s] = append(rows[s], i)
	}
	var out []Runs
	for _, s := range order {
		one := in.arrange(rows[s])
		one.ID = name + "=" + s
		if in.ID != lineID(0) {
			one.ID = in.ID + " " + one.ID
		}
		if one.Order = rows[s]; in.Order != nil {
			one.Order = arranged(in.Order, rows[s])
		}
		out = append(out, one)
	}
	return out
}

// benchmarkNames are the columns that name what was measured, if they hold words: the runs of several benchmarks are
// not one history.
var benchmarkNames = []string{"suite", "benchmark", "bench", "benchmark name", "test", "test name", "testcase",
	"test case", "case", "scenario", "workload", "command", "name", "job name", "jobname", "metric", "metric name"}

// namingColumns returns the columns that divide the rows into series: app and shape, because runs of several
// applications or shapes are not one history, and those of benchmarkNames whose words repeat. It returns none if the
// user named a group column, which divides the rows instead. A column of times or values does not count.
func (t *runTable) namingColumns() []string {
	var names []string
	if !t.headed || t.group >= 0 {
		return nil
	}
	for i, name := range t.names {
		if i == t.time || slices.Contains(t.values, i) {
			continue
		}
		if name == appColumn || name == shapeColumn ||
			slices.Contains(benchmarkNames, nameOf(name).words) && t.kind(i) == texts && wordsRepeat(t.cells[i]) {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(namingOrder(a), namingOrder(b)) })
	return names
}

// namingOrder returns the place of a naming column among others: app, shape, benchmarks.
func namingOrder(name string) int {
	switch name {
	case appColumn:
		return 0
	case shapeColumn:
		return 1
	}
	return 2
}

// wordsRepeat reports whether cells hold at most half as many different words as there are cells, and more than one.
func wordsRepeat(cells []string) bool {
	seen := map[string]bool{}
	for _, s := range cells {
		if seen[s] = true; 2*len(seen) > len(cells) {
			return false
		}
	}
	return len(seen) > 1
}

const appColumn, shapeColumn = "app", "shape"

// divideByName divides each series by the values of a naming column, which becomes the App or Shape of the parts.
func divideByName(all []Runs, name string) []Runs {
	var out []Runs
	for _, one := range all {
		cells := one.Meta[name]
		parts := []Runs{one}
		if len(slices.Compact(slices.Sorted(slices.Values(cells)))) > 1 {
			parts = one.divide(name, cells)
		}
		for _, part := range parts {
			if cells = part.Meta[name]; len(cells) > 0 && name == appColumn {
				part.App = cells[0]
			} else if len(cells) > 0 && name == shapeColumn {
				part.Shape = cells[0]
			}
			delete(part.Meta, name)
			out = append(out, part)
		}
	}
	return out
}

// understood returns a text that says which columns are used for what.
func (t *runTable) understood() string {
	out := "time = " + t.names[t.time]
	numbers := slices.ContainsFunc(t.given, func(m Moment) bool { return m.Text == "" })
	if numbers && t.unit != Days {
		out += " (" + t.unit.String() + ")"
	}
	var names []string
	for _, i := range t.values {
		names = append(names, t.names[i])
	}
	if len(names) == 1 {
		out += ", value = " + names[0]
	} else {
		out += ", values = " + strings.Join(names, ", ")
	}
	if t.group >= 0 {
		out += ", a series for each " + t.names[t.group]
	} else if len(t.dividing) > 0 {
		out += ", a series for each " + strings.Join(t.dividing, " and ")
	}
	return out
}

// unitOfAll infers the unit of the numbers among times.
func unitOfAll(given []Moment) TimeUnit {
	largest := 0.0
	for _, m := range given {
		if m.Text == "" {
			largest = max(largest, math.Abs(m.Number))
		}
	}
	return unitOf(largest)
}

// setTimes converts the times of a series to days. With Auto the largest number decides on the unit. Numbers and texts
// must not be mixed, because they count from different beginnings; that, or a time beyond lastDay, is an error.
func (in *Runs) setTimes(given []Moment, u TimeUnit) error {
	if u == Auto {
		u = unitOfAll(given)
	}
	in.Given, in.T = given, make([]float64, len(given))
	for i, m := range given {
		d, calendar := m.days(u)
		if math.Abs(d) > lastDay {
			return fmt.Errorf("the time t = %s is out of range: set the unit of t with --t-unit", short(m.String()))
		}
		if i > 0 && calendar != in.Calendar {
			return errors.New("the time t is a number in some runs and a date in others: use one form")
		}
		in.T[i], in.Calendar = d, calendar
	}
	if !in.Calendar && slices.ContainsFunc(in.T, func(d float64) bool { return math.Abs(d) > calendarEnd }) {
		in.Notes = append(in.Notes, note.New(note.TimeUnit,
			"the times t are read as days, some beyond the year 9999: if they are in seconds, give --t-unit s"))
	}
	return nil
}
