package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxMeasuredLines limits a MEASURED.md to a page that a reader reads whole: accuracy, what each mechanism contributes,
// how to reproduce both. Superseded tables are in git.
const maxMeasuredLines = 100

// lineLimits lists the files that are longer, and their limit.
var lineLimits = map[string]int{
	"analysis/changepoint/MEASURED.md": 120,
}

func TestMeasuredFitsAPage(t *testing.T) {
	for _, name := range treeFiles(t, "*MEASURED.md") {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		limit := maxMeasuredLines
		if lineLimits[name] > 0 {
			limit = lineLimits[name]
		}
		if n := strings.Count(string(text), "\n"); n > limit {
			t.Errorf("%s has %d lines; the limit is %d: remove superseded tables", name, n, limit)
		}
	}
}
