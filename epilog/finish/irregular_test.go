package finish

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/names"
	"jobgait/agent/profile/profiletest"
	"jobgait/agent/stack"
	"jobgait/analysis/run"
)

// No file of a run directory or of the spool, whatever it is, makes a sweep wait or keeps it from finishing the other
// runs of the node.
func TestIrregularFilesInTheSpool(t *testing.T) {
	t.Parallel()
	eight := run.Key{Cluster: "test", JobID: 8}
	short := profiletest.SyntheticRun{Seconds: 1, Seal: true}
	for kind, create := range jobtest.Irregular() {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t)
			s.cfg.Spool.Keep = "none"
			var replaced []string
			for i, name := range []string{"env.json", endFile, "details.json", recordFile, "profile.jgp", "lock", "agent.pid",
				triedFile, reportedFile, archivedFile, "prolog.json", names.KnownFile, stack.RecordFile, "agent.log"} {
				dir := s.run("n1", "n1", run.Key{Cluster: "test", JobID: run.JobID(100 + i)}, short, true)
				replaced = append(replaced, dir.Path(name))
			}
			healthy, spool := s.run("n1", "n1", eight, short, true), s.finisher("n1").Spool
			for _, name := range []string{"health.json", historyStuckFile, "collect" + leftSuffix, "jobgait.log",
				filepath.Join(retiredDir, oneNode, "1"), filepath.Join(retiredDir, manyNodes, "0"),
				filepath.Join(deliveryLocksDir, "4711"), filepath.Join(deliveryLocksDir, "4712"+leftSuffix),
				filepath.Join(reportsDir, seven.String(), "jobgait-7.txt")} {
				replaced = append(replaced, filepath.Join(spool, name))
			}
			for _, path := range replaced {
				jobtest.ReplaceByIrregular(t, path, create)
			}
			did, err := s.finisher("n1").Sweep(context.Background(), true)
			if !Done(healthy) || s.stored("8").Key != eight || did.Finished < 8 {
				t.Errorf("the other runs are not finished: %+v, %v", did, err)
			}
			for _, path := range replaced {
				if _, err := os.Lstat(path + ".target"); err == nil {
					t.Errorf("the target of the link at %s was made", path)
				}
			}
		})
	}
}
