package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// objectRows are JSON objects as rows of a table: each object is a row, each of its fields a cell. The columns are the
// fields of all objects in the order in which they appear first.
type objectRows struct {
	names []string
	place map[string]int
	rows  [][]string
	lines []int // of the rows in the input
	cells int
}

// field is a field of a JSON object that holds one value. The name of a field of an inner object is that of the inner
// object, a point and its own.
type field struct{ name, text string }

// flatFields returns the fields of a JSON object. ok is false if the text is not an object, or if a value is a list or
// an object in an inner object.
func flatFields(object []byte) (fields []field, ok bool) {
	if !json.Valid(object) || bytes.TrimSpace(object)[0] != '{' {
		return nil, false
	}
	return appendFields(nil, "", object)
}

// appendFields appends the fields of a valid JSON object to list; prefix stands before their names.
func appendFields(list []field, prefix string, object []byte) (_ []field, ok bool) {
	const blanks = ", \t\r\n"
	rest := object[bytes.IndexByte(object, '{')+1:]
	for {
		if rest = bytes.TrimLeft(rest, blanks); len(rest) == 0 || rest[0] != '"' {
			return list, true
		}
		n := valueLength(rest)
		var name string
		if json.Unmarshal(rest[:n], &name) != nil {
			return nil, false
		}
		rest = bytes.TrimLeft(rest[n:], ":"+blanks)
		n = valueLength(rest)
		value := rest[:n]
		switch rest = rest[n:]; {
		case value[0] == '[' || value[0] == '{' && prefix != "":
			return nil, false
		case value[0] == '{':
			if list, ok = appendFields(list, name+".", value); !ok {
				return nil, false
			}
		case value[0] == '"':
			var text string
			if json.Unmarshal(value, &text) != nil {
				return nil, false
			}
			list = append(list, field{prefix + name, text})
		case string(value) == "null":
			list = append(list, field{prefix + name, ""})
		default:
			list = append(list, field{prefix + name, string(value)})
		}
	}
}

// isRow reports whether a JSON object is a row of a table: its values are single ones, a field has one of the given
// names and kinds, and another one is a number.
func isRow(object []byte, names []string, kinds ...kind) bool {
	fields, ok := flatFields(plainJSON(bytes.TrimSpace(object)))
	named, numbers := 0, 0
	var r csvReader
	for _, f := range fields {
		k := r.kindOf(f.text)
		isNamed := slices.Contains(names, nameOf(f.name).words) && slices.Contains(kinds, k)
		switch {
		case isNamed:
			named++
		case k == numeric:
			numbers++
		}
	}
	return ok && named > 0 && named+numbers > 1
}

// isRunObject reports whether a JSON object is one run: it has a time and a number.
func isRunObject(object []byte) bool { return isRow(object, timeNames, numeric, dates) }

// isMeasurementObject reports whether a JSON object is one measurement: it has a parameter and a number.
func isMeasurementObject(object []byte) bool { return isRow(object, parameterNames, numeric) }

// add adds the object of a line. It returns an error if the text is not an object of single values, or beyond the
// limits.
func (o *objectRows) add(object []byte, line int, limits Limits) error {
	fields, ok := flatFields(plainJSON(object))
	if !ok {
		return fmt.Errorf("the entry is not a JSON object of single values, as the entries before it are: correct or " +
			"remove it")
	}
	row := make([]string, len(o.names), len(o.names)+len(fields))
	for _, f := range fields {
		i, known := o.place[f.name]
		if !known {
			if i = len(o.names); i >= limits.Columns {
				return fmt.Errorf("the objects have more than %d fields: %w", limits.Columns, errTooLarge)
			}
			o.names, o.place[f.name] = append(o.names, f.name), i
		}
		for len(row) <= i {
			row = append(row, "")
		}
		row[i] = f.text
	}
	o.rows, o.lines = append(o.rows, row), append(o.lines, line)
	if o.cells += len(o.names); len(o.rows) > limits.Rows || o.cells > limits.Values {
		return fmt.Errorf("the file has more than %d runs or %d values: %w", limits.Rows, limits.Values, errTooLarge)
	}
	return nil
}

// readObjectLines reads one JSON object from each line; first is a line that was read before, nil if none was. A last
// line that is cut off is dropped.
func readObjectLines(in *source, first []byte) (*csvReader, error) {
	o := &objectRows{place: map[string]int{}}
	for line := first; ; line = nil {
		if line == nil {
			var err error
			if line, err = in.nextContent(); err == io.EOF {
				return o.reader(in), nil
			} else if err != nil {
				return nil, err
			}
		}
		if err := o.add(line, in.number, in.limits); err != nil {
			if len(o.rows) > 0 && !json.Valid(plainJSON(line)) && in.dropCut() {
				continue
			}
			return nil, in.fail("read: %w", err)
		}
	}
}

// readObjectList reads the objects of a JSON list that begins in the given line of the input.
func readObjectList(in *source, list []byte, line int) (*csvReader, error) {
	o := &objectRows{place: map[string]int{}}
	all := plainJSON(list)
	var err error
	elements(all, func(entry []byte) bool {
		at := line + bytes.Count(all[:cap(all)-cap(entry)], []byte{'\n'})
		if err = o.add(entry, at, in.limits); err != nil {
			err = in.failAt(at, "read: %w", err)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return o.reader(in), nil
}

// reader returns the rows as those of a CSV file with a header. A row has the number of its line in the input, or a
// later one if several objects share a line.
func (o *objectRows) reader(in *source) *csvReader {
	var text bytes.Buffer
	line := 1
	quote := strings.NewReplacer(`"`, `""`, "\n", " ", "\r", " ")
	for k, row := range o.rows {
		for ; line < o.lines[k]; line++ {
			text.WriteByte('\n')
		}
		for i := range o.names {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString(`"` + quote.Replace(cell) + `"`)
		}
		text.WriteByte('\n')
		line++
	}
	limits := in.limits
	limits.Bytes, limits.Line = math.MaxInt64, math.MaxInt32
	r := &csvReader{in: newSource(&text, in.name, limits), dialect: dialect{','}, names: o.names, headed: true}
	r.sample = slices.DeleteFunc(slices.Clone(o.rows[:min(len(o.rows), sampleLines)]), func(row []string) bool {
		return len(row) < len(r.names)
	})
	return r
}
