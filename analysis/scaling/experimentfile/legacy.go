package experimentfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"jobgait/analysis/note"
)

// legacy is Extra-P's older JSON: lists whose entries refer to each other by
// their place in the order of ids, from 1.
type legacy struct {
	doc         *document
	callpaths   []named // nil: there is no such key, it is the newer JSON
	metrics     []named
	coordinates []named
	order       []int64 // ids of the parameters, sorted
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

func (n *textual) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		v, err := number(s)
		*n = textual(v)
		return err
	}
	var v value
	err := json.Unmarshal(b, &v)
	*n = textual(v)
	return err
}

// parameters reads the names of either form: ["p"] or [{"id":1,"name":"p"}].
func (l *legacy) parameters(e *experiment) error {
	var list []named
	err := l.doc.list(func() error {
		var raw json.RawMessage
		if err := l.doc.d.Decode(&raw); err != nil {
			return err
		}
		n := named{ID: int64(len(list))}
		var err error
		if bytes.HasPrefix(raw, []byte{'"'}) {
			err = json.Unmarshal(raw, &n.Name)
		} else {
			err = json.Unmarshal(raw, &n)
		}
		list = append(list, n)
		return err
	})
	sort.SliceStable(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	e.parameters, l.order = []string{}, nil
	for _, n := range list {
		e.parameters, l.order = append(e.parameters, n.Name), append(l.order, n.ID)
	}
	if err == nil && len(list) == 0 {
		return errors.New("no parameters")
	}
	return err
}

// list reads one of the lists.
func (l *legacy) list(key string) error {
	out := []named{}
	err := l.doc.list(func() error {
		var n named
		if err := l.doc.d.Decode(&n); err != nil {
			return err
		}
		out = append(out, n)
		return nil
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	switch key {
	case "callpaths":
		l.callpaths = out
	case "metrics":
		l.metrics = out
	default:
		l.coordinates = out
	}
	return err
}

// measurements reads one value an entry and finds what it refers to.
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
			return fmt.Errorf("coordinate_id %d where there are %d", m.Coordinate, len(points))
		case m.Callpath < 1 || m.Callpath > len(l.callpaths):
			return fmt.Errorf("callpath_id %d where there are %d", m.Callpath, len(l.callpaths))
		case m.Metric < 1 || m.Metric > len(l.metrics):
			return fmt.Errorf("metric_id %d where there are %d", m.Metric, len(l.metrics))
		case m.Value == nil:
			return errors.New("a measurement without value")
		}
		e.of(l.callpaths[m.Callpath-1].Name, l.metrics[m.Metric-1].Name).add(points[m.Coordinate-1], []float64{float64(*m.Value)})
		return nil
	})
}

// points are the coordinates with their values in the order of the parameters.
func (l *legacy) points(d int) ([][]float64, error) {
	out := make([][]float64, len(l.coordinates))
	for i, c := range l.coordinates {
		sort.SliceStable(c.Pairs, func(a, b int) bool { return c.Pairs[a].Parameter < c.Pairs[b].Parameter })
		if len(c.Pairs) != d {
			return nil, fmt.Errorf("coordinate %d has %s where there are %s", c.ID, note.Count(len(c.Pairs), "value"), note.Count(d, "parameter"))
		}
		for k, pair := range c.Pairs {
			if pair.Value == nil || pair.Parameter != l.order[k] {
				return nil, fmt.Errorf("coordinate %d lacks parameter %d", c.ID, l.order[k])
			}
			out[i] = append(out[i], float64(*pair.Value))
		}
	}
	return out, nil
}
