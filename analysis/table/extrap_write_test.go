package table

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/scaling"
)

// made returns a series over given points; several values of a point are repetitions.
func made(id, metric string, p []float64, y ...[]float64) scaling.Series {
	s := scaling.Series{ID: id, Parameter: "nodes", Metric: metric}
	for i, values := range y {
		for _, v := range values {
			s.Observations = append(s.Observations, scaling.Observation{P: p[i], Value: v})
		}
	}
	return s
}

func TestWrittenIsReadAgain(t *testing.T) {
	p := []float64{1, 2.5, 1e9}
	cases := [][]scaling.Series{
		{made("solve", "time", p, []float64{1, 2}, []float64{1e-300}, []float64{0.1})},
		{made("a|time", "time", p, []float64{1}, []float64{2}, []float64{3}),
			made("a|flop", "flop", p, []float64{4}, []float64{5}, []float64{6}),
			made("b|time", "time", p, []float64{7}, []float64{8}, []float64{9}),
			made("b|flop", "flop", p, []float64{7}, []float64{8}, []float64{9})},
		{made("<root> -> \"é\"", "a b", p, []float64{-1}, []float64{0}, []float64{1e300})},
	}
	for _, list := range cases {
		for _, format := range []Format{ExtraPText, ExtraPJSON, ExtraPLines} {
			var b bytes.Buffer
			if err := WriteExtraP(&b, format, list); err != nil {
				t.Fatal(err)
			}
			f, err := ReadMeasurements(&b, DefaultMeasurements("in"))
			if err != nil || f.Format != format {
				t.Errorf("%s read as %s: %v", format, f.Format, err)
				continue
			}
			var want, got []string
			for _, s := range list {
				want = append(want, show(s))
			}
			for _, s := range f.Series {
				got = append(got, show(s))
			}
			if sorted(got) != sorted(want) {
				t.Errorf("%s:\n got %s\nwant %s", format, sorted(got), sorted(want))
			}
		}
	}
}

// sorted joins lines in an order that does not depend on the format: text writes
// all of one metric first.
func sorted(lines []string) string {
	lines = append([]string{}, lines...)
	for i := range lines {
		for j := range i {
			if lines[j] > lines[i] {
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
	return strings.Join(lines, "\n")
}

// The bytes are those that Extra-P's readers were seen to accept.
func TestWritten(t *testing.T) {
	s := made("solve", "time", []float64{1, 2}, []float64{3, math.NaN(), 4}, []float64{5})
	s.Parameter = "node count"
	for format, want := range map[Format]string{
		ExtraPText: "PARAMETER node_count\nPOINTS ( 1 ) ( 2 )\nMETRIC time\nREGION solve\nDATA 3 4\nDATA 5\n",
		ExtraPJSON: `{"parameters":["node_count"],"measurements":{"solve":{"time":[{"point":[1],"values":[3,4]},` +
			`{"point":[2],"values":[5]}]}}}` + "\n",
		ExtraPLines: `{"params":{"node_count":1},"callpath":"solve","metric":"time","value":[3,4]}` + "\n" +
			`{"params":{"node_count":2},"callpath":"solve","metric":"time","value":[5]}` + "\n",
	} {
		var b bytes.Buffer
		if err := WriteExtraP(&b, format, []scaling.Series{s}); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", format, err, b.String(), want)
		}
	}
}

// The name of a series in Extra-P; an id that contains its metric is split.
func TestColumnNames(t *testing.T) {
	for _, c := range []struct{ id, metric, want string }{
		{"a|t", "t", "a/t"}, {"a", "t", "a/t"}, {"|t", "t", "|t/t"}, {"a|", "", "a|/value"}, {"", "", "main/value"},
		{"a  b\n", " x ", "a b/x"},
	} {
		got, _ := newColumn(scaling.Series{ID: c.id, Metric: c.metric})
		if got.callpath+"/"+got.metric != c.want {
			t.Errorf("%q %q: %s/%s, want %s", c.id, c.metric, got.callpath, got.metric, c.want)
		}
	}
	c, p := newColumn(made("a", "t", []float64{4, math.NaN(), 2, math.Inf(1)}, []float64{1}, []float64{2},
		[]float64{3, math.Inf(-1)}, []float64{5}))
	if !slices.Equal(p, []float64{2, 4}) || !slices.Equal(c.at[0], []float64{3}) || !slices.Equal(c.at[1], []float64{1}) {
		t.Errorf("points %v, values %v", p, c.at)
	}
}

func TestMeasurementsRejectedByExtraP(t *testing.T) {
	a := made("a", "t", []float64{1, 2}, []float64{1}, []float64{2})
	b := made("b", "t", []float64{1, 3}, []float64{1}, []float64{2})
	if err := WriteExtraP(&bytes.Buffer{}, ExtraPText, []scaling.Series{a, b}); !errors.Is(err, ErrPointsDiffer) {
		t.Errorf("different points: %v", err)
	}
	other := a
	other.Parameter = "tasks"
	empty := made("c", "t", []float64{1}, []float64{math.NaN()})
	for what, list := range map[string][]scaling.Series{"two parameters": {a, other}, "no series": nil,
		"no values": {empty}} {
		if err := WriteExtraP(&bytes.Buffer{}, ExtraPJSON, list); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if err := WriteExtraP(&bytes.Buffer{}, CSV, []scaling.Series{a}); err == nil {
		t.Error("a format that is not Extra-P's was written")
	}
}

// Two series with one name remain two in Extra-P.
func TestSameNameTwice(t *testing.T) {
	a := made("a", "t", []float64{1, 2}, []float64{1}, []float64{2})
	var b bytes.Buffer
	if err := WriteExtraP(&b, ExtraPText, []scaling.Series{a, a, a}); err != nil {
		t.Fatal(err)
	}
	f, err := ReadMeasurements(&b, DefaultMeasurements("in"))
	if err != nil || len(f.Series) != 3 || f.Series[2].ID != "a (3)" {
		t.Errorf("%v, %v", f.Series, err)
	}
}
