package history

import (
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// jobMark stands for the run's own job id in a stored path: slurm-812345.out is
// another path in every run, and slurm-%j.out one of all of them. No path that is
// stored has a control character.
const jobMark = "\x01"

// word returns the number of a text that many runs share, NULL for an empty one.
func (w *writer) word(s string) any {
	if s = note.Clean(s, maxText); s == "" {
		return nil
	}
	return w.id("word", "word_id", []string{"text"}, s)
}

// path is word for a path.
func (w *writer) path(s summary.Summary, path string) any {
	if path = note.Clean(path, maxText); path == "" {
		return nil
	}
	return w.id("word", "word_id", []string{"text"}, strings.ReplaceAll(path, s.DisplayID(), jobMark))
}
