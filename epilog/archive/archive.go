// Package archive keeps the inputs of a run's report, so that a later version can produce it again: for each
// node what the Prolog and the Epilog knew about the run, the sealed profile and the function names; for the
// run what only the scheduler and nodes without a profile reported. Files of a node's spool go in, a directory
// per run comes out: <directory>/<cluster>-<job id / 1000>/<run key>/.
//
// The directory belongs to the service account, as that of package collect: a root process hands the files to a
// child with its rights. It accepts only the names that it keeps, and never replaces the files of a node: the
// first ones are the inputs of the report.
package archive

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/names"
	"jobgait/agent/stack"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Archive is the directory and whose rights it takes.
type Archive struct {
	Dir string
	// Account owns the directory; nil uses this process as it is.
	Account *as.Account
	// Program is the epilog program, started as a child for the account.
	Program string
}

// runFile is what is kept of a run beside its nodes.
const runFile = "run.json.gz"

// kept are the files of a node, as its run directory names them.
func kept() []string {
	return []string{"env.json", "epilog.json", "details.json", names.KnownFile, stack.RecordFile, "profile.jgp"}
}

// RunContext is what of a run no profile says.
type RunContext struct {
	// Summary is the run as the hooks remembered it: its nodes in order, and what the
	// scheduler said.
	Summary summary.Summary `json:"summary"`
	// Unsampled are the records of nodes that had no profile.
	Unsampled []summary.NodeRecord `json:"unsampled"`
}

// place is where files go.
type place struct {
	Dir  string  `json:"dir"`
	Key  run.Key `json:"key"`
	Node string  `json:"node"` // "" for what is kept of the whole run
}

// PutNode keeps the files of a node's run directory.
func (a Archive) PutNode(ctx context.Context, key run.Key, node string, from job.RunDir) error {
	return a.put(ctx, place{a.Dir, key, node}, func(to *tar.Writer) error {
		for _, name := range kept() {
			if err := addFile(to, from.Path(name), name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// PutRun keeps what no profile says of a run, in the place of what was kept before.
func (a Archive) PutRun(ctx context.Context, r RunContext) error {
	packed, err := summary.Encode(r)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return a.put(ctx, place{Dir: a.Dir, Key: r.Summary.Key}, func(to *tar.Writer) error {
		if err := to.WriteHeader(&tar.Header{Name: runFile, Mode: 0o600, Size: int64(len(packed))}); err != nil {
			return err
		}
		_, err := to.Write(packed)
		return err
	})
}

func addFile(to *tar.Writer, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := to.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size()}); err != nil {
		return err
	}
	_, err = io.CopyN(to, f, info.Size())
	return err
}

// put sends files to where they are kept: the place, and an archive of tar(1), so that a profile is never in memory.
func (a Archive) put(ctx context.Context, p place, write func(*tar.Writer) error) error {
	if err := p.Key.Valid(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	out, in := io.Pipe()
	go func() {
		to := tar.NewWriter(in)
		_ = in.CloseWithError(cmp.Or(write(to), to.Close())) // never fails; nil is the end
	}()
	defer func() { _ = out.Close() }() // never fails; ends who sends
	if a.Account == nil || a.Account.Current() {
		return p.receive(out)
	}
	child := as.Child{Program: a.Program, Account: *a.Account}
	err := as.AskAll(ctx, child, as.Archive, p, out, 0, func(struct{}) error { return nil })
	if err != nil {
		return fmt.Errorf("archive in %s: %w", a.Dir, err)
	}
	return nil
}

// largest bounds one file of the archive.
const largest = 2 << 30

// Serve is the archiving child.
func Serve(_ context.Context, r as.Request) error {
	var p place
	files, err := as.ReadQuestion(r.In, &p)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return p.receive(files)
}

// receive puts files where they are kept, all of a node or none.
func (p place) receive(files io.Reader) error {
	err := p.Key.Valid()
	if err == nil {
		err = p.store(tar.NewReader(bufio.NewReader(files)))
	}
	if err != nil {
		return fmt.Errorf("archive run %s: %w", p.Key, err)
	}
	return nil
}

func (p place) store(files *tar.Reader) error {
	in := p.path()
	if err := os.MkdirAll(in, 0o700); err != nil {
		return err
	}
	next, err := os.MkdirTemp(in, ".new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(next) }() // is renamed where all went well
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if !p.keeps(h.Name) || h.Typeflag != tar.TypeReg || h.Size > largest {
			return fmt.Errorf("%q is not kept", h.Name)
		}
		if err := writeFile(filepath.Join(next, h.Name), files); err != nil {
			return err
		}
	}
	if p.Node == "" {
		return os.Rename(filepath.Join(next, runFile), filepath.Join(in, runFile))
	}
	err = os.Rename(next, filepath.Join(in, nodeDir(p.Node)))
	if errors.Is(err, fs.ErrExist) {
		return nil // was here before
	}
	return err
}

// keeps is whether a file has a name that belongs there.
func (p place) keeps(name string) bool {
	if p.Node == "" {
		return name == runFile
	}
	return filepath.Base(name) == name && !strings.HasPrefix(name, ".") && slices.Contains(kept(), name)
}

func writeFile(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Sync(), f.Close())
}

// path is the directory of a run. Jobs are numbered in time: a thousand of them are
// what one directory holds.
func (p place) path() string {
	bucket := run.Key{Cluster: p.Key.Cluster, JobID: p.Key.JobID / 1000}
	return filepath.Join(p.Dir, strings.TrimSuffix(bucket.String(), ".r0"), p.Key.String())
}

// nodeDir is the name of a node's directory. It differs from the files beside it.
func nodeDir(node string) string {
	node = run.PathElement(node, "node")
	if node == runFile || node == resultFile {
		return "_" + node
	}
	return node
}
