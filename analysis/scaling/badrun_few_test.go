package scaling

import (
	"fmt"
	"strings"
	"testing"
)

// One bad run among six sizes that were run once is named, and the interval at twice the largest size holds the
// law: the run is left out between two others on either side, and else predictions allow for another law too. A
// deviation of the first run may be explained by a law, and one of the last is a change.
func TestOneBadRunOfSixSizes(t *testing.T) {
	law := func(p float64) float64 { return 10 + 3*p }
	for k := range 5 {
		for _, factor := range []float64{0.1, 0.3, 3} {
			s := runsOf(doublings(6), 1, law)
			s.Observations[k].Value *= factor
			r := Analyse([]Series{s}, Likelihood)[0]
			sound(t, r)
			notes := fmt.Sprint(r.Notes)
			if !strings.Contains(notes, fmt.Sprintf("run %d at", k+1)) && k > 0 {
				t.Errorf("run %d, factor %g: not named: %s", k+1, factor, notes)
			}
			if inside := k == 2 || k == 3; inside && (r.Segmented || !strings.Contains(notes, "left out")) {
				t.Errorf("run %d, factor %g: segmented %v, not left out: %s", k+1, factor, r.Segmented, notes)
			}
			if p := r.Predictions[1]; p.Lo > law(p.P) || p.Hi < law(p.P) {
				t.Errorf("run %d, factor %g: %.4g .. %.4g at %g, want %g inside", k+1, factor, p.Lo, p.Hi, p.P, law(p.P))
			}
		}
	}
}
