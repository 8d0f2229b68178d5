package job

import (
	"bytes"
	"math"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"jobgait/analysis/summary"
	"jobgait/reports/pagetest"
	"jobgait/reports/schema"
)

// closed returns the schema with every object closed to keys that it does not
// name, so that a key without a description fails here and nowhere else.
func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = closed(x)
		}
		if _, ok := v["required"]; ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
	case []any:
		for i, x := range v {
			v[i] = closed(x)
		}
	}
	return v
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Report))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report", closed(doc)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encode(t *testing.T, r Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestJSONFollowsSchema(t *testing.T) {
	s := compile(t)
	for _, run := range runs() {
		b := encode(t, New(run.s, run.past, options()))
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", run.name, err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", run.name, err)
		}
	}
}

func TestEmptySummaryFollowsSchema(t *testing.T) {
	for name, s := range map[string]summary.Summary{"empty": {},
		"not finite": {Start: math.NaN(), End: math.Inf(1), ElapsedS: math.NaN(),
			ImbalancePct: ptr(math.Inf(1)), Nodes: []summary.Node{{Name: "n", Reported: true, BusyCPUs: ptr(math.NaN())}}}} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(encode(t, New(s, nil, Options{Now: math.NaN()}))))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := compile(t).Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The golden file detects changes of keys and units. The timeline is left out: its numbers are those of the
// summary.
func TestJSONGolden(t *testing.T) {
	for _, run := range runs()[:2] {
		r := New(run.s, run.past[:3], options())
		r.Rhythm.Timeline.Columns = r.Rhythm.Timeline.Columns[:0]
		for i := range r.Rhythm.Patterns {
			s := &r.Rhythm.Patterns[i].Shape
			s.Mean, s.P10, s.P90 = s.Mean[:3], s.P10[:3], s.P90[:3]
			if d := r.Rhythm.Patterns[i].Drift; d != nil {
				d.Lengths.TS, d.Lengths.MeanS, d.Lengths.MaxS = d.Lengths.TS[:3], d.Lengths.MeanS[:3], d.Lengths.MaxS[:3]
			}
		}
		// A key a line, for those who read what changed.
		pagetest.Golden(t, run.name+".json", bytes.ReplaceAll(encode(t, r), []byte(`,"`), []byte(",\n\"")))
	}
}
