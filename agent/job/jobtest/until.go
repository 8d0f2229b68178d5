package jobtest

import (
	"testing"
	"time"
)

// patience is how long Until waits: a machine that others use takes ten times as long as
// it does alone, and whoever waits in vain has failed anyway.
const patience = 2 * time.Minute

// Until waits until something is so, which what names, and ends the test if it never is.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain until %s", patience, what)
		}
	}
}
