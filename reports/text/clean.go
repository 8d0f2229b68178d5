package text

import "jobgait/analysis/note"

// maxRunes is the largest length of text of users in runes: a job name may have a kilobyte.
const maxRunes = 200

// Clean makes text of users printable by the rules of note.Clean, which texts in records already satisfy, and
// cuts it to 200 runes.
func Clean(s string) string {
	s = note.Clean(s, maxRunes+1)
	if runes := []rune(s); len(runes) > maxRunes {
		return string(runes[:maxRunes-3]) + "..."
	}
	return s
}
