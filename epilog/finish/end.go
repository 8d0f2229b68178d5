package finish

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
)

// End is how and when a run ended, as the Epilog was told: epilog.json in the
// run directory. It is written before anything else is done, so that a sweep
// can finish what a killed Epilog began.
type End struct {
	// Real is UTC epoch seconds, Mono CLOCK_MONOTONIC seconds, BootID the
	// boot that Mono belongs to.
	Real   float64 `json:"real"`
	Mono   float64 `json:"mono"`
	BootID string  `json:"boot_id"`
	// Exit is nil when the Epilog was not told.
	Exit *summary.Exit `json:"exit,omitempty"`
	// Job is what the Epilog was told of the job: its node list is that of
	// the whole job, while the Prolog may know only the first step's.
	Job summary.Job `json:"job"`
	// NoAgent is true when there was no run directory: no Prolog ran here.
	NoAgent bool `json:"no_agent,omitempty"`
	// Swept is true when a sweep wrote this because no Epilog had.
	Swept bool `json:"swept,omitempty"`
}

const (
	endFile    = "epilog.json"
	recordFile = "record.json"
	doneFile   = "done"
	partFile   = "partial"
)

// WriteEnd stores how the run ended, once: a second call changes nothing.
func WriteEnd(dir job.RunDir, e End) error {
	path := filepath.Join(string(dir), endFile)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return writeJSON(path, e)
}

// ReadEnd reads what WriteEnd stored.
func ReadEnd(dir job.RunDir) (End, error) {
	var e End
	b, err := os.ReadFile(filepath.Join(string(dir), endFile))
	if err != nil {
		return e, fmt.Errorf("how the run ended: %w", err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return e, fmt.Errorf("how the run ended: %s: %w", dir, err)
	}
	return e, nil
}

// Ended is whether the run's end is known on this node.
func Ended(dir job.RunDir) bool { return exists(dir, endFile) }

// Done is whether nothing is left to do for the run on this node.
func Done(dir job.RunDir) bool { return exists(dir, doneFile) }

func exists(dir job.RunDir, name string) bool {
	_, err := os.Lstat(filepath.Join(string(dir), name))
	return !errors.Is(err, fs.ErrNotExist)
}

// Nodes are all nodes of the job in order. The Epilog's list is the job's; the
// Prolog's may be the first step's.
func (e End) Nodes(run job.Run) ([]string, error) {
	list := e.Job.NodeList
	if list == "" {
		list = run.Job.NodeList
	}
	if list == "" {
		return []string{run.Node}, nil
	}
	nodes, err := job.ExpandNodeList(list)
	if err != nil {
		return nil, err
	}
	return nodes, nil
}

// ExitFromHook reads SLURM_JOB_EXIT_CODE, a wait status: 768 for exit 3, 11 for
// a segmentation fault, and 0 also for cancelled and timed-out jobs.
func ExitFromHook(getenv func(string) string) *summary.Exit {
	n, err := strconv.ParseUint(getenv("SLURM_JOB_EXIT_CODE"), 10, 32)
	if err != nil {
		return nil
	}
	w := syscall.WaitStatus(n)
	switch {
	case w.Exited():
		return &summary.Exit{Code: w.ExitStatus()}
	case w.Signaled():
		return &summary.Exit{Signal: int(w.Signal())}
	}
	return nil
}

// writeJSON writes v to path by temporary name and rename.
func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
