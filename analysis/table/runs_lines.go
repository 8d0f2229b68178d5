package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// runLines reads JSON lines of one series each. Series of one suite have the same runs: a list that is written
// as in the line before shares its memory.
type runLines struct {
	unit   TimeUnit
	words  intern
	times  *repeatedList[Moment]
	fields map[string]*repeatedList[string] // by name
}

// newRunLines returns a reader of lines whose numbers as times have the given unit.
func newRunLines(unit TimeUnit) runLines {
	return runLines{unit: unit, words: intern{}, times: new(repeatedList[Moment]),
		fields: map[string]*repeatedList[string]{}}
}

// repeatedList is the last list read, and its text.
type repeatedList[T any] struct {
	text []byte
	list []T
}

// read returns the list of a text: the last one if the text is the same, else that of parse. Lists are shared,
// so that callers must not modify them.
func (r *repeatedList[T]) read(text []byte, parse func() ([]T, error)) ([]T, error) {
	if r.list != nil && bytes.Equal(text, r.text) {
		return r.list, nil
	}
	list, err := parse()
	if err != nil {
		r.list = nil
		return nil, err
	}
	r.text, r.list = append(r.text[:0], text...), slices.Clip(list)
	return r.list, nil
}

// readRunLines reads one series from each line. A last line that is cut off is dropped.
func readRunLines(in *source, o RunOptions) ([]Runs, error) {
	all := []Runs{}
	runs, values, noSeries := 0, 0, true
	l := newRunLines(o.Unit)
	for {
		text, err := in.nextContent()
		if err == io.EOF {
			if noSeries && len(all) > 0 {
				return nil, in.failAt(1, "read series: no line has the lists t and y: write one series per line, or one run "+
					"per line with a time and a number")
			}
			markRepeated(all)
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if values += countEntries(text); values > o.Limits.Values {
			return nil, in.fail("read series: the file has more than %d values: %w", o.Limits.Values, errTooLarge)
		}
		one, why := l.series(bytes.TrimSpace(text), in.number-1)
		if why != nil && len(all) > 0 && !json.Valid(plainJSON(text)) && in.dropCut() {
			continue
		}
		if why != nil {
			return nil, in.fail("read series: %w", why)
		}
		all = append(all, one)
		noSeries = noSeries && one.Bad && !bytes.Contains(text, []byte(`"y"`)) && !bytes.Contains(text, []byte(`"t"`))
		if runs += len(one.Y); runs > o.Limits.Rows || len(all) > o.Limits.Series {
			return nil, in.fail("read series: the file has more than %d runs or %d series: %w",
				o.Limits.Rows, o.Limits.Series, errTooLarge)
		}
	}
}

// series reads one line; line is its index, from 0. A line that is not a JSON object is an error. An object that holds
// no valid series becomes a bad series with the reason.
func (l runLines) series(text []byte, line int) (Runs, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(plainJSON(text), &keys); err != nil {
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			return Runs{}, fmt.Errorf("the line is a JSON %s: write one JSON object per line", other.Value)
		}
		return Runs{}, fmt.Errorf("the line is malformed JSON: %w: correct or remove it", err)
	}
	if keys == nil {
		return Runs{}, errors.New("the line is null: write one JSON object per line")
	}
	id, isNumber, err := idOf(keys["id"], line)
	one := Runs{}
	if one.ID = id; err == nil {
		err = l.fill(&one, keys)
	}
	if err != nil {
		one = badRuns(id, err.Error())
	} else {
		one.finish()
	}
	one.NumberID = isNumber
	return one, nil
}

// idOf returns a series' id: a text, a number as it is written, or the line's number if it has no id.
func idOf(raw json.RawMessage, line int) (id string, isNumber bool, err error) {
	switch {
	case absent(raw):
		return lineID(line), false, nil
	case json.Unmarshal(raw, &id) == nil:
		return id, false, nil
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String(), true, nil
	}
	return lineID(line), false, errors.New("the series has an invalid id: want a text or a number")
}

// absent reports whether a JSON value is missing or null.
func absent[T ~[]byte](raw T) bool { return len(raw) == 0 || string(raw) == "null" }

// fill sets a series from the keys of a line. All lists must have as many entries as y.
func (l runLines) fill(in *Runs, keys map[string]json.RawMessage) error {
	var err error
	if absent(keys["t"]) || absent(keys["y"]) {
		return errors.New("the series has no t or no y: both lists are required")
	}
	if in.Y, err = numbers("y", keys["y"]); err != nil {
		return err
	}
	given, err := l.times.read(keys["t"], func() ([]Moment, error) { return l.moments(keys["t"]) })
	if err != nil {
		return err
	}
	if len(given) != len(in.Y) {
		return lengthError("t", len(given), len(in.Y))
	}
	if err := in.setTimes(given, l.unit); err != nil {
		return err
	}
	return l.fillRest(in, keys)
}

// lengthError returns the error for a list that is not as long as y.
func lengthError(what string, n, values int) error {
	entries := "entries"
	if n == 1 {
		entries = "entry"
	}
	return fmt.Errorf("%s has %d %s but y has %d values: give both the same length", what, n, entries, values)
}

// fillRest sets the optional parts of a series: start, also, meta, nodes and the names. A list of another length than y
// is an error; a name that is not text is ignored.
func (l runLines) fillRest(in *Runs, keys map[string]json.RawMessage) error {
	var err error
	n := len(in.Y)
	if !absent(keys["start"]) {
		if in.Start, err = numbers("start", keys["start"]); err != nil {
			return err
		}
		if len(in.Start) != n {
			return lengthError("start", len(in.Start), n)
		}
	}
	var also map[string]json.RawMessage
	if err := optional("also", keys["also"], &also); err != nil {
		return err
	}
	in.Also = make(map[string][]float64, len(also))
	for name, raw := range also {
		if in.Also[name], err = numbers("also "+short(name), raw); err != nil {
			return err
		}
		if len(in.Also[name]) != n {
			return lengthError("also "+short(name), len(in.Also[name]), n)
		}
	}
	if err := l.fillFields(in, keys["meta"]); err != nil {
		return err
	}
	if err := l.fillNodes(in, keys["nodes"]); err != nil {
		return err
	}
	for name, to := range map[string]*string{"app": &in.App, "shape": &in.Shape, "metric": &in.Metric, "unit": &in.Unit,
		"user": &in.User, "machine": &in.Machine} {
		_ = json.Unmarshal(keys[name], to) // of another type: not a name, but no harm either
	}
	return nil
}

// fillNodes sets the nodes of each run. The name of a node may be a number.
func (l runLines) fillNodes(in *Runs, raw json.RawMessage) error {
	if absent(raw) {
		return nil
	}
	wrong := errors.New("the field nodes is invalid: want a list with a list of node names for each run")
	nodes := make([][]string, 0, len(in.Y))
	ok := elements(raw, func(list []byte) bool {
		var names []string
		ok := absent(list) || elements(list, func(name []byte) bool {
			isName := name[0] == '"' || name[0] == '-' || name[0] <= '9'
			names = append(names, l.word(name))
			return isName
		})
		nodes = append(nodes, names)
		return ok
	})
	if !ok {
		return wrong
	}
	if len(nodes) != len(in.Y) {
		return lengthError("nodes", len(nodes), len(in.Y))
	}
	in.Nodes = nodes
	return nil
}

// fillFields sets the metadata. Numbers and truth values are used as they are written; null means unknown.
func (l runLines) fillFields(in *Runs, raw json.RawMessage) error {
	if absent(raw) {
		return nil
	}
	var meta map[string]json.RawMessage
	wrong := errors.New("the field meta is invalid: want an object whose fields are lists, one value per run")
	if json.Unmarshal(raw, &meta) != nil {
		return wrong
	}
	in.Meta = make(map[string][]string, len(meta))
	for name, values := range meta {
		words, err := l.field(name).read(values, func() ([]string, error) {
			words := make([]string, 0, len(in.Y))
			if !elements(values, func(v []byte) bool {
				words = append(words, l.word(v))
				return true
			}) {
				return nil, wrong
			}
			return words, nil
		})
		if err != nil {
			return err
		}
		if len(words) != len(in.Y) {
			return lengthError("meta "+short(name), len(words), len(in.Y))
		}
		in.Meta[name] = words
	}
	return nil
}

// mostRepeatedFields bounds the fields whose last list is kept.
const mostRepeatedFields = 64

// field returns the list of the metadata field name that was read last, empty for a new field. Beyond
// mostRepeatedFields fields, lists are not kept.
func (l runLines) field(name string) *repeatedList[string] {
	last := l.fields[name]
	if last == nil {
		last = new(repeatedList[string])
		if len(l.fields) < mostRepeatedFields {
			l.fields[name] = last
		}
	}
	return last
}

// word returns a metadata value as text, null as ""; equal values share memory.
func (l runLines) word(v []byte) string {
	switch v[0] {
	case 'n':
		return ""
	case '"':
		if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
			return l.words.word(v[1 : len(v)-1])
		}
		var s string
		if json.Unmarshal(v, &s) != nil {
			return ""
		}
		return l.words.word([]byte(s))
	case '[', '{':
		var b bytes.Buffer
		if json.Compact(&b, v) != nil {
			return ""
		}
		return l.words.word(b.Bytes())
	}
	return l.words.word(v)
}

// elements calls handle with the entries of a valid JSON list, until it returns false. It
// returns false then, or if raw is not a list.
func elements(raw []byte, handle func(entry []byte) bool) bool {
	const blanks = " \t\r\n"
	raw = bytes.TrimLeft(raw, blanks)
	if len(raw) == 0 || raw[0] != '[' {
		return false
	}
	for raw = raw[1:]; ; {
		raw = bytes.TrimLeft(raw, blanks+",")
		if len(raw) == 0 || raw[0] == ']' {
			return true
		}
		n := valueLength(raw)
		if !handle(raw[:n]) {
			return false
		}
		raw = raw[n:]
	}
}

// optional decodes an optional value into to; it leaves to unchanged if the value is absent.
func optional(name string, raw json.RawMessage, to any) error {
	if absent(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("the field %s of the series has the wrong type: want an object of lists", name)
	}
	return nil
}

// numbers reads a list of numbers; null is NaN.
func numbers(name string, raw json.RawMessage) ([]float64, error) {
	out := make([]float64, 0, bytes.Count(raw, []byte{','})+1)
	ok := elements(raw, func(b []byte) bool {
		v := math.NaN()
		if d, n := scanDecimal(b); n == len(b) && n > 0 {
			v = d.float()
		} else if !absent(b) {
			var ok bool
			if v, ok = parseFloat(string(b)); !ok {
				return false
			}
		}
		out = append(out, v)
		return true
	})
	if !ok {
		return nil, fmt.Errorf("the field %s of the series is invalid: want a list of numbers", name)
	}
	return out, nil
}

// moments parses the JSON list of times of a series; each is a number or a text.
func (l runLines) moments(raw json.RawMessage) (out []Moment, err error) {
	out = make([]Moment, 0, bytes.Count(raw, []byte{','})+1)
	ok := elements(raw, func(b []byte) bool {
		switch {
		case b[0] == '"':
			m, bad := parseMoment(l.word(b))
			if bad != nil {
				err = fmt.Errorf("the time t of run %d is invalid: %w", len(out), bad)
				return false
			}
			out = append(out, m)
			return true
		case b[0] == '-' || b[0] <= '9':
			v, _ := parseFloat(string(b))
			out = append(out, Moment{Number: v})
			return true
		}
		err = fmt.Errorf("the time t of run %d is invalid: want a number or a text such as 2026-11-20T02:00", len(out))
		return false
	})
	if err == nil && !ok {
		err = errors.New("the field t of the series is invalid: want a list of times")
	}
	return out, err
}
