package experimentfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"jobgait/analysis/note"
)

// document is a JSON value that is read piece by piece, so that a fault has the line it
// stands in.
type document struct {
	in   *lines
	d    *json.Decoder
	all  []byte // of the input
	from int    // where the value begins in it
	line int    // that the input begins with
}

// measurement is one point of Extra-P's JSON.
type measurement struct {
	Point  values `json:"point"`
	Values values `json:"values"`
}

// readDocument reads Extra-P's JSON, or its older form if there is a key
// "callpaths", as Extra-P itself decides.
func readDocument(in *lines, first []byte) (File, error) {
	doc := &document{in: in, line: in.number}
	var err error
	if doc.all, err = in.rest(first); err != nil {
		return File{}, err
	}
	if first[0] != '{' {
		return File{}, in.failAt(doc.line, "a JSON list: an object a line is wanted, or Extra-P's JSON")
	}
	var keys struct{ Parameters, Measurements, Callpaths, Metrics, Coordinates json.RawMessage }
	if err := json.Unmarshal(doc.all, &keys); err != nil {
		return File{}, doc.fail(err)
	}
	if keys.Parameters == nil || keys.Measurements == nil {
		return File{}, doc.fail(errors.New(`no "parameters" and "measurements" in it`))
	}
	e := &experiment{in: in}
	parameters, err := doc.named(keys.Parameters)
	if err == nil && len(parameters) == 0 {
		err = errors.New("no parameters")
	}
	if err != nil {
		return File{}, doc.fail(err)
	}
	for _, n := range parameters {
		e.parameters = append(e.parameters, n.Name)
	}
	format, read := JSON, doc.measurements
	if keys.Callpaths != nil {
		old := &legacy{doc: doc, parameters: parameters}
		format, read = LegacyJSON, old.measurements
		if err := old.lists(keys.Callpaths, keys.Metrics, keys.Coordinates); err != nil {
			return File{}, doc.fail(err)
		}
	}
	doc.begin(keys.Measurements)
	if err := read(e); err != nil {
		return File{}, doc.fail(err)
	}
	return e.file(format)
}

// begin goes on with a value of the input.
func (doc *document) begin(value json.RawMessage) {
	doc.from = max(0, bytes.Index(doc.all, value))
	doc.d = json.NewDecoder(bytes.NewReader(value))
}

// fail adds the line to an error.
func (doc *document) fail(err error) error {
	at := int64(0)
	if doc.d != nil {
		at = int64(doc.from) + doc.d.InputOffset()
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	}
	before := bytes.TrimRight(doc.all[:min(max(at, 0), int64(len(doc.all)))], "\r\n\t ")
	return doc.in.failAt(doc.line+bytes.Count(before, []byte{'\n'}), "Extra-P JSON: %w", fault(err))
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
