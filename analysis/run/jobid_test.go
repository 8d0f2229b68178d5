package run

import "testing"

func TestJobID(t *testing.T) {
	for text, want := range map[string]JobID{"1": 1, "9223372036854775807": 1<<63 - 1, "": 0, "0": 0, "-3": 0, "17_2": 0,
		"1e3": 0, "9223372036854775808": 0, " 1": 0} {
		id, err := ParseJobID(text)
		if id != want || (err == nil) != (want > 0) {
			t.Errorf("%q = %d, %v; want %d", text, id, err, want)
		}
		if err == nil && id.String() != text {
			t.Errorf("%q is written %s", text, id)
		}
	}
}

func TestIsDisplayID(t *testing.T) {
	for text, want := range map[string]bool{"123": true, "123_7": true, "123_0": true, "123+1": true, "123+": false,
		"123+1_2": false, "+1": false, "": false, "_7": false,
		"123_":    false,
		"123_7_8": false, "123_-1": false, "0_1": false, "x": false, "9223372036854775808": false} {
		if IsDisplayID(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func FuzzParseJobID(f *testing.F) {
	f.Add("17")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseJobID(s)
		if err != nil {
			return
		}
		if again, err := ParseJobID(id.String()); id <= 0 || again != id || err != nil {
			t.Errorf("%q is %d, written and read %d, %v", s, id, again, err)
		}
	})
}
