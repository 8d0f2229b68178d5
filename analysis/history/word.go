package history

import (
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// jobMark replaces the run's own job id in a stored path, so that slurm-812345.out, which differs in every run,
// is stored once. No stored path has control characters.
const jobMark = "\x01"

// word returns the id of a text that many runs share, NULL for an empty one.
func (w *writer) word(s string) any {
	if s = note.Clean(s, maxText); s == "" {
		return nil
	}
	return w.id("internal_word", "word_id", []string{"text"}, s)
}

// path returns the id of a path, with jobMark for the run's job id; NULL for an empty one.
func (w *writer) path(s summary.Summary, path string) any {
	if path = note.Clean(path, maxText); path == "" {
		return nil
	}
	return w.id("internal_word", "word_id", []string{"text"}, strings.ReplaceAll(path, s.DisplayID(), jobMark))
}
