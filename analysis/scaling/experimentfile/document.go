package experimentfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"jobgait/analysis/note"
)

// document is one JSON value that is read piece by piece, so that a fault has
// the line it stands in.
type document struct {
	in    *lines
	bytes []byte
	d     *json.Decoder
	first int // line of the first byte
}

// measurement is one point of Extra-P's JSON.
type measurement struct {
	Point  values `json:"point"`
	Values values `json:"values"`
}

// readDocument reads Extra-P's JSON, or its older form if there is a key
// "callpaths", as Extra-P itself decides.
func readDocument(in *lines, first []byte) (File, error) {
	line := in.number
	b, err := in.rest(first)
	if err != nil {
		return File{}, err
	}
	if first[0] != '{' {
		return File{}, in.failAt(line, "a JSON list: an object a line is wanted, or Extra-P's JSON")
	}
	doc := &document{in: in, bytes: b, d: json.NewDecoder(bytes.NewReader(b)), first: line}
	if err := json.Unmarshal(b, &nothing{}); err != nil {
		return File{}, doc.fail(err)
	}
	e := &experiment{in: in}
	format, err := doc.read(e)
	if err != nil {
		return File{}, doc.fail(err)
	}
	return e.file(format)
}

// read goes through the document twice: the measurements may stand before what
// they refer to.
func (doc *document) read(e *experiment) (Format, error) {
	old := &legacy{doc: doc}
	var starts int64 // where "measurements" begins
	err := doc.object(func(key string) error {
		switch key {
		case "measurements":
			starts = doc.d.InputOffset()
			return doc.skip()
		case "parameters":
			return old.parameters(e)
		case "callpaths", "metrics", "coordinates":
			return old.list(key)
		}
		return doc.skip()
	})
	switch {
	case err != nil:
		return "", err
	case starts == 0 || e.parameters == nil:
		return "", errors.New(`no "parameters" and "measurements" in it`)
	}
	doc.seek(starts)
	if old.callpaths != nil {
		return LegacyJSON, old.measurements(e)
	}
	return JSON, doc.measurements(e)
}

// fail adds the line to an error. Faults of syntax are found before anything is
// read, because a decoder that has read tokens does not know their place.
func (doc *document) fail(err error) error {
	at := doc.d.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	}
	at = min(max(at, 0), int64(len(doc.bytes)))
	before := bytes.TrimRight(doc.bytes[:at], "\r\n\t ")
	return doc.in.failAt(doc.first+bytes.Count(before, []byte{'\n'}), "Extra-P JSON: %w", fault(err))
}

// seek goes on reading behind the colon at an offset.
func (doc *document) seek(to int64) {
	b := doc.bytes[to:]
	if i := bytes.IndexByte(b, ':'); i >= 0 {
		to += int64(i) + 1
	}
	for i := range doc.bytes[:to] { // blank what was read, so that offsets stay
		if doc.bytes[i] != '\n' {
			doc.bytes[i] = ' '
		}
	}
	doc.d = json.NewDecoder(bytes.NewReader(doc.bytes))
}

// object calls each with every key; each reads the value.
func (doc *document) object(each func(key string) error) error {
	if err := doc.open('{'); err != nil {
		return err
	}
	for doc.d.More() {
		t, err := doc.d.Token()
		if err != nil {
			return err
		}
		if err := each(t.(string)); err != nil {
			return err
		}
	}
	_, err := doc.d.Token()
	return err
}

// list calls each before every entry; each reads it.
func (doc *document) list(each func() error) error {
	if err := doc.open('['); err != nil {
		return err
	}
	for doc.d.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := doc.d.Token()
	return err
}

func (doc *document) open(want json.Delim) error {
	t, err := doc.d.Token()
	if err != nil {
		return err
	}
	if t != want {
		kind := map[json.Delim]string{'{': "an object", '[': "a list"}[want]
		return fmt.Errorf("%s is wanted here", kind)
	}
	return nil
}

// nothing is JSON of any kind that is not kept.
type nothing struct{}

func (*nothing) UnmarshalJSON([]byte) error { return nil }

func (doc *document) skip() error { return doc.d.Decode(&nothing{}) }

// measurements reads call path -> metric -> points.
func (doc *document) measurements(e *experiment) error {
	return doc.object(func(callpath string) error {
		return doc.object(func(metric string) error {
			s := e.of(callpath, metric)
			return doc.list(func() error {
				var m measurement
				if err := doc.d.Decode(&m); err != nil {
					return err
				}
				switch {
				case len(m.Point) != len(e.parameters):
					return fmt.Errorf("a point of %s where there are %s", note.Count(len(m.Point), "value"), note.Count(len(e.parameters), "parameter"))
				case m.Values == nil:
					return errors.New(`a point without "values"`)
				}
				s.add(m.Point, m.Values)
				return nil
			})
		})
	})
}
