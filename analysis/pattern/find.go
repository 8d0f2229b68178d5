package pattern

import (
	"fmt"

	"jobgait/analysis/note"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// Find returns the time of the reference's loop in a run whose samples and periods
// are at hand. Shapes are drawn in the reference's own column or page where the
// run has it. Where none of the periods is the reference's, its column is looked
// at alone: another one may have had the stronger period, a cycle of two
// iterations in what the network carries.
func (r Reference) Find(set series.Set, periods []periodicity.Period, par periodicity.Params, m Matching) (Step, bool, []note.Note, error) {
	step, ok, notes := r.Step(r.represent(set, periods), m)
	if ok {
		return step, ok, notes, nil
	}
	only := series.Set{StartS: set.StartS, StepS: set.StepS}
	for _, c := range set.Columns {
		if c.Group == r.Column || c.Group == "" && c.Name == r.Column {
			only.Columns = append(only.Columns, c)
			par.NodeScope = par.NodeScope || c.Scope == series.NodeScope
		}
	}
	if len(only.Columns) == 0 || len(only.Columns) == len(set.Columns) {
		return step, false, notes, nil
	}
	found, err := periodicity.Detect(only, par)
	if err != nil {
		return step, false, notes, fmt.Errorf("look for the reference in column %s: %w", r.Column, err)
	}
	if step, ok, _ = r.Step(r.represent(only, found.Periods), m); ok {
		return step, true, nil, nil
	}
	return step, false, notes, nil
}

// represent draws periods of the reference's group in its page: which page stands
// out most may change from run to run.
func (r Reference) represent(set series.Set, periods []periodicity.Period) []Pattern {
	out := Represent(set, periods)
	c, ok := set.Column(r.ValuesColumn)
	for i := range out {
		if q := &out[i]; ok && q.Column == r.Column && q.ValuesColumn != c.Name {
			q.ValuesColumn, q.ValuesUnit = c.Name, c.Unit
			Default().draw(q, c, periods[i], set.StepS)
		}
	}
	return out
}
