package history

import (
	"strings"
	"testing"
)

// A record that was set aside is counted once, in a bounded list, and not again after pruning.
func TestAsideIsCounted(t *testing.T) {
	db := open(t)
	const now = 1.7e9
	list := []RejectedRecord{
		{"failed/a.json.gz", "start is 1e+18", now - 10},
		{"failed/b.json.gz", "bad\x1b[2J\n" + strings.Repeat("x", 1e6), now - 40*86400},
		{strings.Repeat("n", 1e5), "", 31688740476. * 365 * 86400},
	}
	for _, want := range []int{3, 0} {
		if n, err := db.CountRejected(t.Context(), list, now); n != want || err != nil {
			t.Fatalf("%d counted, %v; want %d", n, err, want)
		}
	}
	var worst string
	var rows, longest int
	var newest float64
	if err := db.sql.QueryRow(`SELECT count(*), max(length(Source)), max(AtEpoch), 
		(SELECT Source FROM ingest WHERE Source LIKE '%b.json.gz%')
		FROM ingest WHERE Status = 'aside' AND RunID IS NULL`).Scan(&rows, &longest, &newest, &worst); err != nil {
		t.Fatal(err)
	}
	if rows != 3 || longest > maxText || newest != now || strings.ContainsAny(worst, "\x1b\n") {
		t.Errorf("%d rows, %d long, newest %v: %.80q", rows, longest, newest, worst)
	}
	if _, err := db.sql.Exec("DELETE FROM internal_ingest_log WHERE at_s < ?; INSERT INTO internal_pruned VALUES "+
		"('ingest', ?)",
		now-30*86400, now-30*86400); err != nil {
		t.Fatal(err)
	}
	if n, err := db.CountRejected(t.Context(), list, now); n != 0 || err != nil {
		t.Errorf("%d counted again, %v", n, err)
	}
	// After the view was pruned, a record with a time in the future is still counted.
	late := []RejectedRecord{{"failed/c.json.gz", "damaged", now + 1e7}, {"failed/d.json.gz", "damaged", -1}}
	for i, want := range []int{2, 0} {
		if n, err := db.CountRejected(t.Context(), late, now+float64(i)); n != want || err != nil {
			t.Errorf("%d with an impossible time counted, %v; want %d", n, err, want)
		}
	}
}
