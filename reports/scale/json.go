package scale

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/scaling"
)

// Schema is the name and version of the JSON form. Keys are added within a
// version, never renamed.
const Schema = "jobgait.scaling/1"

// num is a number of the JSON form: what JSON cannot hold is null.
type num float64

func (v num) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func numOf(v *float64) *num {
	if v == nil {
		return nil
	}
	n := num(*v)
	return &n
}

// wordOf is null for a name that was not given.
func wordOf(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// The types below are those of package scaling with numbers that may be null.
type (
	envelope struct {
		Schema   string         `json:"schema"`
		Method   scaling.Method `json:"method"`
		Series   []one          `json:"series"`
		Expected num            `json:"false_cuts_expected"`
		Lo       *int           `json:"false_cuts_lo"` // in 95 of 100 lists
		Hi       *int           `json:"false_cuts_hi"`
		Common   *common        `json:"common_change"`
	}
	one struct {
		ID         any          `json:"id"`
		Parameter  *string      `json:"parameter"`
		Metric     *string      `json:"metric"`
		N          int          `json:"n"`
		Segmented  bool         `json:"segmented"`
		Cuts       []int        `json:"cuts"`
		Strength   *num         `json:"change_strength"`
		Changes    []change     `json:"changes"`
		Whole      *model       `json:"whole"`
		Segments   []segment    `json:"segments"`
		Prediction []prediction `json:"predictions"`
		Efficiency []efficiency `json:"efficiency"`
		Mode       *string      `json:"mode"`
		Next       []next       `json:"next"`
		Notes      []note.Note  `json:"notes"`
	}
	change struct {
		Cut    int  `json:"cut"`
		Lo     int  `json:"lo"`
		Hi     int  `json:"hi"`
		Common *num `json:"common"`
	}
	model struct {
		Constant num    `json:"constant"`
		Terms    []term `json:"terms"`
		Formula  string `json:"formula"`
		RSS      num    `json:"rss"`
		NRSS     num    `json:"nrss"`
		SMAPE    num    `json:"smape"`
	}
	term struct {
		Coefficient num `json:"coefficient"`
		I           num `json:"i"`
		J           num `json:"j"`
	}
	segment struct {
		First   int    `json:"first"`
		Last    int    `json:"last"`
		Model   *model `json:"model"`
		Enough  bool   `json:"enough"`
		Missing int    `json:"missing_points"`
	}
	prediction struct {
		P            num  `json:"p"`
		Value        num  `json:"value"`
		Lo           num  `json:"ci_lo"`
		Hi           num  `json:"ci_hi"`
		Level        num  `json:"level"`
		Extrapolated bool `json:"extrapolated"`
		LawLo        num  `json:"law_lo"`
		LawHi        num  `json:"law_hi"`
	}
	efficiency struct {
		P     num `json:"p"`
		Value num `json:"value"`
	}
	next struct {
		P         num    `json:"p"`
		Why       string `json:"why"`
		NodeHours *num   `json:"node_hours"`
	}
	common struct {
		After    num   `json:"after"`
		Before   num   `json:"before"`
		Strength num   `json:"strength"`
		Share    num   `json:"share"`
		Members  []int `json:"members"`
	}
)

// JSON writes the report as one object.
func JSON(w io.Writer, r Report) error {
	out := envelope{Schema: Schema, Method: r.Method, Series: []one{}, Expected: num(r.Expected)}
	if !math.IsNaN(r.Expected) {
		lo, hi := scaling.ChanceRange(r.Expected)
		out.Lo, out.Hi = &lo, &hi
	}
	for i, s := range r.Results {
		number := i < len(r.Numbers) && r.Numbers[i]
		out.Series = append(out.Series, oneOf(s, number))
	}
	if c := r.Common; c != nil {
		out.Common = &common{num(c.After), num(c.Before), num(c.Strength), num(c.Share), append([]int{}, c.Members...)}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write scaling results: %w", err)
	}
	return nil
}

func oneOf(r scaling.Result, number bool) one {
	o := one{ID: r.ID, Parameter: wordOf(r.Parameter), Metric: wordOf(r.Metric), N: r.N, Segmented: r.Segmented, Cuts: append([]int{}, r.Cuts...),
		Strength: numOf(r.ChangeStrength), Changes: []change{}, Whole: modelOf(r.Whole), Segments: []segment{},
		Prediction: []prediction{}, Next: []next{}, Notes: append([]note.Note{}, r.Notes...)}
	if number {
		o.ID = json.Number(r.ID)
	}
	if r.Mode != nil && *r.Mode != scaling.Undeclared {
		mode := string(*r.Mode)
		o.Mode = &mode
	}
	for _, c := range r.Changes {
		o.Changes = append(o.Changes, change{c.Cut, c.Lo, c.Hi, numOf(c.Common)})
	}
	for _, s := range r.Segments {
		o.Segments = append(o.Segments, segment{s.First, s.Last, modelOf(s.Model), s.Enough, s.MissingPoints})
	}
	for _, p := range r.Predictions {
		o.Prediction = append(o.Prediction, prediction{num(p.P), num(p.Value), num(p.Lo), num(p.Hi), num(p.Level), p.Extrapolated, num(p.LawLo), num(p.LawHi)})
	}
	if r.Efficiency != nil { // null unless a mode is declared
		o.Efficiency = []efficiency{}
	}
	for _, e := range r.Efficiency {
		o.Efficiency = append(o.Efficiency, efficiency{num(e.P), num(e.Value)})
	}
	for _, n := range r.Next {
		o.Next = append(o.Next, next{num(n.P), n.Why, numOf(n.NodeHours)})
	}
	return o
}

func modelOf(m *scaling.Model) *model {
	if m == nil {
		return nil
	}
	out := &model{num(m.Constant), []term{}, m.Formula, num(m.RSS), num(m.NRSS), num(m.SMAPE)}
	for _, t := range m.Terms {
		out.Terms = append(out.Terms, term{num(t.Coefficient), num(t.I), num(t.J)})
	}
	return out
}
