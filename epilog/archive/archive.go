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

// Archive is the archive's directory and the account with whose rights it is used.
type Archive struct {
	Dir string
	// Account owns the directory; nil uses the rights of this process.
	Account *as.Account
	// Program is the epilog program, started as a child for the account.
	Program string
	// Guard limits the children that are abandoned because the directory hangs.
	Guard as.Guard
}

// runFile is the name of the file with the RunContext of a run.
const runFile = "run.json.gz"

// archivedFiles returns the names of the files of a node's run directory that are archived.
func archivedFiles() []string {
	return []string{"env.json", "epilog.json", "details.json", names.KnownFile, stack.RecordFile, "profile.jgp"}
}

// RunContext is what a report needs of a run beside the profiles of its nodes.
type RunContext struct {
	// Summary is the merged summary that the hooks made: its nodes in order, and what the scheduler answered.
	Summary summary.Summary `json:"summary"`
	// Unsampled are the records of nodes that had no profile.
	Unsampled []summary.NodeRecord `json:"unsampled"`
}

// target is the directory of the archive to which files go: of one node, or of a whole run.
type target struct {
	Dir  string  `json:"dir"`
	Key  run.Key `json:"key"`
	Node string  `json:"node"` // "" for the RunContext of the whole run
}

// PutNode archives the files of a node's run directory that archivedFiles names, as far as they exist, unless
// the node is archived already.
func (a Archive) PutNode(ctx context.Context, key run.Key, node string, from job.RunDir) error {
	return a.send(ctx, target{a.Dir, key, node}, func(to *tar.Writer) error {
		for _, name := range archivedFiles() {
			if err := addFile(to, from.Path(name), name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// PutRun archives the context of a run, replacing an earlier one.
func (a Archive) PutRun(ctx context.Context, r RunContext) error {
	packed, err := summary.Encode(r)
	if err != nil {
		return fmt.Errorf("internal error, please report it: encode the run for the archive: %w", err)
	}
	return a.send(ctx, target{Dir: a.Dir, Key: r.Summary.Key}, func(to *tar.Writer) error {
		if err := to.WriteHeader(&tar.Header{Name: runFile, Mode: 0o600, Size: int64(len(packed))}); err != nil {
			return err
		}
		_, err := to.Write(packed)
		return err
	})
}

// addFile appends the file at path to a tar archive under this name.
func addFile(to *tar.Writer, path, name string) error {
	f, err := job.OpenPlain(path, os.O_RDONLY, 0)
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

// send streams files as a tar archive to the target, in this process or in a child with the account's rights.
// So a profile is never in memory as a whole.
func (a Archive) send(ctx context.Context, p target, write func(*tar.Writer) error) error {
	if err := p.Key.Valid(); err != nil {
		return fmt.Errorf("internal error, please report it: the run has an invalid key: %w", err)
	}
	out, in := io.Pipe()
	go func() {
		to := tar.NewWriter(in)
		_ = in.CloseWithError(cmp.Or(write(to), to.Close())) // never fails; nil is the end
	}()
	defer func() { _ = out.Close() }() // never fails; ends the sending goroutine
	if a.Account == nil || a.Account.IsCurrent() {
		return p.receive(out)
	}
	child := as.Child{Program: a.Program, Account: *a.Account, Guard: a.Guard}
	err := as.AskAll(ctx, child, as.Archive, p, out, 0, func(struct{}) error { return nil })
	if err != nil {
		return fmt.Errorf("use the archive %s: %w", a.Dir, err)
	}
	return nil
}

// maxFileBytes limits one file of the archive.
const maxFileBytes = 2 << 30

// Serve is the main function of the archiving child: it reads a target and a tar archive and stores the files.
func Serve(_ context.Context, r as.Request) error {
	var p target
	files, err := as.ReadRequest(r.In, &p)
	if err != nil {
		return err
	}
	return p.receive(files)
}

// receive stores the files of a tar archive in the target's directory, all of a node or none.
func (p target) receive(files io.Reader) error {
	err := p.Key.Valid()
	if err == nil {
		err = p.store(tar.NewReader(bufio.NewReader(files)))
	}
	if err != nil {
		return fmt.Errorf("store run %s in the archive: %w", p.Key, err)
	}
	return nil
}

// store unpacks the files into a temporary directory and renames it into place. A node that is archived
// already keeps its files; the context of a run is replaced.
func (p target) store(files *tar.Reader) error {
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
		if !p.accepts(h.Name) || h.Typeflag != tar.TypeReg || h.Size > maxFileBytes {
			return fmt.Errorf("file %q is not archived: want a regular file with a known name, of at most %d GiB",
				h.Name, maxFileBytes>>30)
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

// accepts reports whether a file of this name may be stored in the target.
func (p target) accepts(name string) bool {
	if p.Node == "" {
		return name == runFile
	}
	return filepath.Base(name) == name && !strings.HasPrefix(name, ".") && slices.Contains(archivedFiles(), name)
}

// writeFile writes a new file and syncs it to disk.
func writeFile(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Sync(), f.Close())
}

// path returns the directory of the run. One directory above it holds the runs of a thousand consecutive job
// ids.
func (p target) path() string {
	bucket := run.Key{Cluster: p.Key.Cluster, JobID: p.Key.JobID / 1000}
	return filepath.Join(p.Dir, strings.TrimSuffix(bucket.String(), ".r0"), p.Key.String())
}

// nodeDir returns the name of a node's directory, changed if it would equal the name of a file beside it.
func nodeDir(node string) string {
	node = run.PathElement(node, "node")
	if node == runFile || node == resultFile {
		return "_" + node
	}
	return node
}
