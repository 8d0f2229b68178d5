package change

import (
	"encoding/json"
	"io"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/table"
	"jobgait/reports/text"
)

// Schema names the JSON form of changes; keys are added within a version, never
// renamed.
const Schema = "jobgait.changes/1"

// The JSON forms are separate types, because a number that is not finite must become null and indexes must be
// those of the input.
type (
	jsonReport struct {
		Schema   string             `json:"schema"`
		Method   changepoint.Method `json:"method"`
		Expected *float64           `json:"expected_by_chance"`
		Series   []jsonSeries       `json:"series"`
		Machine  []jsonMachine      `json:"machine"`
		Slower   *jsonSlower        `json:"slower,omitempty"` // for a site only
	}
	jsonSlower struct {
		Told     int          `json:"told"`
		ByChance *float64     `json:"by_chance"`
		OwnRate  *jsonOwnRate `json:"own_rate"`
	}
	jsonOwnRate struct {
		Series      int     `json:"series"`
		Runs        int     `json:"runs"`
		FalseAlarms int     `json:"false_alarms"`
		Factor      float64 `json:"factor"`
	}
	jsonSeries struct {
		ID        any            `json:"id"`
		User      *string        `json:"user"`
		App       *string        `json:"app"`
		Shape     *string        `json:"shape"`
		Metric    *string        `json:"metric"`
		Unit      *string        `json:"unit"`
		N         int            `json:"n"`
		Status    *string        `json:"status"`
		Worse     bool           `json:"worse"`
		Changes   []jsonChange   `json:"changes"`
		Regimes   []jsonRegime   `json:"regimes"`
		Outliers  []int          `json:"outliers"`
		SlowNodes []jsonSlowNode `json:"slow_nodes"`
		Functions []jsonFunction `json:"functions"`
		Creep     *jsonCreep     `json:"creep,omitempty"`
		// DetectablePct and RunsForTenPct: see changepoint.Result.
		DetectablePct *float64    `json:"detectable_pct"`
		RunsForTenPct *int        `json:"runs_for_10_pct"`
		Notes         []note.Note `json:"notes"`
	}
	jsonCreep struct {
		Index     int      `json:"index"`
		EndIndex  int      `json:"end_index"`
		Runs      int      `json:"runs"`
		From      *float64 `json:"from"`
		To        *float64 `json:"to"`
		EffectPct *float64 `json:"effect_pct"`
	}
	jsonChange struct {
		Index        int              `json:"index"`
		Job          *string          `json:"job"`
		T            *table.Moment    `json:"t"`
		Detected     int              `json:"detected_index"`
		EffectPct    *float64         `json:"effect_pct"`
		LoPct        *float64         `json:"ci_lo_pct"`
		HiPct        *float64         `json:"ci_hi_pct"`
		Level        *float64         `json:"level"`
		FirstIndex   int              `json:"index_lo"`
		LastIndex    int              `json:"index_hi"`
		FalsePer1000 *float64         `json:"false_alarms_per_1000"`
		Kind         changepoint.Kind `json:"kind"`
		Group        *int             `json:"group"`
		EndIndex     *int             `json:"end_index"`
		Acknowledged bool             `json:"acknowledged"`
		Causes       []jsonCause      `json:"causes"`
		Metrics      []jsonShift      `json:"metrics"`
		Phase        *string          `json:"phase"`
		Contention   bool             `json:"contention"`
	}
	jsonCause struct {
		Field string   `json:"field"`
		From  *string  `json:"from"`
		To    *string  `json:"to"`
		P     *float64 `json:"p"`
		// Function is set for causes that are functions.
		Function *jsonShifted `json:"function,omitempty"`
	}
	jsonShifted struct {
		Library string   `json:"library"`
		Name    *string  `json:"name"`
		BeforeS *float64 `json:"before_s"`
		AfterS  *float64 `json:"after_s"`
		LoS     *float64 `json:"ci_lo_s"`
		HiS     *float64 `json:"ci_hi_s"`
		TotalS  *float64 `json:"total_s"`
	}
	jsonFunction struct {
		Library string  `json:"library"`
		Name    *string `json:"name"`
		jsonChange
	}
	jsonShift struct {
		Metric    string   `json:"metric"`
		EffectPct *float64 `json:"effect_pct"`
		LoPct     *float64 `json:"ci_lo_pct"`
		HiPct     *float64 `json:"ci_hi_pct"`
	}
	jsonRegime struct {
		First  int      `json:"first"`
		Last   int      `json:"last"`
		N      int      `json:"n"`
		Mean   *float64 `json:"mean"`
		Median *float64 `json:"median"`
		SD     *float64 `json:"sd"`
	}
	jsonSlowNode struct {
		Node      string   `json:"node"`
		EffectPct *float64 `json:"effect_pct"`
		P         *float64 `json:"p"`
	}
	jsonMachine struct {
		Start     *float64 `json:"start"`
		End       *float64 `json:"end"`
		EffectPct *float64 `json:"effect_pct"`
		Series    []any    `json:"series"`
	}
)

// JSON writes the report as one object.
func JSON(w io.Writer, r Report) error {
	out := jsonReport{Schema: Schema, Method: r.Method, Series: make([]jsonSeries, len(r.Series)),
		Machine: []jsonMachine{}}
	out.Expected = r.expected()
	given := map[string]any{}
	for i, s := range r.Series {
		out.Series[i] = s.json(r.options)
		given[s.ID] = out.Series[i].ID
	}
	worse, byChance := r.slower()
	for _, i := range worse {
		out.Series[i].Worse = true
	}
	if r.options.Site {
		out.Slower = &jsonSlower{Told: len(worse), ByChance: quantity.Finite(byChance)}
		if o := r.Own; o != nil {
			out.Slower.OwnRate = &jsonOwnRate{o.Series, o.Runs, o.FalseAlarms, o.Factor()}
		}
	}
	for _, m := range r.Machine {
		one := jsonMachine{quantity.Finite(m.Start), quantity.FiniteOf(m.End), quantity.Finite(m.EffectPct), []any{}}
		for _, id := range m.Series {
			if g, ok := given[id]; ok {
				one.Series = append(one.Series, g)
			} else {
				one.Series = append(one.Series, id)
			}
		}
		out.Machine = append(out.Machine, one)
	}
	return write(w, out)
}

// write writes v as one line of JSON.
func write(w io.Writer, v any) error {
	return text.JSONError("the changes of speed", json.NewEncoder(w).Encode(v))
}

// json returns the JSON form of the history.
func (s JudgedHistory) json(o Options) jsonSeries {
	out := jsonSeries{ID: s.givenID(), User: textOrNull(s.User), App: textOrNull(s.App), Shape: textOrNull(s.Shape),
		Metric: textOrNull(s.Metric), Unit: textOrNull(s.Unit), N: s.Result.N, Status: textOrNull(string(s.Status)),
		Changes: []jsonChange{}, Regimes: []jsonRegime{},
		Outliers: []int{}, SlowNodes: []jsonSlowNode{}, Functions: s.jsonFunctions(o), Notes: s.AllNotes()}
	out.DetectablePct, out.RunsForTenPct = quantity.FiniteOf(s.Result.DetectablePct), s.Result.RunsForTenPct
	for _, c := range s.Result.Changes {
		out.Changes = append(out.Changes, s.jsonChange(c, o))
	}
	for _, g := range s.Result.Regimes {
		out.Regimes = append(out.Regimes,
			jsonRegime{s.Index(g.First), s.Index(g.Last), g.N, quantity.Finite(g.Mean), quantity.Finite(g.Median),
				quantity.Finite(g.SD)})
	}
	for _, k := range s.Result.Outliers {
		out.Outliers = append(out.Outliers, s.Index(k))
	}
	slices.Sort(out.Outliers)
	if c := s.Result.Creep; c != nil {
		out.Creep = &jsonCreep{s.Index(c.FirstIndex), s.Index(c.LastIndex), c.N, quantity.Finite(c.From),
			quantity.Finite(c.To), quantity.Finite(c.EffectPct)}
	}
	for _, n := range s.Result.SlowNodes {
		out.SlowNodes = append(out.SlowNodes, jsonSlowNode{n.Node, quantity.Finite(n.EffectPct), quantity.Finite(n.P)})
	}
	return out
}

// givenID returns the id as it is in the input: a number stays a number.
func (s JudgedHistory) givenID() any {
	if s.NumberID {
		return json.Number(s.ID)
	}
	return s.ID
}

// jsonChange returns the JSON form of a change.
func (s JudgedHistory) jsonChange(c changepoint.Change, o Options) jsonChange {
	out := jsonChange{Index: s.Index(c.Index), T: s.timeOf(c), Detected: s.Index(c.DetectedIndex),
		EffectPct: quantity.Finite(c.EffectPct),
		LoPct:     quantity.FiniteOf(c.LoPct), HiPct: quantity.FiniteOf(c.HiPct), Level: quantity.Finite(c.Level),
		FirstIndex: s.Index(c.FirstIndex), LastIndex: s.Index(c.LastIndex),
		FalsePer1000: quantity.FiniteOf(c.FalsePer1000), Kind: c.Kind, Group: c.Group, Causes: []jsonCause{},
		Metrics: []jsonShift{}, Phase: textOrNull(c.Phase), Contention: c.Contention,
		Acknowledged: s.acknowledged(c, o)}
	if c.Index >= 0 && c.Index < len(s.Jobs) {
		out.Job = textOrNull(s.Jobs[c.Index])
	}
	if c.EndIndex != nil {
		end := s.Index(*c.EndIndex)
		out.EndIndex = &end
	}
	for _, k := range c.Causes {
		cause := jsonCause{k.Field, textOrNull(k.From), textOrNull(k.To), quantity.Finite(k.P), nil}
		if f := k.Function; f != nil {
			cause.Function = &jsonShifted{f.Library, textOrNull(f.Name), quantity.Finite(f.BeforeS), quantity.Finite(f.AfterS),
				quantity.Finite(f.LoS), quantity.Finite(f.HiS), quantity.Finite(f.TotalS)}
		}
		out.Causes = append(out.Causes, cause)
	}
	for _, m := range c.Metrics {
		out.Metrics = append(out.Metrics,
			jsonShift{m.Metric, quantity.Finite(m.EffectPct), quantity.FiniteOf(m.LoPct), quantity.FiniteOf(m.HiPct)})
	}
	return out
}

// AllNotes returns the notes from reading the history, then those of the analysis.
func (s JudgedHistory) AllNotes() []note.Note {
	out := append(nonNil(s.Runs.Notes), s.Result.Notes...)
	for i, n := range out {
		if n.Code == note.MissingRuns && s.Lacking != "" {
			out[i].Text += ": " + s.Lacking
		}
	}
	return out
}

// nonNil returns a copy that is never nil.
func nonNil[T any](v []T) []T { return append([]T{}, v...) }

// textOrNull returns nil for "", which JSON writes as null.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
