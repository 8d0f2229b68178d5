package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// LastReport says from how many nodes the last report of a run was made. A node that returns late, or another node
// that finds its record, makes a new report only from more nodes. The file is
// reported/<cluster>-<job id without its last four digits>/<run key>.json.
type LastReport struct {
	Key   run.Key `json:"key"`
	Nodes int     `json:"nodes"` // in the report
	Of    int     `json:"of"`    // nodes of the job
	Start float64 `json:"start"` // of the run, UTC epoch seconds
	End   float64 `json:"end"`
}

const (
	reportedDir    = "reported"
	reportedSuffix = ".json"
	maxLastReport  = 4096 // bytes of the file
)

const (
	// keepReported is how long the files of last reports stay: longer than a node retries an unfinished run (30 days,
	// abandonAfter in package finish) and another node then waits before it adopts the run (25 hours).
	keepReported = 32 * 24 * time.Hour
	// maxReportedDirs limits the directories of last reports. Each has the runs of 10,000 job ids, so that there are at
	// most a million files, unless jobs are requeued. A run whose file is removed early counts as never reported.
	maxReportedDirs = 100
	// keepRecords is how long the records of a report that lacks nodes stay, so that the record of a late node can be
	// merged with them.
	keepRecords = 7 * 24 * time.Hour
)

// Complete reports whether the report has all nodes of the job.
func (l LastReport) Complete() bool { return l.Nodes > 0 && l.Nodes >= l.Of }

// IsOf reports whether the report is of a run that began at start (UTC epoch seconds), and not of an earlier job with
// the same id. It returns false for the zero value.
func (l LastReport) IsOf(start float64) bool { return l.Nodes > 0 && start <= l.End+maxClockGapS }

// maxClockGapS is the largest difference between the clocks of two nodes, in seconds.
const maxClockGapS = 60

// reportedPath returns the path of the file about the last report of a run. jobName is the name of the job's
// directory in runs/, runName that of the run.
func reportedPath(dir, jobName, runName string) string {
	end := strings.LastIndexByte(jobName, '.') // "hpc-1234567.r0": the bucket is "hpc-123"
	begin := strings.LastIndexByte(jobName, '-') + 1
	bucket := jobName[:max(begin, end-4)]
	return filepath.Join(dir, reportedDir, bucket, runName+reportedSuffix)
}

// readLastReport reads the last report of a run and when it was made (the file server's time). It returns the zero
// value if the file does not exist or is damaged, and also for a pipe, link or directory of its name: any process of
// the account can make one, and with an error the run would never be finished.
func readLastReport(dir, jobName, runName string) (LastReport, time.Time, error) {
	text, info, err := readFile(reportedPath(dir, jobName, runName), maxLastReport)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, job.ErrTooLarge),
		errors.Is(err, job.ErrIrregular):
		return LastReport{}, time.Time{}, nil
	}
	if err != nil {
		return LastReport{}, time.Time{}, fmt.Errorf("read from how many nodes run %s was reported: %w", runName, err)
	}
	return decodeLastReport(text), info.ModTime(), nil
}

// decodeLastReport parses the JSON of a last report. It returns the zero value for text that is damaged or has
// impossible values.
func decodeLastReport(text []byte) LastReport {
	var l LastReport
	if json.Unmarshal(text, &l) != nil || l.Key.Valid() != nil || l.Nodes < 1 || l.Nodes > l.Of {
		return LastReport{}
	}
	return l
}

// findLastReport returns the last report of the run that w describes and when it was made, zero values if no
// report is known. With AnyRun it is that of the job's run that ended nearest to w.End.
func findLastReport(dir string, w RecordRequest) (last LastReport, made time.Time, err error) {
	in := filepath.Base(jobDir(dir, w.Key))
	if !w.AnyRun {
		return readLastReport(dir, in, w.Key.String())
	}
	entries, err := os.ReadDir(filepath.Dir(reportedPath(dir, in, "")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return last, made, fmt.Errorf("list the reported runs: %w", err)
	}
	nearest := float64(maxEndGapS)
	for _, e := range entries {
		runName, ok := strings.CutSuffix(e.Name(), reportedSuffix)
		if !ok || !strings.HasPrefix(runName, strings.TrimSuffix(in, "r0")) {
			continue
		}
		l, at, err := readLastReport(dir, in, runName)
		if err != nil {
			return last, made, err
		}
		if gap := math.Abs(l.End - w.End); l.Nodes > 0 && gap < nearest {
			last, made, nearest = l, at, gap
		}
	}
	return last, made, nil
}

// putLastReport writes from how many nodes a run was reported, unless the directory has a report of the same run from
// as many or more nodes.
func putLastReport(dir string, l LastReport) error {
	in, name := filepath.Base(jobDir(dir, l.Key)), l.Key.String()
	old, _, err := readLastReport(dir, in, name)
	if err != nil {
		return err
	}
	if old.IsOf(l.Start) && old.Nodes >= l.Nodes {
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("internal error, please report it: encode the last report of run %s: %w", name, err)
	}
	return replaceFile(dir, reportedPath(dir, in, name), append(text, '\n'))
}

// removeOldReported removes those directories of last reports to which none was added for keepReported, and the oldest
// beyond maxReportedDirs.
func removeOldReported(dir string) error {
	in := filepath.Join(dir, reportedDir)
	entries, err := os.ReadDir(in)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list the reported runs: %w", err)
	}
	added := map[string]time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has removed it
		}
		if err != nil {
			return fmt.Errorf("list the reported runs: %w", err)
		}
		added[e.Name()] = info.ModTime()
	}
	newestFirst := slices.SortedFunc(maps.Keys(added), func(a, b string) int { return added[b].Compare(added[a]) })
	for i, name := range newestFirst {
		if i < maxReportedDirs && time.Since(added[name]) <= keepReported {
			continue
		}
		if err := os.RemoveAll(filepath.Join(in, name)); err != nil {
			return fmt.Errorf("remove old reported runs: %w", err)
		}
	}
	return nil
}

// waitsForLateNodes reports whether the records with these names are only kept for nodes that return late: the last
// reports of their runs are of as many nodes, lack some, and are younger than keepRecords. It reads no record; one
// that was written without an agent counts for every run.
func waitsForLateNodes(dir string, names []recordName) (bool, error) {
	count := map[string]int{} // of records, by run
	for _, n := range names {
		count[n.run]++
	}
	without := count[noAgent]
	delete(count, noAgent)
	for runName, records := range count {
		last, made, err := readLastReport(dir, names[0].job, runName)
		if err != nil || last.Nodes < records+without || last.Complete() || time.Since(made) > keepRecords {
			return false, err
		}
	}
	return len(count) > 0, nil
}

// withNews returns the records of those runs of which more nodes have records than their last report has. It removes
// the records of the others: at once if the report is complete, else keepRecords after it.
func withNews(dir string, records []summary.NodeRecord) ([]summary.NodeRecord, error) {
	byRun := map[run.Key][]summary.NodeRecord{}
	for _, r := range records {
		byRun[r.Key] = append(byRun[r.Key], r)
	}
	var found []summary.NodeRecord
	for key, records := range byRun {
		first := records[0]
		last, made, err := findLastReport(dir, RecordRequest{Key: key, AnyRun: !first.Sampled(), End: first.End})
		switch {
		case err != nil:
			return nil, err
		case !last.IsOf(first.Start) || last.Nodes < len(records):
			found = append(found, records...)
		case last.Complete() || time.Since(made) > keepRecords:
			for _, r := range records {
				if err := removePath(recordPath(dir, r)); err != nil {
					return nil, fmt.Errorf("remove a record of run %s, which is reported: %w", key, err)
				}
			}
			_ = os.Remove(jobDir(dir, key)) // stays while it has other records
		}
	}
	return found, nil
}
