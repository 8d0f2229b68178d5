package profile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A profile of the version before is read by its own reader of headers: here a
// made-up one, which called the step of the grid otherwise, is the only one that knows it.
func TestEarlierVersionOfTheHeader(t *testing.T) {
	before := headerReader{Version - 1, func(payload []byte) (Header, error) {
		var h struct {
			Header
			Step int64 `json:"step"`
		}
		err := json.Unmarshal(payload, &h)
		h.StepNS = h.Step
		return h.Header, err
	}}
	table := append(headers(), before)
	for text, want := range map[string]string{
		`{"version":1,"step_ns":5000000}`: "",
		`{"version":0,"step":5000000}`:    "",
		`{"version":2,"step_ns":5000000}`: "profile version 2, known are 0 to 1",
		`{"version":-1}`:                  "profile version -1",
		`{`:                               "JSON",
	} {
		h, err := readHeader([]byte(text), table)
		if want == "" && (err != nil || h.StepNS != 5_000_000 || h.Version != Version || h.check() != nil) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", text, h, err)
		}
	}
	if _, err := readHeader([]byte(`{"version":0,"step":5000000}`), headers()); err == nil {
		t.Error("a version that nobody wrote is read without its reader")
	}
}

// Frames of kinds that are not known are passed over and counted, and are no damage.
func TestUnknownFramesAreCounted(t *testing.T) {
	data, ends, blocks := image(t, 3)
	later := frameOf('Z', "of a later version")
	r, err := NewReader(bytes.NewReader(join(data[:ends[0]], string(later), data[ends[0]:ends[1]], string(later), data[ends[1]:])))
	if err != nil {
		t.Fatal(err)
	}
	p := r.All()
	if len(p.Blocks) != len(blocks) || r.Unknown() != 2 || p.Damage != (Damage{}) {
		t.Errorf("%d of %d blocks, %d unknown, %+v", len(p.Blocks), len(blocks), r.Unknown(), p.Damage)
	}
}
