package archive

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzStore hands the archiving child whatever: it makes files of the names that it
// keeps, each below its run, and leaves none half made.
func FuzzStore(f *testing.F) {
	for _, name := range []string{"profile.jgp", "../env.json", "epilog.json", "/etc/passwd"} {
		var b bytes.Buffer
		to := tar.NewWriter(&b)
		if err := to.WriteHeader(&tar.Header{Name: name, Mode: 0o777, Size: 3}); err != nil {
			f.Fatal(err)
		}
		_, _ = to.Write([]byte("abc"))
		_ = to.Close()
		f.Add(b.Bytes(), "n1")
		f.Add(b.Bytes()[:600], "..")
	}
	f.Add([]byte{}, runFile)
	f.Fuzz(func(t *testing.T, files []byte, node string) {
		top := t.TempDir()
		p := target{Dir: filepath.Join(top, "archive"), Key: key, Node: node}
		_ = p.store(tar.NewReader(bytes.NewReader(files))) // what is no archive is refused
		names := append(archivedFiles(), runFile)
		err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			in, rerr := filepath.Rel(p.path(), path)
			depth := filepath.Dir(filepath.Dir(in)) // <node>/<file>, or <file> of the run
			if rerr != nil || depth != "." || !slices.Contains(names, filepath.Base(path)) || !e.Type().IsRegular() {
				t.Errorf("%s (%v, %v)", path, e.Type(), rerr)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
