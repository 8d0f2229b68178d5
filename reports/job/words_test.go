package job

import (
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
)

// The help names the confidence from which the detector reports a period; it named 0.4 when reports had patterns
// of 0.31.
func TestWordsNameTheLeastConfidence(t *testing.T) {
	words := Words()
	i := slices.IndexFunc(words, func(w GlossaryEntry) bool { return w.Name == "confidence" })
	if i < 0 {
		t.Fatal("confidence is not explained")
	}
	for _, least := range []float64{periodicity.LeastConfidenceOfSampledCode, periodicity.LeastConfidence(1),
		periodicity.LeastConfidence(manyColumns)} {
		if want := "below " + quantity.Hundredths(least); !strings.Contains(words[i].Text, want) {
			t.Errorf("no %q in %q", want, words[i].Text)
		}
	}
	if least := periodicity.LeastConfidence(1); least > 0.31 {
		t.Errorf("the least confidence is %v: patterns of 0.31 were reported", least)
	}
}
