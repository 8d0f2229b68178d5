package table

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// place matches the beginning of an error: the input, and the line unless the fault concerns the whole input.
var place = regexp.MustCompile(`^in(:[1-9][0-9]*)?: `)

// fuzzed reads arbitrary input: the reader must not panic, must name the place of a fault, and must return every
// series with an id, or an error.
func fuzzed(f *testing.F, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := ReadMeasurements(bytes.NewReader(b), DefaultMeasurements("in"))
		if err != nil {
			if !place.MatchString(err.Error()) || strings.Count(err.Error(), "in:") > 1+strings.Count(string(b), "in:") {
				t.Errorf("an error without one place: %v", err)
			}
			if file.Series != nil {
				t.Error("series beside an error")
			}
			return
		}
		for _, s := range file.Series {
			if s.ID == "" && file.Format != SeriesLines {
				t.Errorf("a series without id in %s", file.Format)
			}
		}
		if len(file.Series) == 0 || len(file.Numbers) > len(file.Series) {
			t.Errorf("%d series, %d numbers", len(file.Series), len(file.Numbers))
		}
	})
}

func FuzzCSV(f *testing.F) {
	fuzzed(f, "param,rep,value\n1,1,5\n", "1,2\n3,4\n", "nodes,step_s,elapsed_s\n4,1,50\n",
		"series;metric;p;value;day\na;b;1;2;c\n", "1 2\n", "param,value\n\"1\",2\n", "a\n1\n")
}

func FuzzExtraPText(f *testing.F) {
	fuzzed(f, grid, "PARAMETER p\nPOINTS 1 2\nMETRIC m\nREGION r\nDATA 1 2\nDATA 3\n",
		"PARAMETER p\nPOINTS ((1)(2))\nDATA 1\nDATA 2\n", "DATA", "POINTS ()(", "METRIC")
}

func FuzzDocument(f *testing.F) {
	fuzzed(f, legacyDocument, `{"parameters":["p"],"measurements":{"a":{"t":[{"point":[1],"values":[1]}]}}}`,
		`{"measurements":{},"parameters":[1]}`, "{", `{"measurements":[],"callpaths":[]}`)
}

func FuzzPointLines(f *testing.F) {
	fuzzed(f, `{"params":{"p":1},"value":5}`+"\n"+`{"params":{"p":2},"value":[6,7],"callpath":"c","metric":"m"}`,
		`{"params":{"p":null},"value":null}`)
}

func FuzzSeriesLines(f *testing.F) {
	fuzzed(f, `{"id":1,"p":[1,2],"y":[1,[2,3]]}`, `{"p":[null],"y":[null],"group":[null],"node_hours":[null]}`,
		`{"id":{},"p":1,"y":""}`, `{"p":null,"y":null}`)
}

// Measurements read from Extra-P's formats are the same after writing and reading them again.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(grid))
	f.Add([]byte(legacyDocument))
	f.Add([]byte("series,metric,p,value\na,time,1,2\na,energy,1,3\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := ReadMeasurements(bytes.NewReader(b), DefaultMeasurements("in"))
		if err != nil {
			return
		}
		for _, format := range []Format{ExtraPText, ExtraPJSON, ExtraPLines} {
			var out bytes.Buffer
			if WriteExtraP(&out, format, file.Series[:1]) != nil {
				continue
			}
			written := out.String()
			again, err := ReadMeasurements(&out, DefaultMeasurements("in"))
			if err != nil || len(again.Series) != 1 || again.Format != format {
				t.Fatalf("%s: %v, %v from %q", format, again.Series, err, written)
			}
			first, second := file.Series[0], again.Series[0]
			c, p := newColumn(first)
			d, q := newColumn(second)
			if len(p) != len(q) || len(c.at) != len(d.at) {
				t.Fatalf("%s: %v became %v", format, first, second)
			}
			for i := range p {
				if p[i] != q[i] || len(c.at[i]) != len(d.at[i]) || c.at[i][0] != d.at[i][0] {
					t.Fatalf("%s: point %g: %v became %g: %v", format, p[i], c.at[i], q[i], d.at[i])
				}
			}
		}
	})
}
