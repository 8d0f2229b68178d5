package history

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// consistsOf are functions with their seconds in 100 cycles of pattern A.
func consistsOf(functions map[anatomy.Function]float64) *anatomy.Anatomy {
	c := anatomy.Cycle{Pattern: "A", Count: 100}
	classes, libraries := map[string]float64{}, map[string]float64{}
	for _, s := range functions {
		c.BusyS += s
	}
	for f, s := range functions {
		c.Functions = append(c.Functions, anatomy.Share{Function: f, Share: s / c.BusyS, Seconds: s})
		classes[string(anatomy.ClassOf(f.Library))] += s
		libraries[f.Library] += s
	}
	for name, s := range classes {
		c.Classes = append(c.Classes, anatomy.Part{Name: name, Share: s / c.BusyS, Seconds: s})
	}
	for name, s := range libraries {
		c.Libraries = append(c.Libraries, anatomy.Part{Name: name, Share: s / c.BusyS, Seconds: s})
	}
	return &anatomy.Anatomy{Samples: 10_000, Run: c.Split, Cycles: []anatomy.Cycle{c}}
}

// coded is a run that has functions in each class, and more than are kept.
func coded(s summary.Summary) summary.Summary {
	f := map[anatomy.Function]float64{
		{Library: "lmp", Name: "PairLJCut::compute"}: 30, {Library: "libm.so.6", Name: "__ieee754_pow_fma"}: 6,
		{Library: "libm.so.6", Name: "__ieee754_pow_avx2"}: 2,
		{Library: "libmpi.so.40", Start: 0x4000}:           3, {Library: "libmpi.so.40", Start: 0x5000}: 1,
		{Library: anatomy.KernelCode}: 2, {Library: "lmp", Name: "rare"}: .1,
	}
	for i := range 9 {
		f[anatomy.Function{Library: "lmp", Name: fmt.Sprintf("small%d.isra.0", i)}] = .7 - float64(i)/100
	}
	s.Code, s.CodeNode, s.StepS = consistsOf(f), "n1", ptr(0.5)
	return s
}

func only(t *testing.T, db *DB, q HistoryQuery) ApplicationRuns {
	t.Helper()
	list, err := db.Histories(t.Context(), q)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d histories, %v", len(list), err)
	}
	return list[0]
}

func TestFunctionsOfARun(t *testing.T) {
	db := open(t)
	s := coded(oneNode(812344))
	mustPut(t, db, s, Ingest{})
	mustPut(t, db, s, Ingest{}) // again changes nothing
	got := only(t, db, HistoryQuery{}).Code[0]
	var names []string
	for _, c := range got {
		names = append(names, c.Library+":"+c.Name)
	}
	want := ":own :math :communication :kernel lmp:PairLJCut::compute libm.so.6:__ieee754_pow libmpi.so.40: lmp:small0 " +
		"lmp:small1 lmp:small2 lmp:small3 lmp:small4"
	if strings.Join(names, " ") != want {
		t.Errorf("%v", names)
	}
	busy, all := s.Code.Run.BusyS, 0.0
	for i, c := range got {
		if i < 4 {
			all += c.Share
		}
		if c.StepS == nil || math.Abs(*c.StepS-c.Share*busy/100) > 1e-4*busy/100 {
			t.Errorf("%+v: a step has %g s", c, busy/100)
		}
	}
	if math.Abs(all-1) > 2e-4 {
		t.Errorf("classes add up to %g", all)
	}
	if own := HistoryOfUnstoredRun(s).Code[0]; len(own) != len(got) || math.Abs(own[5].Share-got[5].Share) > 1e-4 ||
		own[5].Name != got[5].Name {
		t.Errorf("before it is stored: %+v", own)
	}
}

// A main pattern of two steps has twice the seconds of one; without a step there are
// shares alone.
func TestFunctionsFollowTheReference(t *testing.T) {
	s := coded(oneNode(1))
	s.StepS = ptr(0.25)
	if c := codeOf(s)[4]; math.Abs(*c.StepS-.15) > 1e-9 {
		t.Errorf("%+v %g", c, *c.StepS)
	}
	s.StepS = nil
	if c := codeOf(s)[4]; c.StepS != nil || c.Share == 0 {
		t.Errorf("%+v", c)
	}
}

func TestNameDisclosureToOthers(t *testing.T) {
	for detail, want := range map[run.DisclosureLevel][]string{run.AllNames: {"PairLJCut", "lmp"}, run.Libraries: {"lmp"},
		run.NoNames: nil} {
		db := open(t)
		s := coded(oneNode(812344))
		s.Job.Executable = "x"
		mustPut(t, db, s, Ingest{Names: detail})
		rows := dump(t, db.sql, "SELECT * FROM job_functions")
		kept, _, err := db.Lookup(t.Context(), Ref{ID: "812344"})
		if err != nil {
			t.Fatal(err)
		}
		if kept.Code != nil && detail != run.AllNames && len(kept.Code.Run.Functions) > 0 ||
			detail == run.NoNames && kept.Code != nil {
			t.Errorf("%s: the stored summary has %+v", detail, kept.Code)
		}
		for _, word := range []string{"PairLJCut", "lmp"} {
			if strings.Contains(rows, word) != slices.Contains(want, word) {
				t.Errorf("%s: %s in %s", detail, word, rows)
			}
		}
		if strings.Contains(dump(t, db.sql, "SELECT * FROM job_classes"), "communication") == (detail == run.NoNames) {
			t.Errorf("%s: classes", detail)
		}
		raw, err := os.ReadFile(db.path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "PairLJCut") && detail != run.AllNames {
			t.Errorf("%s: the file has the name", detail)
		}
	}
}

// A user who invents a name in every run fills 200 rows; further names of his runs then share one row per run.
func TestTheDictionaryIsBounded(t *testing.T) {
	db := open(t)
	for k := range 60 {
		s := oneNode(int64(812300 + k))
		s.Job.Name = "melt"
		f := map[anatomy.Function]float64{}
		for i := range 6 {
			f[anatomy.Function{Library: "lmp", Name: fmt.Sprintf("f%d_%d", k, i)}] = 1
		}
		s.Code = consistsOf(f)
		mustPut(t, db, s, Ingest{})
	}
	var parts, rows int
	if err := db.sql.QueryRow("SELECT (SELECT count(*) FROM internal_code_part), (SELECT count(*) FROM "+
		"internal_run_code)").Scan(&parts,
		&rows); err != nil {
		t.Fatal(err)
	}
	if parts > maxParts+1 {
		t.Errorf("%d names", parts)
	}
	h := only(t, db, HistoryQuery{Runs: 60})
	last := h.Code[len(h.Code)-1]
	if len(last) != 2 || last[1].Library != restLibrary || math.Abs(last[1].Share-1) > .001 {
		t.Errorf("%+v", last)
	}
}

// The limit is 350 B a run of eight functions and four classes.
func TestRoomOfFunctions(t *testing.T) {
	size := func(with bool) float64 {
		dir := t.TempDir()
		db, err := Open(t.Context(), filepath.Join(dir, "history.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.put(t.Context(), func(w *writer) error {
			for k := range roomRuns {
				s := oneNode(int64(812345))
				s.Key.JobID, s.Job.Name = run.JobID(1_000_000+k), "melt"
				s.Start += float64(k)
				run := w.insertRun(s, 0, "")
				if with {
					w.code(run, coded(s))
				}
			}
			return w.err
		}); err != nil {
			t.Fatal(err)
		}
		var bytes float64
		if err := db.sql.QueryRow("SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM " +
			"pragma_page_size)").Scan(&bytes); err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	bytesPerRun := (size(true) - size(false)) / roomRuns
	t.Logf("%.0f B a run", bytesPerRun)
	if bytesPerRun > 350 {
		t.Errorf("%.0f B a run", bytesPerRun)
	}
}

const roomRuns = 500
