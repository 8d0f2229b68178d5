package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/scaling"
)

// 1,000 series of ten points with three repetitions, in each format.
func benchmarkInputs(b *testing.B) map[string]string {
	var list []scaling.Series
	var lines, csv strings.Builder
	csv.WriteString("series,p,rep,value\n")
	for i := range 1000 {
		s := scaling.Series{ID: fmt.Sprint("f", i), Parameter: "p", Metric: "time"}
		fmt.Fprintf(&lines, `{"id":"f%d","p":[1,2,3,4,5,6,7,8,9,10],"y":[`, i)
		for p := range 10 {
			for r := range 3 {
				v := float64(p*p) + float64(r)*0.125 + float64(i)*0.001
				s.Observations = append(s.Observations, scaling.Observation{P: float64(p + 1), Value: v})
				fmt.Fprintf(&csv, "f%d,%d,%d,%g\n", i, p+1, r, v)
				lines.WriteString([]string{"[", ",", ","}[r] + plain(v))
			}
			lines.WriteString([]string{"],", "]"}[p/9])
		}
		lines.WriteString("]}\n")
		list = append(list, s)
	}
	out := map[string]string{"series lines": lines.String(), "CSV": csv.String()}
	for _, f := range []Format{ExtraPText, ExtraPJSON, ExtraPLines} {
		var w bytes.Buffer
		if err := WriteExtraP(&w, f, list); err != nil {
			b.Fatal(err)
		}
		out[string(f)] = w.String()
	}
	return out
}

// BenchmarkMeasurements reports series read a second; compare with the detections that
// follow.
func BenchmarkMeasurements(b *testing.B) {
	for name, in := range benchmarkInputs(b) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for range b.N {
				f, err := ReadMeasurements(strings.NewReader(in), DefaultMeasurements("in"))
				if err != nil || len(f.Series) != 1000 {
					b.Fatalf("%d series, %v", len(f.Series), err)
				}
			}
			b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "series/s")
		})
	}
}
