package job

import (
	"testing"

	"jobgait/analysis/run"
)

func TestExitOf(t *testing.T) {
	for text, want := range map[string]*run.Exit{
		"768": {Code: 3}, "11": {Signal: 11}, "0": {}, "": nil, "x": nil, "-1": nil, "139": {Signal: 11},
	} {
		got := ExitOf(text)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
