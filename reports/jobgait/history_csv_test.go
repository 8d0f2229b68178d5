package main

import (
	"bytes"
	"testing"

	"jobgait/analysis/history"
)

// A spreadsheet interprets no text of a user as a formula; numbers stay numbers.
func TestCSVHasNoFormulas(t *testing.T) {
	a := history.QueryResult{Columns: []string{"JobName", "Change"}, Rows: [][]any{
		{"=HYPERLINK(1)", -1.5}, {"+1", int64(-3)}, {"-cmd", nil}, {[]byte("@sum"), 0.0}, {"a=b", "7_3"}}}
	var out bytes.Buffer
	if err := printCSV(&out, a, true); err != nil {
		t.Fatal(err)
	}
	want := "JobName,Change\n'=HYPERLINK(1),-1.5\n'+1,-3\n'-cmd,\n'@sum,0\na=b,7_3\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
