package table

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"jobgait/analysis/quantity"
)

// document is a JSON value that is read piece by piece, so that a fault has the line it
// stands in.
type document struct {
	in *source
	// format is for errors; "" is Extra-P JSON.
	format Format
	d      *json.Decoder
	all    []byte // of the input
	from   int    // where the value begins in it
	line   int    // that the input begins with
}

// measurement is one point of Extra-P's JSON.
type measurement struct {
	Point  values `json:"point"`
	Values values `json:"values"`
}

// readDocument reads a JSON document of Extra-P, hyperfine, Google Benchmark, pytest-benchmark or JMH; first is its
// first line, which was read already. A list is of JMH, or of objects that are rows of a table, whose columns by names.
// The keys of an object decide on the others; Extra-P's older form has a key "callpaths", as Extra-P itself decides. A
// result file of the Phoronix Test Suite is an error.
func readDocument(in *source, first []byte, by Columns) (Measurements, error) {
	doc := &document{in: in, line: in.number}
	more, err := in.rest()
	if err != nil {
		return Measurements{}, err
	}
	doc.all = plainJSON(append(append(first, '\n'), more...))
	if isListOf(doc.all, isMeasurementObject) {
		rows, err := readObjectList(in, doc.all, doc.line)
		if err != nil {
			return Measurements{}, err
		}
		return readMeasurementTable(rows, by)
	}
	if first[0] != '{' {
		if !bytes.Contains(doc.all, []byte(`"primaryMetric"`)) {
			return Measurements{}, in.failAt(doc.line, "the file is a JSON list, but not of JMH: write one JSON object per "+
				"line, with a parameter and a value, or Extra-P's JSON format")
		}
		return doc.jmh()
	}
	keys, err := doc.keys()
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	switch {
	case keys["benchmarks"] != nil && keys["machine_info"] != nil:
		return doc.pytestBenchmark(keys["benchmarks"])
	case keys["benchmarks"] != nil:
		return doc.googleBenchmark(keys["benchmarks"])
	case keys["systems"] != nil && keys["results"] != nil:
		doc.format = "Phoronix JSON"
		return Measurements{}, doc.fail(errPhoronixSizes)
	case keys["results"] != nil && bytes.Contains(keys["results"], []byte(`"command"`)):
		return doc.hyperfine(keys["results"])
	case keys["parameters"] == nil && keys["measurements"] == nil:
		return Measurements{}, in.failAt(doc.line, "the JSON document contains no measurements at sizes: want the JSON of "+
			"Extra-P, hyperfine, Google Benchmark, pytest-benchmark, CodSpeed or JMH, or a table with a column for the size")
	case keys["parameters"] == nil || keys["measurements"] == nil:
		return Measurements{}, doc.fail(errors.New(`the JSON document lacks "parameters" or "measurements": want both`))
	}
	e := &experiment{in: in}
	parameters, err := doc.named(keys["parameters"])
	if err == nil && len(parameters) == 0 {
		err = errors.New("the list \"parameters\" of the file is empty: name at least one parameter")
	}
	if err != nil {
		return Measurements{}, doc.fail(err)
	}
	for _, n := range parameters {
		e.parameters = append(e.parameters, n.Name)
	}
	format, read := ExtraPJSON, doc.measurements
	if keys["callpaths"] != nil {
		old := &legacy{doc: doc, parameters: parameters}
		format, read = ExtraPLegacyJSON, old.measurements
		if err := old.lists(keys["callpaths"], keys["metrics"], keys["coordinates"]); err != nil {
			return Measurements{}, doc.fail(err)
		}
	}
	doc.begin(keys["measurements"])
	if err := read(e); err != nil {
		return Measurements{}, doc.fail(err)
	}
	return e.file(format)
}

// errCutOff is returned for a JSON document in a compressed file that is cut off.
var errCutOff = errors.New("the compressed file is cut off: copy it again")

// keys returns the values of the document's top-level object by key, without copying them.
func (doc *document) keys() (map[string][]byte, error) {
	if doc.in.broken {
		return nil, errCutOff
	}
	if err := json.Unmarshal(doc.all, &struct{}{}); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	rest := doc.all[bytes.IndexByte(doc.all, '{')+1:]
	for {
		rest = bytes.TrimLeft(rest, ", \t\r\n")
		if len(rest) == 0 || rest[0] != '"' {
			return out, nil
		}
		n := valueLength(rest)
		var key string
		if err := json.Unmarshal(rest[:n], &key); err != nil {
			return nil, err
		}
		rest = bytes.TrimLeft(rest[n:], ": \t\r\n")
		n = valueLength(rest)
		out[key], rest = rest[:n], rest[n:]
	}
}

// begin starts decoding one value of the input, which must be a part of doc.all.
func (doc *document) begin(value []byte) {
	doc.from = cap(doc.all) - cap(value) // value is a part of all
	doc.d = json.NewDecoder(bytes.NewReader(value))
}

// fail returns err with the name of the input, the line at which decoding stopped or the syntax is wrong, and the
// format.
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
	return doc.in.failAt(doc.line+bytes.Count(before, []byte{'\n'}), "%s: %w", cmp.Or(doc.format, ExtraPJSON),
		jsonFault(err))
}

// object reads a JSON object and calls readMember with every key of it. readMember must read the value of that key.
func (doc *document) object(readMember func(key string) error) error {
	if err := doc.open('{'); err != nil {
		return err
	}
	for doc.d.More() {
		t, err := doc.d.Token()
		if err != nil {
			return err
		}
		if err := readMember(t.(string)); err != nil {
			return err
		}
	}
	_, err := doc.d.Token()
	return err
}

// list reads a JSON list and calls readElement before every entry of it. readElement must read the entry.
func (doc *document) list(readElement func() error) error {
	if err := doc.open('['); err != nil {
		return err
	}
	for doc.d.More() {
		if err := readElement(); err != nil {
			return err
		}
	}
	_, err := doc.d.Token()
	return err
}

// open reads the opening delimiter of an object or a list.
func (doc *document) open(want json.Delim) error {
	t, err := doc.d.Token()
	if err != nil {
		return err
	}
	if t != want {
		kind := map[json.Delim]string{'{': "an object", '[': "a list"}[want]
		return fmt.Errorf("the file has another JSON value here: want %s", kind)
	}
	return nil
}

// measurements reads an object of call paths, each an object of metrics, each a list of points with their values, and
// adds the values to e.
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
					return fmt.Errorf("the point has %s but the file has %s: want one value per parameter",
						quantity.Plural(len(m.Point), "value"), quantity.Plural(len(e.parameters), "parameter"))
				case m.Values == nil:
					return errors.New(`a measurement has a point but no "values": want both`)
				}
				return s.add(m.Point, m.Values)
			})
		})
	})
}
