package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"jobgait/analysis/quantity"
)

// What Extra-P calls measurements whose line does not say.
const (
	rootCallpath  = "<root>"
	defaultMetric = "<default>"
)

// pointLine is one measurement on one line of Extra-P's JSON Lines.
type pointLine struct {
	Params json.RawMessage `json:"params"`
	// Parameters is what Talpas calls Params.
	Parameters json.RawMessage `json:"parameters"`
	Callpath   *string         `json:"callpath"`
	Metric     *string         `json:"metric"`
	Value      values          `json:"value"`
}

// readPointLines reads Extra-P's JSON Lines or, if format is Talpas, lines of Talpas, from line on, which was read
// already. The order of the parameters is that of the first line; every line must name the same ones. A last line that
// is cut off is dropped.
func readPointLines(in *source, line []byte, format Format) (Measurements, error) {
	e := &experiment{in: in}
	for {
		if format == Talpas {
			line, _ = fromTalpas(line)
		}
		if err := e.pointLine(line); err != nil {
			if e.n > 0 && !json.Valid(plainJSON(line)) && in.dropCut() {
				return e.file(format)
			}
			return Measurements{}, in.fail("read the measurement: %w", jsonFault(err))
		}
		var err error
		switch line, err = in.nextContent(); {
		case err == io.EOF:
			return e.file(format)
		case err != nil:
			return Measurements{}, err
		}
	}
}

// pointLine reads one line of JSON Lines and adds its measurement.
func (e *experiment) pointLine(line []byte) error {
	var l pointLine
	if err := json.Unmarshal(plainJSON(line), &l); err != nil {
		return err
	}
	if l.Params == nil {
		l.Params = l.Parameters
	}
	switch {
	case l.Params == nil:
		return fmt.Errorf(`the line lacks "params": want {"params": {...}, "value": ...}`)
	case l.Value == nil:
		return fmt.Errorf(`the line lacks "value": want {"params": {...}, "value": ...}`)
	}
	point, err := e.point(l.Params)
	if err != nil {
		return err
	}
	callpath, metric := rootCallpath, defaultMetric
	if l.Callpath != nil {
		callpath = *l.Callpath
	}
	if l.Metric != nil {
		metric = *l.Metric
	}
	return e.of(callpath, metric).add(point, l.Value)
}

// point returns the values of a JSON object {"name":number,..} in the order of the parameters. The first point defines
// the parameters; an object with others, or without one of them, is an error.
func (e *experiment) point(raw json.RawMessage) ([]float64, error) {
	if e.parameters == nil {
		names, err := keysInOrder(raw)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("the measurement has an empty \"params\": name at least one parameter")
		}
		e.parameters = names
	}
	var at map[string]*float64
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, err
	}
	point := make([]float64, len(e.parameters))
	for i, name := range e.parameters {
		v, ok := at[name]
		if !ok || v == nil {
			return nil, fmt.Errorf("the line lacks parameter %q, which the first line has: want the same parameters",
				short(name))
		}
		point[i] = *v
	}
	if len(at) > len(point) {
		return nil, fmt.Errorf("the line has %s but the first line has %d: want the same parameters",
			quantity.Plural(len(at), "parameter"), len(point))
	}
	return point, nil
}

// keysInOrder returns the keys of a JSON object as they stand in it. Another JSON value, or a key that occurs
// twice, is an error.
func keysInOrder(raw json.RawMessage) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("\"params\" must be an object of parameters and their values")
	}
	var keys []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return nil, err
		}
		keys = append(keys, t.(string))
	}
	for i, k := range keys {
		for _, other := range keys[:i] {
			if k == other {
				return nil, fmt.Errorf("the line gives parameter %q twice: write it once", short(k))
			}
		}
	}
	return keys, nil
}
