package table

import (
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

// TestIDsAreKept checks that an id is as it was given, a number too, and that a
// missing one is the number of its line.
func TestIDsAreKept(t *testing.T) {
	const runs = `"t":[1,2],"y":[1,2]}` + "\n"
	inputs, _, err := ReadRuns(strings.NewReader(`{"id":"a",`+runs+`{"id":7,`+runs+`{`+runs+`{"id":8,"t":[1]}`+"\n"+
		`{"id":[1],`+runs), DefaultRuns("in"))
	if err != nil || len(inputs) != 5 {
		t.Fatalf("%d series, %v", len(inputs), err)
	}
	for i, want := range []struct {
		id     string
		number bool
		bad    bool
	}{{"a", false, false}, {"7", true, false}, {"2", false, false}, {"8", true, true}, {"4", false, true}} {
		if in := inputs[i]; in.ID != want.id || in.NumberID != want.number || in.Bad != want.bad {
			t.Errorf("series %d: %q %v %v, want %+v", i, in.ID, in.NumberID, in.Bad, want)
		}
	}
}

// TestAListIsRefused checks that a JSON list is not read as CSV.
func TestAListIsRefused(t *testing.T) {
	_, _, err := ReadRuns(strings.NewReader("\n[{\"id\":1}]"), DefaultRuns("in"))
	if err == nil || !strings.HasPrefix(err.Error(), "in:2: read: the file is a JSON list") {
		t.Error(err)
	}
}

// The second of two series with one id has a note on that: lists of ids and --series refer to the first.
func TestRepeatedIDIsNoted(t *testing.T) {
	const runs = `"t":[1,2],"y":[1,2]}` + "\n"
	all := readRuns(t, `{"id":"a",`+runs+`{"id":"b",`+runs+`{"id":"a",`+runs, nil)
	if len(runCodes(all[0])) != 0 || len(runCodes(all[1])) != 0 || len(runCodes(all[2])) != 1 ||
		runCodes(all[2])[0] != note.RepeatedID {
		t.Errorf("%v %v %v", runCodes(all[0]), runCodes(all[1]), runCodes(all[2]))
	}
}

// The error for a file that is not text says so, and does not mention quotes.
func TestBinaryIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"t,value\n1,2\x00\n":            "the file is not text",
		"\xff\xfet\x00,\x00":            "the file is UTF-16: save it as UTF-8",
		"\x7fELF\x02\x01\x01\x00":       "the file is not text",
		strings.Repeat("\x80\x90", 100): "the file is not text",
	} {
		_, _, err := ReadRuns(strings.NewReader(text), DefaultRuns("in"))
		if err == nil || !strings.HasPrefix(err.Error(), "in: read: "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if all := readRuns(t, "t,value,who\n1,2,J\xfcrgen\n2,3,J\xfcrgen\n", nil); len(all[0].Y) != 2 {
		t.Errorf("Latin-1 in a field: %+v", all)
	}
}

func TestLineWithoutJSONObject(t *testing.T) {
	wants := map[string]string{
		"[]":   "the line is a JSON array",
		"null": "the line is null",
		"7":    "the line is a JSON number",
	}
	for text, want := range wants {
		_, _, err := ReadRuns(strings.NewReader(`{"t":[1],"y":[2]}`+"\n"+text), DefaultRuns("in"))
		if err == nil || !strings.HasPrefix(err.Error(), "in:2: read series: "+want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A CSV file of several applications and shapes is several histories, and a single one names the history.
func TestCSVOfSeveralApplications(t *testing.T) {
	const text = "t,value,app,shape,commit\n1,10,wave,4x8,a\n1,90,heat,8,a\n2,20,wave,8x8,a\n" +
		"2,11,wave,4x8,b\n3,91,heat,8,b\n"
	all, reading, err := ReadRuns(strings.NewReader(text), DefaultRuns("runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id, app, shape string
		y              []float64
		order          []int
	}{
		{"app=wave shape=4x8", "wave", "4x8", []float64{10, 11}, []int{0, 3}},
		{"app=wave shape=8x8", "wave", "8x8", []float64{20}, []int{2}},
		{"app=heat", "heat", "8", []float64{90, 91}, []int{1, 4}},
	}
	if len(all) != len(want) {
		t.Fatalf("%d series, want %d: %+v", len(all), len(want), all)
	}
	for i, w := range want {
		got := all[i]
		if got.ID != w.id || got.App != w.app || got.Shape != w.shape || !slices.Equal(got.Y, w.y) ||
			!slices.Equal(got.Order, w.order) || len(got.Meta) != 1 || len(got.Meta["commit"]) != len(w.y) {
			t.Errorf("series %d: %+v, want %+v", i, got, w)
		}
	}
	if !strings.Contains(reading.Columns, "a series for each app and shape") {
		t.Errorf("read as %q", reading.Columns)
	}
	lone, _, err := ReadRuns(strings.NewReader("t,value,app\n1,10,wave\n2,11,wave\n"), DefaultRuns("runs.csv"))
	if err != nil || len(lone) != 1 || lone[0].App != "wave" || lone[0].ID != "0" {
		t.Errorf("one application: %+v, %v", lone, err)
	}
}
