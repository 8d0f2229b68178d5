package historyfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// table is a CSV file column by column.
type table struct {
	names  []string
	cells  [][]string
	time   int // column of the time
	value  int // column of the value
	given  []Moment
	values []float64
	words  map[string]string // one copy of each text: values repeat for months
}

// readCSV reads one series, a run a line. Line numbers are those of the file.
func readCSV(in *bufio.Reader, skipped int, o Options) ([]Input, error) {
	r := csv.NewReader(in)
	r.Comma, r.Comment = separator(in), '#'
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	t := table{words: map[string]string{}}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, syntaxError(err, skipped, o.Name)
		}
		if err := t.add(record, o.Limits); err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("%s:%d: read run: %w", o.Name, skipped+line, err)
		}
	}
	one := Input{}
	one.ID = lineID(0)
	if err := t.fill(&one, o.Unit); err != nil {
		return []Input{bad(one.ID, err.Error())}, nil
	}
	one.finish()
	return []Input{one}, nil
}

// syntaxError puts the file's line on an error of the CSV reader, which counts
// from where it began.
func syntaxError(err error, skipped int, name string) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: read run: %w", name, skipped+syntax.Line, syntax.Err)
	}
	return fmt.Errorf("%s: read: %w", name, err)
}

// separator is a comma, unless the first line has none and has others.
func separator(in *bufio.Reader) rune {
	head, _ := in.Peek(in.Size())
	head, _, _ = bytes.Cut(head, []byte("\n"))
	for _, c := range []rune{',', ';', '\t'} {
		if bytes.ContainsRune(head, c) {
			return c
		}
	}
	return ','
}

// add takes one record: the header if it is the first and holds no run.
func (t *table) add(record []string, limits Limits) error {
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	if t.names == nil {
		if len(record) < 2 {
			return errors.New("a run needs a time and a value: two columns at least")
		}
		if len(record) > limits.Columns {
			return fmt.Errorf("%d columns: %w", len(record), errTooLarge)
		}
		if t.cells = make([][]string, len(record)); t.header(record) {
			return t.twice()
		}
	}
	m, err := parseMoment(record[t.time])
	if err != nil {
		return fmt.Errorf("time %w", err)
	}
	v, ok := number(record[t.value])
	if !ok {
		return fmt.Errorf("value %q is no number", clip(record[t.value]))
	}
	if len(t.values) >= limits.Runs {
		return fmt.Errorf("more than %d runs: %w", limits.Runs, errTooLarge)
	}
	t.given, t.values = append(t.given, m), append(t.values, v)
	for i, s := range record {
		if i != t.time && i != t.value {
			t.cells[i] = append(t.cells[i], t.word(s))
		}
	}
	return nil
}

// header takes the names of the columns, or makes them up if the record is a
// run. The time is the column t and the value the column value, else the first
// and the second.
func (t *table) header(record []string) bool {
	_, err := parseMoment(record[0])
	_, isValue := number(record[1])
	if err == nil && isValue {
		t.names, t.value = make([]string, len(record)), 1
		for i := range t.names {
			t.names[i] = fmt.Sprintf("column %d", i+1)
		}
		return false
	}
	t.names = slices.Clone(record)
	t.time, t.value = max(0, slices.Index(t.names, "t")), slices.Index(t.names, "value")
	if t.value < 0 {
		t.value = slices.Index(t.names, "y")
	}
	if t.value < 0 {
		if t.value = 1; t.time == 1 {
			t.value = 0
		}
	}
	if t.time == t.value { // the value is in the first column and nothing is called t
		t.time = 1
	}
	return true
}

// twice refuses a header in which two columns have one name.
func (t *table) twice() error {
	for i, name := range t.names {
		if slices.Index(t.names, name) != i {
			return fmt.Errorf("column %q is there twice", clip(name))
		}
	}
	return nil
}

func (t *table) word(s string) string {
	const most = 1 << 16
	if w, ok := t.words[s]; ok {
		return w
	}
	s = strings.Clone(s)
	if len(t.words) < most {
		t.words[s] = s
	}
	return s
}

// fill makes a series of the columns.
func (t *table) fill(in *Input, u Unit) error {
	in.Y = t.values
	if in.Y == nil {
		in.Y = []float64{}
	}
	if err := in.setTimes(t.given, u); err != nil {
		return err
	}
	in.Also, in.Meta = map[string][]float64{}, map[string][]string{}
	if t.names != nil && t.names[t.value] != "value" && t.names[t.value] != "y" && !strings.HasPrefix(t.names[t.value], "column ") {
		in.Metric = t.names[t.value]
	}
	for i, name := range t.names {
		if i == t.time || i == t.value {
			continue
		}
		values, isNumbers := columnNumbers(t.cells[i])
		switch {
		case name == "start" && isNumbers:
			in.Start = values
		case name == "nodes":
			in.Nodes = nodeLists(t.cells[i])
		case strings.HasSuffix(name, "_s") && isNumbers:
			in.Also[name] = values
		default:
			in.Meta[name] = t.cells[i]
		}
	}
	return nil
}

// columnNumbers returns a column as numbers, false if a cell is none or all
// are empty.
func columnNumbers(cells []string) ([]float64, bool) {
	out := make([]float64, len(cells))
	some := false
	for i, s := range cells {
		v, ok := number(s)
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
