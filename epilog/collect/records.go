package collect

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

// maxRecord bounds one record when it is read back.
const maxRecord = 64 << 20

func put(dir string, r summary.NodeRecord) error {
	return writeRecord(filepath.Join(jobDir(dir, r.Key), runName(r)+"@"+fileName(r.Node)+suffix), r)
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
func jobDir(dir string, key summary.RunKey) string {
	return filepath.Join(dir, runsDir, summary.RunKey{Cluster: key.Cluster, JobID: key.JobID}.String())
}

// fileName keeps a node's name one path element.
func fileName(node string) string {
	return strings.NewReplacer("/", "_", "@", "_", "\x00", "_").Replace(node)
}

// writeRecord writes v to path by temporary name and rename, so that a reader
// sees all of it or nothing.
func writeRecord(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory of a record: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return fmt.Errorf("write a record: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	zip := gzip.NewWriter(tmp)
	err = json.NewEncoder(zip).Encode(v)
	err = errors.Join(err, zip.Close(), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write record %s: %w", path, err)
	}
	return nil
}

func readRecord(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	if err := decodeRecord(b, v); err != nil {
		return fmt.Errorf("read record %s: %w", path, err)
	}
	return nil
}

// errDamaged is returned for a record that is none, or not whole. It will not
// become better, unlike one that the file system did not give.
var errDamaged = errors.New("damaged")

// decodeRecord is readRecord's parser.
func decodeRecord(b []byte, v any) error {
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	text, err := io.ReadAll(io.LimitReader(zip, maxRecord))
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

func forget(dir string, w Want) error {
	in := jobDir(dir, w.Key)
	names, err := recordNames(in)
	if err != nil {
		return err
	}
	var failed error
	for _, n := range names {
		if n.run == w.Key.String() || n.run == noAgent {
			failed = errors.Join(failed, os.Remove(filepath.Join(in, n.file)))
		}
	}
	_ = os.Remove(in) // stays while a requeued run of the job uses it
	return failed
}

// recordName is the file name of a node record, and of the directory that it is in.
type recordName struct{ job, file, run, node string }

// names is nil for a record that is what its file's name and place say.
func (n recordName) names(dir string, r summary.NodeRecord) error {
	if err := r.Key.Valid(); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	run, in := runName(r), filepath.Base(jobDir(dir, r.Key))
	if n.run != run || n.node != fileName(r.Node) || n.job != in {
		return fmt.Errorf("%w: %s/%s holds %s of run %s", errDamaged, n.job, n.file, r.Node, run)
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
		return nil, fmt.Errorf("look for node records: %w", err)
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
