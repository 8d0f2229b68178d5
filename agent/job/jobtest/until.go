package jobtest

import (
	"testing"
	"time"
)

// patience is how long Until waits: a machine that others use takes ten times as long as
// an idle one.
const patience = 2 * time.Minute

// Until polls every shortest to longest, and sleeps at least restFactor times as long as a poll took: what it waits
// for needs the CPU too.
const (
	shortest   = 2 * time.Millisecond
	longest    = 200 * time.Millisecond
	restFactor = 4
)

// Until waits until so is true and ends the test if that takes longer than patience; what names it.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		began := time.Now()
		if so() {
			return
		}
		if began.After(end) {
			t.Fatalf("waited %v in vain until %s", patience, what)
		}
		time.Sleep(min(max(shortest, restFactor*time.Since(began)), longest))
	}
}
