package note

import "fmt"

// Count writes how many there are of a thing: 1 run, 2 runs.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
