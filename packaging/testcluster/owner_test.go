package testcluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// ownersOf counts the files below a directory, and lists those of other accounts than owner. A file that is
// removed meanwhile is left out.
func ownersOf(dir string, owner uint32) (files int, others []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		files++
		if st := info.Sys().(*syscall.Stat_t); st.Uid != owner {
			others = append(others, fmt.Sprintf("%s of uid %d", path, st.Uid))
		}
		return nil
	})
	return files, others, err
}

// Jobs of three accounts, a third of which have no directory for their report: while they run and after them,
// root's directories hold files of root only, and the collection directory those of its account. JOBGAIT_OWNERS
// is the number of jobs, 6 without it.
func TestFilesStayRoots(t *testing.T) {
	t.Parallel()
	c := use(t)
	jobs, err := strconv.Atoi(os.Getenv("JOBGAIT_OWNERS"))
	if err != nil {
		jobs = 6
	}
	service, err := c.account(serviceAccount)
	if err != nil {
		t.Fatal(err)
	}
	users := []account{c.alice, c.bob, service}
	check := func(when string) {
		for dir, owner := range map[string]uint32{"spool": 0, "live": 0, "collect": service.uid} {
			n, others, err := ownersOf(c.path(dir), owner)
			if err != nil || len(others) > 0 {
				t.Errorf("%s: %d of %d files in %s belong to other accounts, %v: %.2000v", when, len(others), n, dir, err,
					others)
			}
			t.Logf("%s: %d of %d files in %s belong to other accounts than uid %d", when, len(others), n, dir, owner)
		}
	}
	var all []job
	for i := range jobs {
		u := users[i%len(users)]
		dir, args := c.dir(t, u), []string{"-N1", "-n1"}
		if i/len(users)%3 == 1 {
			dir, args = "/", append(args, "-o", "/dev/null") // the report stays in the spool
		}
		all = append(all, c.sbatch(t, u, dir, "timeout 3 bash -c 'while :; do :; done'; sleep 1", args...))
	}
	poll(t, func() string {
		if live, _ := filepath.Glob(c.path("live", "*", "*", "live.json")); len(live) == 0 {
			return "no live.json yet"
		}
		return ""
	})
	check("with jobs running")
	for _, j := range all {
		j.wait(t)
	}
	poll(t, func() string {
		for _, p := range c.processes("jobgait-epilog") {
			if slices.ContainsFunc(all, func(j job) bool { return p.mentions(j.id) }) {
				return fmt.Sprintf("%d still runs: %q", p.pid, p.args)
			}
		}
		return ""
	})
	check(fmt.Sprintf("after %d jobs", jobs))
}
