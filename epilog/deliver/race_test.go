package deliver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
)

// The test binary is also the delivering child, and a user's process that
// exchanges two names for ever.
const exchangeVerb = "--exchange"

func TestMain(m *testing.M) {
	child, err := (as.Handlers{as.Deliver: Serve}).Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout)
	switch {
	case err != nil:
		os.Exit(1)
	case child:
		os.Exit(0)
	case len(os.Args) == 4 && os.Args[1] == exchangeVerb:
		for {
			if unix.Renameat2(unix.AT_FDCWD, os.Args[2], unix.AT_FDCWD, os.Args[3], unix.RENAME_EXCHANGE) != nil {
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// race is a user who exchanges the directory of his report with a link to another user's while the report is
// written.
type race struct {
	home, here, link string
	user             as.Account
	program          string
	traps            []string
}

// newRace lays out a home of uid 65534, one of uid 65533, and a directory of root.
func newRace(t *testing.T) race {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	top, err := os.MkdirTemp("", "jobgait-race-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	r := race{home: filepath.Join(top, "home"), user: as.Account{UID: 65534, GID: 65534, Groups: []uint32{65534}},
		program: filepath.Join(top, "program")}
	r.here, r.link = filepath.Join(r.home, "here"), filepath.Join(r.home, "link")
	must(t, jobtest.CopyTestProgram(r.program))
	must(t, os.Chmod(top, 0o755))
	for _, d := range []struct {
		path string
		uid  int
	}{{r.home, 65534}, {r.here, 65534}, {filepath.Join(top, "bob"), 65533}, {filepath.Join(top, "root"), 0}} {
		must(t, os.Mkdir(d.path, 0o755))
		if d.uid != 65534 {
			// A report of the other user, which a report of the same name would replace.
			file := filepath.Join(d.path, "jobgait-7.txt")
			must(t, os.WriteFile(file, request(t).Files[0].Data, 0o644))
			must(t, os.Chown(file, d.uid, d.uid))
			r.traps = append(r.traps, d.path)
		}
		must(t, os.Chown(d.path, d.uid, d.uid))
	}
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// exchange begins to exchange the directory with a link to a trap.
func (r race) exchange(t *testing.T, trap string) (stop func()) {
	t.Helper()
	must(t, os.Symlink(trap, r.link))
	must(t, os.Lchown(r.link, 65534, 65534))
	racer := exec.Command(r.program, exchangeVerb, r.here, r.link)
	racer.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	must(t, racer.Start())
	return func() {
		_ = racer.Process.Kill()
		if err := racer.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("the racer ended by itself: %v", err)
		}
		if info, err := os.Lstat(r.here); err != nil || info.Mode()&os.ModeSymlink != 0 {
			must(t, unix.Renameat2(unix.AT_FDCWD, r.here, unix.AT_FDCWD, r.link, unix.RENAME_EXCHANGE))
		}
		must(t, os.Remove(r.link))
	}
}

// The report is written completely to the user's own directory, or not at all, and no file of another user
// changes, at whatever moment the directory is exchanged: its name, and that of the directory of an array in
// it.
func TestExchangedDirectory(t *testing.T) {
	r := newRace(t)
	before := map[string]string{}
	for _, trap := range r.traps {
		before[trap] = state(t, trap)
	}
	won, lost := 0, 0
	deadline, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	for _, trap := range r.traps {
		stop := r.exchange(t, trap)
		for n := range (jobtest.Rounds(50) + 1) / 2 {
			req := request(t, r.here)
			if n%2 == 1 {
				req.Dirs, req.Sub = []string{r.home}, "here" // the name is exchanged below a directory that stays
			}
			res, err := As(deadline, as.Child{Program: r.program, Account: r.user}, req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Dir != "" {
				won++
			} else {
				lost++
			}
		}
		stop()
		if got := names(t, r.here); len(got) != 0 && strings.Join(got, " ") != "jobgait-7.json jobgait-7.txt" {
			t.Errorf("half a report: %q", got)
		}
		if got := names(t, r.home); strings.Join(got, " ") != "here" {
			t.Errorf("in the home: %q", got)
		}
	}
	for trap, want := range before {
		if got := state(t, trap); got != want {
			t.Errorf("%s was\n%s and is\n%s", trap, want, got)
		}
	}
	t.Logf("%d delivered, %d refused", won, lost)
	if won == 0 || lost == 0 {
		t.Errorf("%d delivered, %d refused: nothing has raced", won, lost)
	}
}

// state is what must stay of a directory: names, owners, times and text.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, path := range append([]string{dir}, glob(t, dir)...) {
		info, err := os.Lstat(path)
		must(t, err)
		st := info.Sys().(*syscall.Stat_t)
		b.WriteString(strings.Join([]string{path, info.Mode().String(), strconv.Itoa(int(st.Uid)), info.ModTime().String(),
			strconv.FormatUint(st.Ino, 10), strconv.FormatInt(info.Size(), 10)}, " ") + "\n")
	}
	return b.String()
}

func glob(t *testing.T, dir string) (paths []string) {
	t.Helper()
	for _, name := range names(t, dir) {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}
