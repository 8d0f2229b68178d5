package collect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// The directory holds runs/<cluster>-<job id>/<run>@<node>.json.gz with the
// records of nodes, where <run> is the run key, or "none" for a node without an
// agent, which has no key; and jobs/<run key>.json.gz with whole runs.
const (
	runsDir = "runs"
	jobsDir = "jobs"
	suffix  = ".json.gz"
	noAgent = "none"
)

// maxFile bounds a record's file when it is read back: 100,000 nodes are 8 MB.
const maxFile = 32 << 20

func put(dir string, r summary.NodeRecord) error {
	return writeRecord(filepath.Join(jobDir(dir, r.Key), runName(r)+"@"+nodeName(r.Node)+suffix), r)
}

// runName is how a record's file says of which run it is.
func runName(r summary.NodeRecord) string {
	if r.Sampled() {
		return r.Key.String()
	}
	return noAgent
}

// jobDir is where the records of all runs of one job id meet: a node without
// an agent knows no more than that.
func jobDir(dir string, key run.Key) string {
	return filepath.Join(dir, runsDir, run.Key{Cluster: key.Cluster, JobID: key.JobID}.String())
}

// nodeName is how a record's file names its node; "@" separates it from the run.
func nodeName(node string) string { return run.PathElement(node, "node") }

// writeRecord writes v to path, whole and on the disk, or nothing.
func writeRecord(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory of a record: %w", err)
	}
	packed, err := summary.Encode(v)
	if err != nil {
		return err
	}
	return job.Replace(path, packed, 0o600, true)
}

// readRecord returns the JSON of a record.
func readRecord(path string) ([]byte, error) {
	packed, _, err := readFile(path, maxFile)
	if errors.Is(err, job.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return summary.Unpack(packed)
}

// Where the directory's file server reads a record, the node that wrote it may hold a lease on it (an NFS
// delegation), which the attempt to open it recalls.
const (
	leaseTries = 20
	leasePause = 50 * time.Millisecond
)

// readFile reads a regular file. It never waits for the other end of a pipe, and waits a little for the holder
// of a lease.
func readFile(path string, most int64) (text []byte, info fs.FileInfo, err error) {
	for range leaseTries {
		if text, info, err = job.ReadPlain(path, most); !leased(err) {
			break
		}
		time.Sleep(leasePause)
	}
	return text, info, err
}

// leased is whether a record could not be opened because of a lease: the next who
// looks will have it.
func leased(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }

// read reads the record that has this name, and believes it as far as it is
// valid and what its name says.
func (n recordName) read(dir string) (summary.NodeRecord, error) {
	text, err := readRecord(n.path(dir))
	if err != nil {
		return summary.NodeRecord{}, err
	}
	return decodeNode(text, func(r summary.NodeRecord) error { return n.names(dir, r) })
}

func (n recordName) path(dir string) string { return filepath.Join(dir, runsDir, n.job, n.file) }

// decodeNode decodes a record and asks it whether it can be.
func decodeNode(text []byte, more func(summary.NodeRecord) error) (summary.NodeRecord, error) {
	r, err := summary.DecodeNode(text)
	if err != nil {
		return r, err
	}
	if err := cmp.Or(r.Valid(now()), more(r)); err != nil {
		return r, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	return r, nil
}

// now is UTC epoch seconds.
func now() float64 { return float64(time.Now().Unix()) }

// forget removes the records of a run that is finished, but those that only a newer
// version can read: it will report them.
func forget(dir string, w Want) error {
	in := jobDir(dir, w.Key)
	names, err := recordNames(in)
	if err != nil {
		return err
	}
	var failed error
	for _, n := range names {
		if (n.run == w.Key.String() || n.run == noAgent) && !newer(n.path(dir)) {
			failed = errors.Join(failed, os.Remove(n.path(dir)))
		}
	}
	_ = os.Remove(in) // stays while a requeued run of the job uses it
	return failed
}

// newer is whether a record waits for a version that can read it.
func newer(path string) bool {
	packed, _, err := readFile(path, maxFile)
	return err == nil && summary.Newer(bytes.NewReader(packed))
}

// recordName is the file name of a node record, and of the directory that it is in.
type recordName struct{ job, file, run, node string }

// names is nil for a record that is what its file's name and place say.
func (n recordName) names(dir string, r summary.NodeRecord) error {
	run, in := runName(r), filepath.Base(jobDir(dir, r.Key))
	if n.run != run || n.node != nodeName(r.Node) || n.job != in {
		return fmt.Errorf("%s/%s holds %s of run %s", n.job, n.file, r.Node, run)
	}
	return nil
}

// recordNames lists the records in a job's directory: one directory read.
func recordNames(in string) ([]recordName, error) {
	entries, err := os.ReadDir(in)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list node records: %w", err)
	}
	var names []recordName
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), suffix)
		run, node, at := strings.Cut(base, "@")
		if ok && at && !strings.HasPrefix(base, ".") {
			names = append(names, recordName{job: filepath.Base(in), file: e.Name(), run: run, node: node})
		}
	}
	return names, nil
}
