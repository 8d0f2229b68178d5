package run

import "strings"

// MaxPathElement is the length of the longest result of PathElement, in bytes. A file
// name of Linux has 255; callers append a run's number and an extension.
const MaxPathElement = 128

// PathElement makes one element of a path from a name: letters, digits, '.', '_' and '-' stay, every other
// character becomes '_', and leading dots and dashes go, so that the result is neither hidden, nor "..", nor an
// option. The result is cut to MaxPathElement characters. It returns fallback where nothing is left. It changes
// nothing that it has returned.
func PathElement(name, fallback string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name, ".-")
	if name == "" {
		return fallback
	}
	return name[:min(len(name), MaxPathElement)]
}
