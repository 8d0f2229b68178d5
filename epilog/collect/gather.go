package collect

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"time"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// RecordRequest names the run whose node records are requested, its nodes, and how long to wait for them.
type RecordRequest struct {
	Key run.Key `json:"key"`
	// AnyRun is set by a node that had no agent and so does not know the run's key: the run that ended nearest to
	// End is taken.
	AnyRun bool    `json:"any_run"`
	End    float64 `json:"end"` // UTC epoch seconds
	// Nodes are all nodes of the job, in order.
	Nodes []string `json:"nodes"`
	// Patience is how long to wait for records that are missing.
	Patience time.Duration `json:"patience"`
}

// maxEndGapS is the longest time, in seconds, between the ends of two nodes of one run: Epilogs run at the same
// time, but a node may have been down.
const maxEndGapS = 600

// The interval of polls grows from firstPoll, for jobs on few nodes, to lastPoll, which spares the file system
// for jobs on thousands.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = time.Second
)

// gatherRecords polls until every node has a record or the patience ends, and returns the records that exist
// then.
func gatherRecords(ctx context.Context, dir string, w RecordRequest, say func(string)) ([]summary.NodeRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	in := jobDir(dir, w.Key)
	for wait := firstPoll; ; wait = min(2*wait, lastPoll) {
		names, err := recordNames(in)
		if err != nil {
			return nil, err
		}
		if countReported(names, w) == len(w.Nodes) || ctx.Err() != nil {
			return readRecords(dir, names, w, say)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// countReported counts the nodes of w that have a record of this run or one written without an agent, by the
// names of the files; with AnyRun a record of any run counts.
func countReported(names []recordName, w RecordRequest) int {
	nodes := make(map[string]bool)
	for _, n := range names {
		if w.AnyRun || n.run == w.Key.String() || n.run == noAgent {
			nodes[n.node] = true
		}
	}
	count := 0
	for _, n := range w.Nodes {
		if nodes[nodeName(n)] {
			count++
		}
	}
	return count
}

// readRecords reads the records of the run, in the order of its nodes. A record that cannot be read counts as
// missing, and the report names its node; only a lack of permission is an error.
func readRecords(dir string, names []recordName, w RecordRequest, say func(string)) ([]summary.NodeRecord, error) {
	var all []summary.NodeRecord
	for _, n := range names {
		if !w.AnyRun && n.run != w.Key.String() && n.run != noAgent {
			continue
		}
		r, err := n.read(dir)
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if err != nil {
			handleUnreadable(dir, n, err, say)
			continue
		}
		all = append(all, r)
	}
	return selectRun(all, w), nil
}

// selectRun returns the records of one run, at most one per node: those with its key, and of nodes without an
// agent those that ended within maxEndGapS. With AnyRun the run is the sampled one that ended nearest to
// w.End.
func selectRun(all []summary.NodeRecord, w RecordRequest) []summary.NodeRecord {
	if w.AnyRun {
		w.Key = nearestRun(all, w)
	}
	kept := make([]summary.NodeRecord, 0, len(w.Nodes))
	for _, node := range w.Nodes {
		i := slices.IndexFunc(all, func(r summary.NodeRecord) bool {
			return r.Node == node && r.Sampled() && r.Key == w.Key
		})
		if i < 0 {
			i = slices.IndexFunc(all, func(r summary.NodeRecord) bool {
				return r.Node == node && !r.Sampled() && math.Abs(r.End-w.End) < maxEndGapS
			})
		}
		if i >= 0 {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// nearestRun returns the key of the sampled run that ended nearest to w.End, or w.Key if no run ended within
// maxEndGapS seconds of it.
func nearestRun(all []summary.NodeRecord, w RecordRequest) run.Key {
	key, best := w.Key, float64(maxEndGapS)
	for _, r := range all {
		if d := math.Abs(r.End - w.End); r.Sampled() && d < best {
			key, best = r.Key, d
		}
	}
	return key
}
