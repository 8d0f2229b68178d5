package job

import (
	"strings"
	"testing"

	"jobgait/analysis/periodicity"
)

// A period is reported in the words that fit its confidence, and cycles of varying length with their range.
func TestClaimByConfidence(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		kind       periodicity.Kind
		want       string
	}{
		{0.8, periodicity.Equal, "One cycle takes 880 ms"},
		{0.79, periodicity.Equal, "One cycle likely takes 880 ms"},
		{0.6, periodicity.Equal, "One cycle likely takes 880 ms"},
		{0.59, periodicity.Equal, "One cycle perhaps takes 880 ms"},
		{0.9, periodicity.Unequal, "A cycle of 600 to 1400 ms (median 880 ms): 41 times"},
		{0.7, periodicity.Unequal, "Likely a cycle of 600 to 1400 ms (median 880 ms): 41 times"},
	} {
		lo, hi := 0.6, 1.4
		q := Pattern{Kind: c.kind, Confidence: c.confidence, Instances: 41, P10S: &lo, P90S: &hi,
			Period: newEstimate(0.88, 0.8, 0.9, 41, "")}
		if got := q.claim(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v %s: %q, want %q", c.confidence, c.kind, got, c.want)
		}
	}
}
