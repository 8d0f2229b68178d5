package dashboard

import (
	"strings"
	"testing"
	"time"
)

// ofRuns is a page of a site's runs of which one failed, and one has a report that can be read.
func ofRuns() Contents {
	in := site(1, 24)
	failed := ListedRun{JobID: "7", User: "bob", App: "melt", Start: time.Unix(1795150000, 0), ElapsedS: 3.2, Failed: true,
		Ended: "ended by signal 11 (segmentation fault)", Finding: "1.2 of 2 CPUs were idle on average.", Page: "/out/7.html"}
	in.Runs = &RunList{Total: 14, TotalFailed: 1, Failed: []ListedRun{failed},
		Newest: []ListedRun{failed, {JobID: "6", App: "<b>", Start: time.Unix(1795140000, 0), Ended: "exit code 0",
			Page: "/gone/6.html"}}}
	in.ShowUsers = true
	in.Link = func(path string) string {
		if strings.HasPrefix(path, "/out/") {
			return ".." + path
		}
		return ""
	}
	return in
}

// The page lists the failed and the newest runs with how they ended; only a run whose report can be read is a link.
func TestRunTables(t *testing.T) {
	p := page(t, ofRuns())
	failed, newest := between(t, p, "<h2>Failed runs</h2>", "</section>"),
		between(t, p, "<h2>Newest runs</h2>", "</section>")
	const link = `<a href="../out/7.html" target="_blank" rel="noopener">7</a>`
	for _, want := range []string{link, "bob / melt", "segmentation fault", "the only one of the last 14 days",
		"1.2 of 2 CPUs"} {
		if !strings.Contains(failed, want) {
			t.Errorf("failed runs lack %q:\n%s", want, failed)
		}
	}
	if strings.Count(newest, "<a ") != 1 || !strings.Contains(newest, ">6</td>") || strings.Contains(newest, "<b><") ||
		!strings.Contains(newest, "the newest 2 of 14") {
		t.Error(newest)
	}
	if !strings.Contains(p, "<dt>failed runs</dt><dd>1 <small>of 14 in the last 14 days") {
		t.Error("no number of failed runs at the top")
	}
}
