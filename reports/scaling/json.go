package scaling

import (
	"encoding/json"
	"io"
	"math"

	"jobgait/analysis/scaling"
	"jobgait/reports/text"
)

// Schema is the name and version of the JSON form. Keys are added within a
// version, never renamed.
const Schema = "jobgait.scaling/1"

// envelope is the JSON object. Its series are results of analysis/scaling with their names, which may be
// numbers or null.
type envelope struct {
	Schema   string                `json:"schema"`
	Method   scaling.Method        `json:"method"`
	Series   []namedResult         `json:"series"`
	Expected *float64              `json:"false_cuts_expected"`
	Lo       *int                  `json:"false_cuts_lo"` // range in 95 of 100 lists
	Hi       *int                  `json:"false_cuts_hi"`
	Common   *scaling.SharedChange `json:"common_change"`
}

// namedResult is a result with its names in the form of the input.
type namedResult struct {
	ID        any     `json:"id"`
	Parameter *string `json:"parameter"`
	Metric    *string `json:"metric"`
	scaling.Result
}

// JSON writes the report as one object.
func JSON(w io.Writer, r Fits) error {
	out := envelope{Schema: Schema, Method: r.Method, Series: []namedResult{}, Common: r.Common}
	if !math.IsNaN(r.Expected) {
		lo, hi := scaling.ChanceRange(r.Expected)
		out.Expected, out.Lo, out.Hi = &r.Expected, &lo, &hi
	}
	for i, s := range r.Results {
		n := namedResult{ID: s.ID, Parameter: textOrNull(s.Parameter), Metric: textOrNull(s.Metric), Result: s}
		if i < len(r.Numbers) && r.Numbers[i] {
			n.ID = json.Number(s.ID)
		}
		out.Series = append(out.Series, n)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return text.JSONError("the scaling laws", e.Encode(out))
}

// textOrNull returns nil for a missing name, which JSON writes as null.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
