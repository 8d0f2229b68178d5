package job

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/reports/html"
	"jobgait/reports/pagetest"
)

// slower is a finding as package change makes it.
func slower() OtherRuns {
	return OtherRuns{Changes: Section{
		Title: "Changes of speed", Remark: "40 runs, judged by time of one cycle",
		Others: []finding.Comparison{{
			Text: "Runs like this one: 14.9 % slower since 5 November; the executable changed then.", EffectPct: 14.9,
			Shift: &finding.Shift{What: "Time of one cycle", FromS: 5.4, ToS: 6.2, LastJob: "803897", FirstJob: "803902",
				Runs: 15, NodeHours: 1.94}, Command: "jobgait compare 803897 803902"}},
		Text:   []string{"14.9 % slower since 5 November (95 % interval 13.1 .. 16.7 %); the executable changed then."},
		Charts: []html.Figure{{Title: "time of one cycle", Remark: "a dot a run", SVG: `<svg class="k"></svg>`}},
		Data:   json.RawMessage(`{"id":"7","changes":[]}`),
	}}
}

// A child that may read the history finds it and hands it over as JSON.
func TestAcrossIsHandedOver(t *testing.T) {
	b, err := json.Marshal(slower())
	if err != nil {
		t.Fatal(err)
	}
	var got OtherRuns
	if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got.Changes.Others, slower().Changes.Others) {
		t.Errorf("%+v, %v", got.Changes.Others, err)
	}
}

func TestAcrossIsPrinted(t *testing.T) {
	o := options()
	o.OtherRuns = slower()
	r := New(nemo(), past(24), o)
	var text, page, data bytes.Buffer
	for _, err := range []error{Text(&text, r), HTML(&page, r), JSON(&data, r)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	pagetest.Golden(t, "slower.txt", text.Bytes())
	for _, want := range []string{"<h2>Changes of speed</h2>", `<svg class="k"></svg>`,
		"<p>14.9\u00a0% slower since 5 November"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	var got struct {
		Changes struct{ ID string }
		Scaling *int
	}
	if err := json.Unmarshal(data.Bytes(), &got); err != nil || got.Changes.ID != "7" || got.Scaling != nil {
		t.Errorf("JSON has %+v, %v", got, err)
	}
}
