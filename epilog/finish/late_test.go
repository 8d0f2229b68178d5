package finish

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile/profiletest"
	"jobgait/epilog/collect"
)

// tenSeconds is the profile of every node in these tests.
var tenSeconds = profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}

// runEnded makes the run directory of a node whose run ended a time before now.
func (s site) runEnded(node, nodes string, before time.Duration) job.RunDir {
	s.t.Helper()
	dir := s.run(node, nodes, seven, tenSeconds, true)
	r, err := dir.ReadRun()
	must(s.t, err)
	end, err := ReadEnd(dir)
	must(s.t, err)
	r.StartReal -= before.Seconds()
	end.Real -= before.Seconds()
	must(s.t, errors.Join(dir.WriteRun(r), dir.WriteJSON(endFile, end)))
	return dir
}

// idle makes the records of the run as old as those that another node adopts.
func (s site) idle() {
	s.t.Helper()
	old := time.Now().Add(-adoptAfter - time.Minute)
	must(s.t, os.Chtimes(filepath.Join(s.cfg.Collect.Dir, "runs", "test-7.r0"), old, old))
}

// storedNodes returns of how many nodes the stored run is: in the history or, if another host writes it, in the job
// record.
func (s site) storedNodes() (nodes int) {
	s.t.Helper()
	if s.cfg.History.Ingest == "here" {
		return s.stored("7").Reported()
	}
	_, _, err := collect.Jobs(s.cfg.Collect.Dir, func(records []collect.JobRecord) []error {
		nodes = records[0].Summary.Reported()
		return []error{errors.New("the test leaves the record there")}
	})
	if err == nil {
		s.t.Error("there is no job record")
	}
	return nodes
}

// reportFrom checks that the report and the stored run have this number of nodes, and returns the report's inode.
func (s site) reportFrom(nodes, of int) uint64 {
	s.t.Helper()
	if lacks := strings.Contains(s.text("jobgait-7.txt"), "not in this report"); lacks != (nodes < of) {
		s.t.Errorf("the report says that nodes are missing: %v, want %v", lacks, nodes < of)
	}
	if got := s.storedNodes(); got != nodes {
		s.t.Errorf("the stored run has %d nodes, want %d", got, nodes)
	}
	n, _ := inode(filepath.Join(s.work, "jobgait-7.txt"))
	return n
}

// finished checks that the collection directory has no record of the run and that the directories are closed.
func (s site) finished(dirs ...job.RunDir) {
	s.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "runs", "*")); len(left) > 0 {
		s.t.Errorf("records are left: %v", left)
	}
	for _, dir := range dirs {
		if got := StateOf(dir); got != Closed {
			s.t.Errorf("the state of %s is %v", dir, got)
		}
	}
}

// withEachIngest runs a test with the history on this node and nodesReportedElsewhere.
func withEachIngest(t *testing.T, do func(s site)) {
	for _, ingest := range []string{"here", "spool"} {
		t.Run("history "+ingest, func(t *testing.T) {
			t.Parallel()
			do(newSite(t).withHistory(ingest))
		})
	}
}

// A node that was killed after its record was collected collects it again when it returns. The complete report stays.
func TestRecordCollectedAgainAfterTheReport(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		second := s.run("n2", "n1,n2", seven, tenSeconds, true)
		s.killAt("n2", point{Collected, afterProof})
		first := s.run("n1", "n1,n2", seven, tenSeconds, true)
		s.sweep("n1")
		report := s.reportFrom(2, 2)
		s.sweep("n2")
		s.idle()
		s.sweep("n2")
		if s.reportFrom(2, 2) != report {
			s.t.Error("the report was delivered again")
		}
		s.finished(first, second)
	})
}

// The first node was killed before it reported and returns after another node has adopted the run. The complete
// report stays.
func TestFirstNodeReturnsAfterAdoption(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		second := s.runEnded("n2", "n1,n2", adoptAfter)
		s.sweep("n2")
		first := s.runEnded("n1", "n1,n2", adoptAfter)
		s.killAt("n1", point{Collected, afterProof})
		s.idle()
		s.sweep("n2")
		report := s.reportFrom(2, 2)
		s.sweep("n1")
		s.sweep("n1")
		if s.reportFrom(2, 2) != report {
			s.t.Error("the report was delivered again")
		}
		s.finished(first, second)
	})
}

// A first node that returns after another node has adopted the run without it completes the report.
func TestFirstNodeCompletesAnAdoptedReport(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		for _, node := range []string{"n2", "n3"} {
			s.runEnded(node, "n1,n2,n3", adoptAfter)
			s.sweep(node)
		}
		s.idle()
		s.sweep("n3")
		report := s.reportFrom(2, 3)
		s.idle()
		s.sweep("n2")
		s.sweep("n3")
		if s.reportFrom(2, 3) != report {
			s.t.Error("the report was delivered again without news")
		}
		first := s.runEnded("n1", "n1,n2,n3", adoptAfter)
		s.sweep("n1")
		if s.reportFrom(3, 3) == report {
			s.t.Error("the report was not replaced")
		}
		s.finished(first)
	})
}

// A node that returns after the first node stopped waiting adds its record to those that the report was made from.
func TestLateNodeCompletesTheReport(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		s.runEnded("n2", "n1,n2,n3", missingNodesWait)
		s.sweep("n2")
		first := s.runEnded("n1", "n1,n2,n3", missingNodesWait)
		s.sweep("n1")
		report := s.reportFrom(2, 3)
		if StateOf(first) != Closed {
			s.t.Errorf("the state is %v", StateOf(first))
		}
		third := s.runEnded("n3", "n1,n2,n3", missingNodesWait)
		s.sweep("n3")
		s.idle()
		s.sweep("n3")
		if s.reportFrom(3, 3) == report {
			s.t.Error("the report was not replaced")
		}
		s.finished(first, third)
	})
}

// A late record whose run's other records are removed does not replace the report of those.
func TestLateNodeWithoutTheOtherRecords(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		s.runEnded("n2", "n1,n2,n3", missingNodesWait)
		s.sweep("n2")
		s.runEnded("n1", "n1,n2,n3", missingNodesWait)
		s.sweep("n1")
		report := s.reportFrom(2, 3)
		must(s.t, os.RemoveAll(filepath.Join(s.cfg.Collect.Dir, "runs")))
		s.runEnded("n3", "n1,n2,n3", missingNodesWait)
		s.sweep("n3")
		s.idle()
		s.sweep("n3")
		if s.reportFrom(2, 3) != report {
			s.t.Error("the report was delivered again")
		}
	})
}

// A node whose end of the run is recorded only after it has booted again is late, although that end is now.
func TestEndRecordedAfterABoot(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		s.runEnded("n2", "n1,n2,n3", missingNodesWait)
		s.sweep("n2")
		s.runEnded("n3", "n1,n2,n3", missingNodesWait)
		s.sweep("n3")
		s.idle()
		s.sweep("n3")
		report := s.reportFrom(2, 3)
		must(s.t, os.RemoveAll(filepath.Join(s.cfg.Collect.Dir, "runs")))
		dir := s.runEnded("n1", "n1,n2,n3", missingNodesWait)
		end, err := ReadEnd(dir)
		must(s.t, err)
		end.Real, end.BootID = epoch(time.Now()), "another"
		must(s.t, dir.WriteJSON(endFile, end))
		s.sweep("n1")
		if s.reportFrom(2, 3) != report {
			s.t.Error("the report of two nodes was replaced by that of one")
		}
	})
}

// What the collection directory's account writes about a run that has just ended suppresses no report.
func TestForgedLastReport(t *testing.T) {
	t.Parallel()
	withEachIngest(t, func(s site) {
		now := epoch(time.Now())
		store := collect.Store{Dir: s.cfg.Collect.Dir}
		must(s.t, store.PutLastReport(s.t.Context(),
			collect.LastReport{Key: seven, Nodes: 2, Of: 2, Start: now - 1000, End: now + 1000}))
		s.run("n2", "n1,n2", seven, tenSeconds, true)
		s.sweep("n2")
		first := s.run("n1", "n1,n2", seven, tenSeconds, true)
		s.sweep("n1")
		s.reportFrom(2, 2)
		s.finished(first)
	})
}

// A run of several nodes that ended longer ago than reports are remembered is not reported any more; a run of one node
// is.
func TestAbandonedRunOfSeveralNodes(t *testing.T) {
	t.Parallel()
	for nodes, want := range map[string]bool{"n1": true, "n1,n2": false} {
		s := newSite(t)
		s.runEnded("n1", nodes, abandonAfter+time.Minute)
		s.sweep("n1")
		if _, got := inode(filepath.Join(s.work, "jobgait-7.txt")); got != want {
			t.Errorf("job on %s: reported %v, want %v", nodes, got, want)
		}
	}
}

// The first node writes to the collection directory from how many nodes a run was reported, unless it has one node.
func TestLastReportFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.run("n2", "n1,n2", seven, tenSeconds, true)
	s.sweep("n2")
	s.run("n1", "n1,n2", seven, tenSeconds, true)
	s.sweep("n1")
	text, err := os.ReadFile(filepath.Join(s.cfg.Collect.Dir, "reported", "test-", "test-7.r0.json"))
	must(t, err)
	var last collect.LastReport
	must(t, json.Unmarshal(text, &last))
	if last.Key != seven || last.Nodes != 2 || last.Of != 2 || !last.Complete() {
		t.Errorf("%s", text)
	}
	s = newSite(t) // no other node can return
	s.run("n1", "n1", seven, tenSeconds, true)
	s.sweep("n1")
	if made, _ := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "reported", "*", "*")); len(made) > 0 {
		t.Errorf("a run of one node has %v", made)
	}
}

// A pipe, link or directory in the place of the run's last report does not keep a late run unfinished.
func TestLateRunWithAnIrregularLastReport(t *testing.T) {
	t.Parallel()
	for name, create := range jobtest.Irregular() {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			second := s.runEnded("n2", "n1,n2", adoptAfter)
			s.sweep("n2")
			jobtest.ReplaceByIrregular(t, filepath.Join(s.cfg.Collect.Dir, "reported", "test-", "test-7.r0.json"), create)
			first := s.runEnded("n1", "n1,n2", adoptAfter)
			s.sweep("n1")
			s.reportFrom(2, 2)
			s.finished(first, second)
		})
	}
}
