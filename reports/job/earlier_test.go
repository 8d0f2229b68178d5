package job

import (
	"errors"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// TestUnknownEarlierRuns checks that a history which could not be read is not
// printed as one that has no such run.
func TestUnknownEarlierRuns(t *testing.T) {
	for _, c := range []struct {
		notes []note.Note
		want  string
	}{
		{nil, "none of this application"},
		{[]note.Note{note.New(note.HistoryFailed, "not compared with earlier runs: it was being written")}, "not known"},
		{[]note.Note{note.New(note.HistoryElsewhere, "earlier runs were not looked at: this node does not have the history")},
			"not known"},
	} {
		r := New(summary.Summary{Notes: c.notes}, nil, Options{})
		var text, page strings.Builder
		if err := errors.Join(Text(&text, r), HTML(&page, r)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), c.want) || !strings.Contains(page.String(), c.want) {
			t.Errorf("notes %v: not printed: %q", c.notes, c.want)
		}
	}
}
