package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"jobgait/analysis/quantity"
)

// legacy is Extra-P's older JSON: lists whose entries refer to each other by
// their place in the order of ids, from 1.
type legacy struct {
	doc                                         *document
	parameters, callpaths, metrics, coordinates []named
}

// named is an entry of any of the lists but the measurements.
type named struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Pairs []struct {
		Parameter int64    `json:"parameter_id"`
		Value     *textual `json:"parameter_value"`
	} `json:"parameter_value_pairs"`
}

// textual is a number that may stand in quotes.
type textual float64

// UnmarshalJSON reads a JSON number, a number in quotes, or null, which is NaN.
func (n *textual) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		v, err := plainNumber(s)
		*n = textual(v)
		return err
	}
	var v value
	err := json.Unmarshal(b, &v)
	*n = textual(v)
	return err
}

// plainNamed is a named that is read as it stands.
type plainNamed named

// UnmarshalJSON reads an entry, or a name alone as the newer JSON has it.
func (n *named) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &n.Name)
	}
	return json.Unmarshal(b, (*plainNamed)(n))
}

// named reads one of the lists, sorted by ids.
func (doc *document) named(list json.RawMessage) (out []named, err error) {
	doc.begin(list)
	err = doc.d.Decode(&out)
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, err
}

// lists reads the lists of call paths, metrics and coordinates, to which measurements refer. A list that is absent
// stays empty.
func (l *legacy) lists(callpaths, metrics, coordinates json.RawMessage) (err error) {
	for _, x := range []struct {
		to   *[]named
		from json.RawMessage
	}{{&l.callpaths, callpaths}, {&l.metrics, metrics}, {&l.coordinates, coordinates}} {
		if x.from == nil {
			continue
		}
		if *x.to, err = l.doc.named(x.from); err != nil {
			return err
		}
	}
	return nil
}

// measurements reads the list of measurements and adds their values to e. An entry has one value. It refers to a
// coordinate, a call path and a metric by their positions, from 1, in the lists sorted by id; another position is an
// error.
func (l *legacy) measurements(e *experiment) error {
	points, err := l.points(len(e.parameters))
	if err != nil {
		return err
	}
	return l.doc.list(func() error {
		var m struct {
			Coordinate int      `json:"coordinate_id"`
			Callpath   int      `json:"callpath_id"`
			Metric     int      `json:"metric_id"`
			Value      *textual `json:"value"`
		}
		if err := l.doc.d.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Coordinate < 1 || m.Coordinate > len(points):
			return fmt.Errorf("a measurement has coordinate_id %d, but the file has only %d coordinates: want one of these",
				m.Coordinate, len(points))
		case m.Callpath < 1 || m.Callpath > len(l.callpaths):
			return fmt.Errorf("a measurement has callpath_id %d, but the file has only %d callpaths: want one of these",
				m.Callpath, len(l.callpaths))
		case m.Metric < 1 || m.Metric > len(l.metrics):
			return fmt.Errorf("a measurement has metric_id %d, but the file has only %d metrics: want one of these",
				m.Metric, len(l.metrics))
		case m.Value == nil:
			return errors.New("a measurement has no \"value\": every measurement needs one")
		}
		set := e.of(l.callpaths[m.Callpath-1].Name, l.metrics[m.Metric-1].Name)
		return set.add(points[m.Coordinate-1], []float64{float64(*m.Value)})
	})
}

// points returns the d values of each coordinate, in the order of the parameters. A coordinate that lacks a parameter's
// value, or has further ones, is an error.
func (l *legacy) points(d int) ([][]float64, error) {
	out := make([][]float64, len(l.coordinates))
	for i, c := range l.coordinates {
		sort.SliceStable(c.Pairs, func(a, b int) bool { return c.Pairs[a].Parameter < c.Pairs[b].Parameter })
		if len(c.Pairs) != d {
			return nil, fmt.Errorf("coordinate %d has %s for %s: want one value per parameter",
				c.ID, quantity.Plural(len(c.Pairs), "value"), quantity.Plural(d, "parameter"))
		}
		for k, pair := range c.Pairs {
			if pair.Value == nil || pair.Parameter != l.parameters[k].ID {
				return nil, fmt.Errorf("coordinate %d has no value for parameter %d: want one value per parameter",
					c.ID, l.parameters[k].ID)
			}
			out[i] = append(out[i], float64(*pair.Value))
		}
	}
	return out, nil
}
