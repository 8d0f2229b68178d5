package change

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

// A creep replaces the changes that it explains. It counts as seen if one of them was seen. An earlier change
// stays, and what is known of one applies to all.
func TestCreepInPlaceOfItsChanges(t *testing.T) {
	h := aHistory("creep")
	of := func(o Options, changes ...changepoint.Change) JudgedHistory {
		r := result("creep", changes...)
		r.Creep = &changepoint.Creep{FirstIndex: 12, LastIndex: 35, N: 24, Since: 10, Until: 36, From: 50, To: 62,
			EffectPct: 24}
		return New([]History{h}, changepoint.Sequential, changepoint.Analysis{Series: []changepoint.SeriesResult{r}},
			o).Series[0]
	}
	s := of(options(), step(10, firstDay+10.5, -8), step(18, firstDay+18.5, 11), step(27, firstDay+27.5, 10))
	if len(s.Events) != 2 || s.Events[0].Text != "24.0 % slower bit by bit: from 50.00 s to 62.00 s over 24 runs, "+
		"since 13 October." ||
		s.Events[0].Last().DetectedIndex != 21 || s.Events[1].First().Index != 10 {
		t.Errorf("%+v", s.Events)
	}
	var text, data bytes.Buffer
	r := Report{Method: changepoint.Sequential, Series: []JudgedHistory{s}, options: options()}
	if err := Text(&text, r); err != nil || !strings.Contains(text.String(), "bit by bit: from 50.00 s to 62.00 s") {
		t.Errorf("%v %s", err, text.String())
	}
	if err := JSON(&data, r); err != nil ||
		!strings.Contains(data.String(), `"creep":{"index":12,"end_index":35,"runs":24,"from":50,"to":62,"effect_pct":24}`) ||
		strings.Count(data.String(), `"kind":"step"`) != 3 {
		t.Errorf("%v %s", err, data.String())
	}
	o := options()
	o.Acks = Acks{{ID: "creep", Index: 27, Day: math.NaN()}}
	if s = of(o, step(18, firstDay+18.5, 11), step(27, firstDay+27.5, 10)); !s.Events[0].Known {
		t.Error("its newest change was acknowledged")
	}
	if s = of(options()); len(s.Events) != 1 || s.Status != Changed {
		t.Errorf("a creep of which no step was seen: %+v", s.Events)
	}
	if err := Text(&text, Report{Method: changepoint.Sequential, Series: []JudgedHistory{s},
		options: options()}); err != nil {
		t.Error(err)
	}
}
