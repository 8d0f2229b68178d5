package job

import "testing"

func TestThreads(t *testing.T) {
	for value, want := range map[string]string{"4": "4", " 4,2 ": "4,2", "": "", "x": "", "4\x1b[2J": "", "-1": ""} {
		if got := Threads(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
