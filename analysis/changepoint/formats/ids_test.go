package formats

import (
	"strings"
	"testing"
)

// TestIDsAreKept checks that an id is as it was given, a number too, and that a
// missing one is the number of its line.
func TestIDsAreKept(t *testing.T) {
	const runs = `"t":[1,2],"y":[1,2]}` + "\n"
	inputs, err := Read(strings.NewReader(`{"id":"a",`+runs+`{"id":7,`+runs+`{`+runs+`{"id":8,"t":[1]}`+"\n"+`{"id":[1],`+runs), Default("in"))
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
	_, err := Read(strings.NewReader("\n[{\"id\":1}]"), Default("in"))
	if err == nil || !strings.HasPrefix(err.Error(), "in:2: read: a JSON list") {
		t.Error(err)
	}
}
