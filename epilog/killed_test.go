package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/collect"
)

// handOnVerb makes the test binary a process that leaves job records in a collection
// directory until its input ends, one every fifth of a second, and says of each that
// it is there.
const handOnVerb = "__hand-on"

// handOn is that process: its arguments are the directory and its number.
func handOn(args []string) error {
	first, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for id := first; ; id++ {
		if err := (collect.Store{Dir: args[0]}).PutJob(context.Background(), waitingRun(id)); err != nil {
			return err
		}
		fmt.Println(id)
		select {
		case <-ended:
			return nil
		case <-time.After(time.Second / 5):
		}
	}
}

// waitingRun is a whole run on its way to the history.
func waitingRun(id int) collect.JobRecord {
	start := 1.7e9 + float64(id)
	return collect.JobRecord{Summary: summary.Summary{Schema: summary.Schema,
		Key:   run.Key{Cluster: "test", JobID: run.JobID(id)},
		Job:   run.Job{User: "alice", UID: 1001, NNodes: 1, Executable: "lmp"},
		Start: start, End: start + 60, ElapsedS: 60, Exit: &run.Exit{}, Quality: run.Quality{Scope: "task"}}}
}

const (
	handers = 64
	ofEach  = 100_000 // job ids
)

// handersOn starts n processes. It returns a function that ends them and returns the records whose storing was
// confirmed to them.
func handersOn(t *testing.T, dir string) (stop func() map[int]bool) {
	self, err := os.Executable()
	must(t, err)
	told := map[int]bool{}
	var lock sync.Mutex
	var running sync.WaitGroup
	var inputs []io.Closer
	for i := range handers {
		cmd := exec.CommandContext(t.Context(), self, handOnVerb, dir, strconv.Itoa(1+i*ofEach))
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		inputs = append(inputs, in)
		running.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				id, err := strconv.Atoi(lines.Text())
				lock.Lock()
				told[id] = err == nil
				lock.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	return func() map[int]bool {
		for _, in := range inputs {
			_ = in.Close()
		}
		running.Wait()
		return told
	}
}

// TestKilledIngest kills the writer of the history at random moments, JOBGAIT_KILLS
// times, while 64 processes hand on records: each that was taken for stored is in the
// history at the end, once, and after each kill the history is sound.
func TestKilledIngest(t *testing.T) {
	kills := 3
	if n, err := strconv.Atoi(os.Getenv("JOBGAIT_KILLS")); err == nil {
		kills = n
	}
	env := environment(t, "")
	_, cfg, err := loadSettings(func(name string) string { return env[name] })
	must(t, err)
	must(t, os.MkdirAll(cfg.Collect.Dir, 0o700))
	stop := handersOn(t, cfg.Collect.Dir)
	for killed := 0; killed < kills; {
		if killIngest(t, env["JOBGAIT_CONFIG"]) {
			killed++
		}
		sound(t, cfg)
	}
	told := stop()
	if status, out, complaint := call(t, env, "--ingest"); status != 0 {
		t.Errorf("the last one: %d %s %s", status, out, complaint)
	}
	isThere(t, cfg, told)
	t.Logf("%d records of %d processes, %d kills", len(told), handers, kills)
}

// killIngest starts the writer and kills it after a while; it returns false if the writer had ended.
func killIngest(t *testing.T, config string) bool {
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, "--ingest")
	cmd.Env = []string{"JOBGAIT_CONFIG=" + config}
	must(t, cmd.Start())
	jobtest.WorkloadPause(rand.N(500 * time.Millisecond))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// sound checks the integrity of the history with SQLite.
func sound(t *testing.T, cfg configs.Config) {
	t.Helper()
	db, err := history.Open(t.Context(), cfg.History.Path)
	must(t, err)
	must(t, errors.Join(db.Copy(t.Context(), filepath.Join(t.TempDir(), "copy.db")), db.Close()))
}

// isThere compares what the history has with what it should have.
func isThere(t *testing.T, cfg configs.Config, want map[int]bool) {
	t.Helper()
	sound(t, cfg)
	db, err := history.OpenReadOnly(t.Context(), cfg.History.Path)
	must(t, err)
	defer db.Close()
	runs, err := db.Runs(t.Context(), history.Query{Limit: 10_000_000})
	must(t, err)
	has := map[int]int{}
	for _, r := range runs {
		id, err := strconv.Atoi(r.DisplayID)
		must(t, err)
		has[id]++
	}
	for id := range want {
		if has[id] != 1 {
			t.Errorf("job %d is there %d times", id, has[id])
		}
	}
	if len(has) != len(want) {
		t.Errorf("%d runs of %d records", len(has), len(want))
	}
}

// A record that only SQLite refuses is set aside, and those that were put with it are stored.
func TestIngestOfOneThatIsRefused(t *testing.T) {
	env := environment(t, "")
	_, cfg, err := loadSettings(func(name string) string { return env[name] })
	must(t, err)
	want := map[int]bool{}
	handed := func(from, to int) {
		for id := from; id < to; id++ {
			must(t, collect.Store{Dir: cfg.Collect.Dir}.PutJob(t.Context(), waitingRun(id)))
			want[id] = true
		}
	}
	must(t, os.MkdirAll(cfg.Collect.Dir, 0o700))
	handed(1, 3)
	if status, out, complaint := call(t, env, "--ingest"); status != 0 {
		t.Fatalf("%d %s %s", status, out, complaint)
	}
	raw, err := sql.Open("sqlite3", cfg.History.Path)
	must(t, err)
	_, err = raw.Exec("CREATE TRIGGER refused AFTER INSERT ON internal_run WHEN NEW.job_id = 7 " +
		"BEGIN SELECT RAISE(ABORT, " +
		"'refused'); END")
	must(t, errors.Join(err, raw.Close()))
	handed(3, 12)
	delete(want, 7)
	if status, out, complaint := call(t, env, "--ingest"); status != 1 ||
		!strings.HasPrefix(out, "8 job records written") || !strings.Contains(out, "1 set aside") ||
		!strings.Contains(complaint, "refused") {
		t.Errorf("%d %q %q", status, out, complaint)
	}
	isThere(t, cfg, want)
}

// A disk that is full while records are stored loses none of them and does not damage the history: the next
// attempt after space was freed stores them.
func TestIngestOfAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a file system")
	}
	dir := t.TempDir()
	lib := filepath.Join(dir, "lib")
	must(t, os.Mkdir(lib, 0o700))
	if err := unix.Mount("tmpfs", lib, "tmpfs", 0, "size=32m,mode=700"); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(lib, unix.MNT_DETACH) })
	env := environment(t, "[spool]\ndir = \""+dir+"/spool\"\n[collect]\ndir = \""+dir+
		"/collect\"\naccount = \"\"\n[history]\npath = \""+lib+"/history.db\"\n[slurm]\nscontrol = \"\"\n")
	_, cfg, err := loadSettings(func(name string) string { return env[name] })
	must(t, err)
	want := map[int]bool{}
	handed := func(from, to int) {
		for id := from; id < to; id++ {
			must(t, collect.Store{Dir: cfg.Collect.Dir}.PutJob(t.Context(), waitingRun(id)))
			want[id] = true
		}
	}
	handed(1, 10)
	if status, out, complaint := call(t, env, "--ingest"); status != 0 {
		t.Fatalf("%d %s %s", status, out, complaint)
	}
	var st unix.Statfs_t
	must(t, unix.Statfs(lib, &st))
	filler := filepath.Join(lib, "filler")
	must(t, os.WriteFile(filler, make([]byte, int64(st.Bavail)*st.Bsize-256<<10), 0o600)) // room for some of them
	handed(10, 400)
	if status, _, complaint := call(t, env, "--ingest"); status != 1 ||
		!strings.Contains(complaint, "no room left on its file system") {
		t.Errorf("while it is full: %d %q", status, complaint)
	}
	must(t, os.Remove(filler))
	if status, out, complaint := call(t, env, "--ingest"); status != 0 || strings.HasPrefix(out, "0 job records") {
		t.Errorf("with room again: %d %q %q", status, out, complaint)
	}
	isThere(t, cfg, want)
}

// The unit of the one writer of the history leaves it what it needs after kills and for records that SQLite refuses.
func TestFaultsUnderTheIngestUnit(t *testing.T) {
	jobtest.TestsUnderUnit(t, "../configs/systemd/jobgait-ingest.service", "/",
		"^Test(KilledIngest|IngestOfOneThatIsRefused)$", 2)
}
