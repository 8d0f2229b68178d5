package text

import "jobgait/analysis/note"

// maxRunes is where text of users is cut: a job name may have a kilobyte.
const maxRunes = 200

// Clean makes text of users fit to print, by the rules of note.Clean, which records obey
// already; what is longer than 200 runes is cut.
func Clean(s string) string {
	s = note.Clean(s, maxRunes+1)
	if runes := []rune(s); len(runes) > maxRunes {
		return string(runes[:maxRunes-3]) + "..."
	}
	return s
}
