package experimentfile

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/scaling"
)

// table reads the lines of one CSV file.
type table struct {
	in      *lines
	comma   rune
	columns []role
	names   []string
	has     [nodeHours + 1]bool
	out     []scaling.Series
	index   map[[2]string]int
}

func readCSV(in *lines, first string) (File, error) {
	t := &table{in: in, comma: separator(first), index: map[[2]string]int{}}
	fields, err := t.split(first)
	if err != nil {
		return File{}, err
	}
	headed, err := t.head(fields)
	if err != nil {
		return File{}, err
	}
	if !headed {
		err = t.row(fields)
	}
	for err == nil {
		var line []byte
		if line, err = in.nextContent(); err != nil {
			break
		}
		if fields, err = t.split(string(line)); err == nil {
			err = t.row(fields)
		}
	}
	if err != io.EOF {
		return File{}, err
	}
	if len(t.out) == 0 {
		return File{}, in.fail("a header and no measurements")
	}
	return File{Format: CSV, Series: t.out}, nil
}

// separator is a comma unless the first line has none and something else.
func separator(line string) rune {
	for _, c := range ",;\t" {
		if strings.ContainsRune(line, c) {
			return c
		}
	}
	return ' '
}

func (t *table) split(line string) ([]string, error) {
	if t.comma == ' ' {
		return strings.Fields(line), nil
	}
	if !strings.ContainsRune(line, '"') {
		fields := strings.Split(line, string(t.comma))
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		return fields, nil
	}
	r := csv.NewReader(strings.NewReader(line))
	r.Comma, r.TrimLeadingSpace = t.comma, t.comma != '\t'
	fields, err := r.Read()
	if err != nil {
		return nil, t.in.fail("quotes that do not close or stand inside a field")
	}
	return fields, nil
}

// row adds one line to its series.
func (t *table) row(fields []string) error {
	if len(fields) != len(t.columns) {
		return t.in.fail("%s where %d are wanted", note.Count(len(fields), "column"), len(t.columns))
	}
	o, id, name, err := t.facts(fields)
	for i, c := range t.columns {
		if c != metric || err != nil {
			continue
		}
		if o.Value, err = number(fields[i]); err == nil {
			t.add(id, name, t.names[i], o)
		}
	}
	if err != nil {
		return t.in.fail("%w", err)
	}
	return nil
}

// facts reads what a line says besides its values.
func (t *table) facts(fields []string) (o scaling.Observation, id, name string, err error) {
	for i, f := range fields {
		switch t.columns[i] {
		case parameter:
			if o.P, err = number(f); err == nil && o.P != o.P {
				err = fmt.Errorf("no %s in this line", t.names[i])
			}
		case nodeHours:
			if o.NodeHours, err = number(f); !(o.NodeHours >= 0) {
				o.NodeHours = 0
			}
		case series:
			id = f
		case metricOf:
			name = f
		case group:
			o.Group = f
		}
		if err != nil {
			break
		}
	}
	return o, id, name, err
}

// add appends an observation to the series of an id and a metric.
func (t *table) add(id, metricName, column string, o scaling.Observation) {
	if metricName == "" {
		metricName = column
	}
	key := [2]string{id, metricName}
	i, ok := t.index[key]
	if !ok {
		i = len(t.out)
		t.index[key] = i
		t.out = append(t.out, scaling.Series{ID: t.title(key), Parameter: t.names[t.first(parameter)], Metric: key[1]})
	}
	t.out[i].Observations = append(t.out[i].Observations, o)
}

// title is the id of a series: its own, and its metric's where there are
// several. A file of one series has the id "0", as its first line would.
func (t *table) title(key [2]string) string {
	several := t.has[metricOf]
	metrics := 0
	for _, c := range t.columns {
		if c == metric {
			metrics++
		}
	}
	several = several || metrics > 1
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
