package testcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// kept returns where a report went that no directory of the user's took.
func (c *cluster) kept(t *testing.T, j job) string {
	t.Helper()
	row := c.waitRows(t, 1, fmt.Sprintf("JobID = '%d' and Report is not null", j.id))[0]
	if within, err := filepath.Rel(c.path("spool"), *row.Report); err != nil || within[0] == '.' {
		t.Fatalf("report of job %d went to %s, want the spool", j.id, *row.Report)
	}
	for _, form := range forms {
		if info, err := os.Lstat(filepath.Join(*row.Report, j.name()+form)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("report in the spool: %v %v", info, err)
		}
	}
	r := readReport(t, filepath.Join(*row.Report, j.name()+".json"))
	if !r.has("no_report_dir") {
		t.Errorf("report in the spool has no note of it: %v", r.Notes)
	}
	return *row.Report
}

// The directory of the output vanishes while the job runs: the work directory
// takes the report.
func TestOutputGone(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.alice)
	out := filepath.Join(dir, "out")
	mustMake(t, c.alice, out)
	j := c.sbatch(t, c.alice, dir, "rm -rf out; sleep 2", "-N1", "-n1", "-w", "n1", "-o", "out/%j.out")
	j.mustEnd(t, "COMPLETED")
	c.check(t, j.expects("n1"))
}

// No directory of the user's can be written: the spool keeps the report.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := c.dir(t, c.bob)
	j := c.sbatch(t, c.bob, dir, "chmod 555 .; sleep 2", "-N1", "-n1", "-w", "n2")
	j.mustEnd(t, "COMPLETED")
	c.kept(t, j)
	c.checkLeft(t, j.expects("n2"))
}

// Files that a user plants in place of the report: none may be followed, opened for writing or replaced, and
// none may take a node out of service.
func TestPlanted(t *testing.T) {
	t.Parallel()
	c := use(t)
	for _, at := range []struct{ name, script string }{
		{"link to a file of root", `ln -s "$VICTIM" jobgait-$SLURM_JOB_ID.txt`},
		{"link to a file of bob", `ln -s "$OTHER" jobgait-$SLURM_JOB_ID.json`},
		{"hard link", `ln "$OTHER" jobgait-$SLURM_JOB_ID.txt || ln -s "$OTHER" jobgait-$SLURM_JOB_ID.txt`},
		{"pipe", `mkfifo jobgait-$SLURM_JOB_ID.txt`},
		{"directory", `mkdir jobgait-$SLURM_JOB_ID.html`},
		{"foreign file", `echo mine >jobgait-$SLURM_JOB_ID.txt`},
		{"directory made a link", `mv ../here ../away; ln -s "$THEIRS" ../here`},
	} {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(c.dir(t, c.alice), "here")
			mustMake(t, c.alice, dir)
			theirs := c.dir(t, c.bob)
			victims := []string{
				mustWrite(t, filepath.Join(c.prefix, "victim."+filepath.Base(theirs)), 0, 0o644),
				mustWrite(t, filepath.Join(theirs, "file"), int(c.bob.uid), 0o666),
			}
			j := c.sbatch(t, c.alice, dir, at.script+"\nsleep 2", "-N1", "-n1",
				"--export", fmt.Sprintf("ALL,VICTIM=%s,OTHER=%s,THEIRS=%s", victims[0], victims[1], theirs))
			j.mustEnd(t, "COMPLETED")
			c.waitRows(t, 1, fmt.Sprintf("JobID = '%d'", j.id))
			c.kept(t, j)
			c.checkLeft(t, j.expects())
			for _, v := range victims {
				if b, err := os.ReadFile(v); err != nil || string(b) != "precious\n" {
					t.Errorf("%s was changed: %q %v", v, b, err)
				}
			}
			if entries, _ := os.ReadDir(theirs); len(entries) != 1 {
				t.Errorf("something was put into bob's directory: %v", entries)
			}
			if at.name == "foreign file" {
				if b, err := os.ReadFile(filepath.Join(dir, j.name()+".txt")); string(b) != "mine\n" {
					t.Errorf("the user's file was changed: %q %v", b, err)
				}
			}
		})
	}
}

// mustMake makes a directory of the user's.
func mustMake(t *testing.T, u account, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, int(u.uid), int(u.gid)); err != nil {
		t.Fatal(err)
	}
}

// mustWrite makes a file that must not change.
func mustWrite(t *testing.T, path string, uid int, mode os.FileMode) string {
	t.Helper()
	err := os.WriteFile(path, []byte("precious\n"), mode)
	if err == nil {
		err = errors.Join(os.Chmod(path, mode), os.Chown(path, uid, -1))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
