package scaling

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestCoverageTable runs a small table. Of 80 intervals, 64 or fewer hold once
// in 10,000 draws at a true share of .95.
func TestCoverageTable(t *testing.T) {
	out := coverageText()
	row := regexp.MustCompile(`(?m)^all +80  ([.0-9]+) ([.0-9]+) ([.0-9]+) `).FindStringSubmatch(out)
	if row == nil {
		t.Fatalf("no row of all 80 series in:\n%s", out)
	}
	for i, s := range row[1:] {
		if v, err := strconv.ParseFloat(s, 64); err != nil || v <= 0.8 {
			t.Errorf("%d times the largest p: a share of %s holds", 1<<i, s)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again := coverageText(); again != out {
		t.Error("another number of cores gives another table")
	}
}

func coverageText() string {
	var out strings.Builder
	coverage(tableSettings{seed: 3, count: 4}, &out)
	return out.String()
}
