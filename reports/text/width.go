package text

import (
	"strings"
	"unicode"
)

// wideRunes are the characters that terminals draw two columns wide (mainly East Asian Width W and F, and the
// emoji blocks).
var wideRunes = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x2329, Hi: 0x232a, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23f3, Stride: 1}, {Lo: 0x25fd, Hi: 0x25fe, Stride: 1}, {Lo: 0x2614, Hi: 0x2615, Stride: 1},
		{Lo: 0x2648, Hi: 0x2653, Stride: 1}, {Lo: 0x267f, Hi: 0x267f, Stride: 1}, {Lo: 0x2693, Hi: 0x27bf, Stride: 1},
		{Lo: 0x2b1b, Hi: 0x2b1c, Stride: 1}, {Lo: 0x2b50, Hi: 0x2b55, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, {Lo: 0xa960, Hi: 0xa97f, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe10, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18cff, Stride: 1}, {Lo: 0x1aff0, Hi: 0x1b2ff, Stride: 1}, {Lo: 0x1f004, Hi: 0x1f004, Stride: 1},
		{Lo: 0x1f0cf, Hi: 0x1f0cf, Stride: 1}, {Lo: 0x1f18e, Hi: 0x1f19a, Stride: 1}, {Lo: 0x1f1e6, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

// Width returns how many terminal columns s takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth returns how many terminal columns a rune takes.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wideRunes, r):
		return 2
	}
	return 1
}

// Cut shortens s to at most w columns; a shortened text ends in "...".
func Cut(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	dots := "..."[:max(0, min(3, w))]
	var b strings.Builder
	n := len(dots)
	for _, r := range s {
		if n += runeWidth(r); n > w {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + dots
}

// PadRight cuts s to w columns and fills it with spaces at the right.
func PadRight(s string, w int) string { s = Cut(s, w); return s + Spaces(w-Width(s)) }

// PadLeft cuts s to w columns and fills it with spaces at the left.
func PadLeft(s string, w int) string { s = Cut(s, w); return Spaces(w-Width(s)) + s }

// Spaces returns n spaces, "" for a negative n.
func Spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// Wrap breaks s into lines of at most w columns, at spaces where there are any.
func Wrap(s string, w int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for Width(word) > w { // a word longer than a line is broken
			if line != "" {
				lines, line = append(lines, line), ""
			}
			head := Prefix(word, w)
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case word == "":
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= w:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Prefix returns the longest prefix of s of at most w columns, but at least one rune.
func Prefix(s string, w int) string {
	n := 0
	for i, r := range s {
		if n += runeWidth(r); n > w && i > 0 {
			return s[:i]
		}
	}
	return s
}
