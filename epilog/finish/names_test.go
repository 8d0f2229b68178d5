package finish

import (
	"context"
	"os"
	"strings"
	"testing"

	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/summary"
)

// The owner's report has the names of his functions; the history, which others read,
// has them where the site says so.
func TestNamesAreTheOwners(t *testing.T) {
	const canary, library = "canary_function", "libcanary.so.1"
	for detail, want := range map[string][2]bool{"all": {true, true}, "libraries": {false, true}, "off": {false, false}} {
		s := newSite(t)
		s.cfg.History.Names = detail
		f := s.finisher("n1")
		dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.4, Seal: true}, true)
		run, err := dir.ReadRun()
		must(t, err)
		end, err := ReadEnd(dir)
		must(t, err)
		r, err := f.nodeRecord(dir, run, end)
		must(t, err)
		split := anatomy.Split{BusyS: 20, Classes: []anatomy.Part{{Name: "own", Share: 1, Seconds: 20}},
			Libraries: []anatomy.Part{{Name: library, Share: 1, Seconds: 20}},
			Functions: []anatomy.Share{{Function: anatomy.Function{Library: library, Name: canary}, Share: 1, Seconds: 20}}}
		r.Code = &anatomy.Anatomy{Samples: 20_000, Run: split, Cycles: []anatomy.Cycle{}}
		r.Job = r.Job.WithFields(map[string]string{"library." + library: "ab12"})
		packed, err := summary.Encode(r)
		must(t, err)
		must(t, dir.WriteFile(recordFile, packed))
		must(t, f.Finish(context.Background(), dir))
		if text := s.text("jobgait-7.txt"); !strings.Contains(text, canary) {
			t.Errorf("%s: the report has no name:\n%s", detail, text)
		}
		file, err := os.ReadFile(s.cfg.History.Path)
		must(t, err)
		kept := s.stored("7").Code
		inFile := func(name string) bool { return strings.Contains(string(file), name) }
		if inFile(canary) != want[0] || inFile("libcanary") != want[1] || (kept != nil) != want[1] ||
			kept != nil && kept.HasNames() != want[0] {
			t.Errorf("%s: the history has the function: %v, the library: %v, kept %+v", detail, inFile(canary),
				inFile("libcanary"), kept)
		}
	}
}
