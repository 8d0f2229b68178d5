package scaling

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/scaling"
	"jobgait/analysis/table"
	"jobgait/reports/pagetest"
	"jobgait/reports/text"
)

// FuzzReport passes arbitrary numbers through the whole path: for any input the output is JSON, text that fits
// a screen, and XML, with the same sizes as the analysis.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"p":[1,2,3,4,5,6,7,8,9,10],"y":[1,4,9,16,25,36,37,38,39,40]}`), uint8(0))
	f.Add([]byte(`{"p":[1,2,4,8,16,32],"y":[[1,2],3,null,5,1e300,0],"mode":"weak","node_hours":[1,2,3,4,5,6]}`), uint8(1))
	f.Add([]byte(`{"p":[0,-1,1e-300,1e300,2,2],"y":[1,1,1,1,1,-1e308]}`), uint8(2))
	f.Add([]byte("nodes,day,value\n1,a,5\n2,a,3\n4,b,2\n8,b,1.6\n16,b,1.5\n32,c,1.7\n"), uint8(0))
	methods := []scaling.Method{scaling.Likelihood, scaling.Paper, scaling.ExtraP}
	f.Fuzz(func(t *testing.T, b []byte, k uint8) {
		if len(b) > 1<<12 {
			return
		}
		file, err := table.ReadMeasurements(bytes.NewReader(b), table.DefaultMeasurements("in"))
		if err != nil {
			return
		}
		method := methods[int(k)%len(methods)]
		r := Fits{Method: method, Results: scaling.Analyse(file.Series, method), Series: file.Series, Numbers: file.Numbers,
			Expected: math.NaN()}
		for i, s := range r.Results {
			if n := len(scaling.Sizes(file.Series[i].Observations)); n != s.N {
				t.Errorf("%d sizes here and %d there of %v", n, s.N, file.Series[i])
			}
			if lines := Lines(s, file.Series[i].Observations); len(lines) > 6 {
				t.Errorf("%d lines", len(lines))
			}
		}
		var words, form, picture bytes.Buffer
		if err := JSON(&form, r); err != nil || !json.Valid(form.Bytes()) {
			t.Errorf("%v: %s", err, form.String())
		}
		if err := Text(&words, r); err != nil {
			t.Error(err)
		}
		if _, err := Picture(&picture, r); err != nil {
			t.Error(err)
		}
		pagetest.Picture(t, picture.String())
		for _, l := range strings.Split(words.String(), "\n") {
			if len(r.Results) <= mostScreens && len([]rune(l)) > 2*text.PageWidth {
				t.Errorf("a line of %d columns: %s", len(l), l)
			}
		}
	})
}
