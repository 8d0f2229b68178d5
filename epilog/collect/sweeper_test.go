package collect

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"jobgait/analysis/run"
)

func elect(t *testing.T, dir, name string) bool {
	t.Helper()
	won, err := Sweeper{Name: name}.elect(dir)
	if err != nil {
		t.Fatal(err)
	}
	return won
}

// aged gives the file of the elected one another age.
func aged(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(filepath.Join(dir, sweeperFile), at, at); err != nil {
		t.Fatal(err)
	}
}

// TestOneIsElected tries two nodes against each other.
func TestOneIsElected(t *testing.T) {
	dir := t.TempDir()
	if !elect(t, dir, "a") || elect(t, dir, "b") || !elect(t, dir, "a") {
		t.Error("the first is not the only one")
	}
	for _, age := range []time.Duration{2 * electionTerm, -2 * electionTerm} { // died; or the server's clock was set back
		aged(t, dir, age)
		if !elect(t, dir, "b") || elect(t, dir, "a") {
			t.Errorf("after %v the other does not take its place", age)
		}
		aged(t, dir, age)
		if !elect(t, dir, "a") {
			t.Error("and not back again")
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestManyAreLate lets many processes claim the place at the same time: none fails, and exactly one has it at
// the end.
func TestManyAreLate(t *testing.T) {
	dir := t.TempDir()
	elect(t, dir, "dead")
	aged(t, dir, 2*electionTerm)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		all.Go(func() {
			if _, err := (Sweeper{Name: name}).elect(dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	holder, _, err := electedSweeper(filepath.Join(dir, sweeperFile))
	if err != nil || len(holder) != 1 || !elect(t, dir, holder) || elect(t, dir, "z") {
		t.Errorf("elected is %q, %v", holder, err)
	}
}

// TestOrphansOfSweepers brings all runs to the elected one, to others their own.
func TestOrphansOfSweepers(t *testing.T) {
	dir := t.TempDir()
	for id := range run.JobID(3) {
		r := record("n1", run.Key{Cluster: "hpc", JobID: id + 1}, 1, 100)
		if err := putNodeRecord(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	of := func(w Sweeper) int {
		t.Helper()
		found, err := orphans(dir, time.Nanosecond, w, func(why string) { t.Error(why) })
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	own := []string{JobName(run.Key{Cluster: "hpc", JobID: 2}), "../x", "none"}
	if n := of(Sweeper{"a", nil}); n != 3 {
		t.Errorf("the elected one has %d runs", n)
	}
	if n := of(Sweeper{"b", own}); n != 1 {
		t.Errorf("the other has %d runs", n)
	}
}
