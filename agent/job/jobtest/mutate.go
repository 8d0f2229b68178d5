package jobtest

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Rounds is how often something random is tried: JOBGAIT_ROUNDS, or else few.
func Rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("JOBGAIT_ROUNDS")); err == nil {
		return n
	}
	return few
}

// Mutate returns a text of settings with one to three random changes: a byte changed or inserted, the end cut off, a
// line repeated or deleted, a value replaced by a hostile one.
func Mutate(random *rand.Rand, text string) string {
	values := []string{"", "-1", "0", "nan", "inf", "1e308", "9223372036854775808", "''", "'..'", "'/'", "[]", "{}",
		"[[]]", "true",
		"'\x1b[31m'", "\"\\u0000\"", "'" + strings.Repeat("x", 1<<16) + "'", strings.Repeat("[", 1<<12),
		"1979-05-27T07:32:00Z", "0x", "\"\"\""}
	for range 1 + random.IntN(3) {
		lines := strings.Split(text, "\n")
		at := random.IntN(len(lines))
		switch b := []byte(text); random.IntN(6) {
		case 0:
			if len(b) > 0 {
				b[random.IntN(len(b))] = byte(random.IntN(256))
			}
			text = string(b)
		case 1:
			text = text[:random.IntN(len(text)+1)]
		case 2:
			text = strings.Join(slices.Insert(lines, at, lines[random.IntN(len(lines))]), "\n")
		case 3:
			text = strings.Join(slices.Delete(lines, at, at+1), "\n")
		case 4:
			if key, _, ok := strings.Cut(lines[at], "="); ok {
				lines[at] = key + "= " + values[random.IntN(len(values))]
			}
			text = strings.Join(lines, "\n")
		case 5:
			i := random.IntN(len(text) + 1)
			text = text[:i] + string([]byte{byte(random.IntN(256))}) + text[i:]
		}
	}
	return text
}
