package historyfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// readLines reads one series a line.
func readLines(in *bufio.Reader, line int, o Options) ([]Input, error) {
	all := []Input{}
	runs := 0
	for ; ; line++ {
		text, err := readLine(in, o.Limits.Line)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: read line: %w", o.Name, line+1, err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '#' {
			one, bad := readSeries(text, line, o.Unit)
			if bad != nil {
				return nil, fmt.Errorf("%s:%d: read series: %w", o.Name, line+1, bad)
			}
			all = append(all, one)
			if runs += len(one.Y); runs > o.Limits.Runs || len(all) > o.Limits.Series {
				return nil, fmt.Errorf("%s:%d: read series: more than %d runs or %d series: %w",
					o.Name, line+1, o.Limits.Runs, o.Limits.Series, errTooLarge)
			}
		}
		if err != nil {
			markRepeated(all)
			return all, nil
		}
	}
}

// readLine returns the next line; the last one comes with io.EOF.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > most {
			return nil, fmt.Errorf("more than %d bytes: %w", most, errTooLarge)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// readSeries reads one line. What is no JSON object is an error; an object
// that holds no history is a series without results.
func readSeries(text []byte, line int, u Unit) (Input, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			return Input{}, fmt.Errorf("a JSON %s: one object a line is wanted", other.Value)
		}
		return Input{}, fmt.Errorf("malformed JSON: %w", err)
	}
	if keys == nil {
		return Input{}, errors.New("null: one object a line is wanted")
	}
	id, isNumber, err := idOf(keys["id"], line)
	one := Input{}
	if one.ID = id; err == nil {
		err = one.fill(keys, u)
	}
	if err != nil {
		one = bad(id, err.Error())
	} else {
		one.finish()
	}
	one.NumberID = isNumber
	return one, nil
}

// idOf returns a series' id: a text, a number as it is written, or the line's
// number if there is none.
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
	return lineID(line), false, errors.New("id is neither a text nor a number")
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// fill takes what a line says. All lists must have as many entries as y.
func (in *Input) fill(keys map[string]json.RawMessage, u Unit) error {
	var err error
	if absent(keys["t"]) || absent(keys["y"]) {
		return errors.New("t or y is missing")
	}
	if in.Y, err = numbers("y", keys["y"]); err != nil {
		return err
	}
	given, err := moments(keys["t"])
	if err != nil {
		return err
	}
	if len(given) != len(in.Y) {
		return differ("t", len(given), len(in.Y))
	}
	if err := in.setTimes(given, u); err != nil {
		return err
	}
	return in.fillRest(keys)
}

// differ says that a list is not as long as y.
func differ(what string, n, values int) error {
	entries := "entries"
	if n == 1 {
		entries = "entry"
	}
	return fmt.Errorf("%s has %d %s, y has %d", what, n, entries, values)
}

// fillRest takes what may be absent.
func (in *Input) fillRest(keys map[string]json.RawMessage) error {
	var err error
	n := len(in.Y)
	if !absent(keys["start"]) {
		if in.Start, err = numbers("start", keys["start"]); err != nil {
			return err
		}
		if len(in.Start) != n {
			return differ("start", len(in.Start), n)
		}
	}
	var also map[string]json.RawMessage
	if err := optional("also", keys["also"], &also); err != nil {
		return err
	}
	in.Also = make(map[string][]float64, len(also))
	for name, raw := range also {
		if in.Also[name], err = numbers("also "+clip(name), raw); err != nil {
			return err
		}
		if len(in.Also[name]) != n {
			return differ("also "+clip(name), len(in.Also[name]), n)
		}
	}
	if err := in.fillFields(keys["meta"]); err != nil {
		return err
	}
	if err := in.fillNodes(keys["nodes"]); err != nil {
		return err
	}
	for name, to := range map[string]*string{"app": &in.App, "shape": &in.Shape, "metric": &in.Metric, "unit": &in.Unit,
		"user": &in.User, "machine": &in.Machine} {
		_ = json.Unmarshal(keys[name], to) // of another type: not a name, but no harm either
	}
	return nil
}

// fillNodes takes the nodes of each run. A node may be called by a number.
func (in *Input) fillNodes(raw json.RawMessage) error {
	if absent(raw) {
		return nil
	}
	var list [][]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		return errors.New("nodes is no list of lists of names")
	}
	if len(list) != len(in.Y) {
		return differ("nodes", len(list), len(in.Y))
	}
	in.Nodes = make([][]string, len(list))
	for i, names := range list {
		for _, v := range names {
			switch v.(type) {
			case string, json.Number:
				in.Nodes[i] = append(in.Nodes[i], word(v))
			default:
				return errors.New("nodes is no list of lists of names")
			}
		}
	}
	return nil
}

// fillFields takes the metadata. Numbers and truth values are taken as they are
// written; null is not known.
func (in *Input) fillFields(raw json.RawMessage) error {
	var meta map[string][]any
	if absent(raw) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // a version 1.10 is not 1.1
	if err := d.Decode(&meta); err != nil {
		return errors.New("meta is no object of lists")
	}
	in.Meta = make(map[string][]string, len(meta))
	for name, values := range meta {
		if len(values) != len(in.Y) {
			return differ("meta "+clip(name), len(values), len(in.Y))
		}
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = word(v)
		}
		in.Meta[name] = words
	}
	return nil
}

// word is a metadata value as text; values of one text share it.
func word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func optional(name string, raw json.RawMessage, to any) error {
	if absent(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s is not of its type", name)
	}
	return nil
}

// numbers reads a list of numbers; null is NaN.
func numbers(name string, raw json.RawMessage) ([]float64, error) {
	var list []*float64
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s is no list of numbers", name)
	}
	out := make([]float64, len(list))
	for i, v := range list {
		if out[i] = math.NaN(); v != nil {
			out[i] = *v
		}
	}
	return out, nil
}

// moments reads the list of times.
func moments(raw json.RawMessage) ([]Moment, error) {
	var list []any
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("t is no list")
	}
	out := make([]Moment, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case float64:
			out[i] = Moment{Number: v}
		case string:
			m, err := parseMoment(v)
			if err != nil {
				return nil, fmt.Errorf("t of run %d: %w", i, err)
			}
			out[i] = m
		default:
			return nil, fmt.Errorf("t of run %d is neither a number nor a text", i)
		}
	}
	return out, nil
}
