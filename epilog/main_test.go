package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/names"
	"jobgait/agent/peek"
	"jobgait/agent/peek/peektest"
	"jobgait/configs"
	"jobgait/epilog/archive"
	"jobgait/epilog/check"
	"jobgait/epilog/collect"
	"jobgait/epilog/deliver"
	"jobgait/epilog/finish"
)

// TestMain makes the test binary, as the worker that the hook starts, a process that does not end: it prints
// its id and waits for a kill. A file beside the settings selects one that works, or ends at once.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == as.Worker && hasInput() { // it has the end of the run: this one works
		os.Exit(runEpilog(context.Background(), os.Getenv, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) == 3 && isBackgroundChild(os.Args[1:]) {
		switch how, _ := os.ReadFile(filepath.Join(filepath.Dir(os.Getenv("JOBGAIT_CONFIG")), "worker")); string(how) {
		case "works":
			os.Exit(runEpilog(context.Background(), os.Getenv, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		case "ends":
			os.Exit(0)
		}
		if os.Args[1] == as.SweepNode && os.Getenv("JOBGAIT_CONFIG") != "" {
			os.Exit(0) // its test is over, and has taken everything away
		}
		if err := lowerPriority(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := os.WriteFile(filepath.Join(os.Args[2], "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			os.Exit(1)
		}
		// The process runs until the test program has ended: a late hook may start it after its own test, and nothing
		// would end it then.
		for parent := os.Getppid(); parent != 1 && os.Getppid() == parent; time.Sleep(20 * time.Millisecond) {
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "--ingest" { // as a service starts it
		os.Exit(runEpilog(context.Background(), os.Getenv, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) == 4 && os.Args[1] == handOnVerb {
		if err := handOn(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == tracerVerb {
		trace(os.Args[2])
		os.Exit(0)
	}
	if len(os.Args) > 3 {
		if served, err := accountChildren().Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout); served {
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// hasInput reports whether standard input is a file other than /dev/null.
func hasInput() bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode().IsRegular()
}

// accountChildren are the child processes of all programs of jobgait that take the rights of another account.
func accountChildren() as.Handlers {
	return as.Handlers{as.Deliver: deliver.Serve, as.Collect: collect.Serve, as.Archive: archive.Serve,
		as.CompareHistory:    finish.ServeHistoryQuery,
		as.InspectCollection: check.ServeInspect, as.Names: names.Serve, as.Peek: peek.Serve("/proc")}
}

// call runs the program with an environment and returns its exit status and both outputs.
func call(t testing.TB, env map[string]string, args ...string) (status int, out, complaint string) {
	t.Helper()
	var o, c bytes.Buffer
	getenv := func(name string) string { return env[name] }
	status = runEpilog(context.Background(), getenv, args, strings.NewReader(""), &o, &c)
	return status, o.String(), c.String()
}

// environment is a hook's, with settings that keep everything below a
// directory of the test.
func environment(t testing.TB, settings string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "jobgait.toml")
	if settings == "" {
		settings = "[spool]\ndir = \"" + dir + "/spool\"\n[collect]\ndir = \"" + dir + "/collect\"\naccount = \"\"\n" +
			"[history]\npath = \"" + dir + "/history.db\"\n[slurm]\nscontrol = \"\"\n"
	}
	if err := os.WriteFile(config, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"JOBGAIT_CONFIG": config, "SLURM_JOB_ID": "7", "SLURM_CLUSTER_NAME": "test",
		"SLURM_JOB_UID": "1001", "SLURM_JOB_GID": "1001", "SLURMD_NODENAME": "n1", "SLURM_NODELIST": "n1"}
}

// A hook says in one line what is wrong and returns 0.
func TestHookNeverFails(t *testing.T) {
	with := func(env map[string]string, name, value string) map[string]string {
		env[name] = value
		return env
	}
	absent := filepath.Join(t.TempDir(), "absent.toml")
	for name, c := range map[string]struct {
		env  map[string]string
		says string
	}{
		"no environment":   {map[string]string{"JOBGAIT_CONFIG": "/dev/null"}, "SLURM_JOB_ID"},
		"a word for an id": {with(environment(t, ""), "SLURM_JOB_ID", "seven"), `"seven"`},
		"bad value": {environment(t, "[spool]\ndir = \""+t.TempDir()+"\"\n[epilog]\ndeadline_s = 0\n"),
			"epilog.deadline_s"},
		"settings missing":   {with(environment(t, ""), "JOBGAIT_CONFIG", absent), absent},
		"spool under a file": {environment(t, "[spool]\ndir = \"/dev/null/spool\"\n"), "spool"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, complaint := call(t, c.env)
			if status != 0 || out != "" || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, c.says) {
				t.Errorf("status %d, said %q %q", status, out, complaint)
			}
		})
	}
}

// brief is an environment whose hook has a second; spool is where its
// node's files are.
func brief(t *testing.T) (env map[string]string, spool string) {
	t.Helper()
	dir := t.TempDir()
	env = environment(t, "[spool]\ndir = \""+dir+"/spool\"\n[epilog]\ndeadline_s = 1\n[slurm]\nscontrol = \"\"\n")
	if err := job.MakeNodeDir(dir+"/spool", "n1"); err != nil {
		t.Fatal(err)
	}
	return env, job.NodeDir(dir+"/spool", "n1")
}

// A hook that is blocked, here by a spool whose file system hangs, says so when its time is over.
func TestHookThatHangs(t *testing.T) {
	env, spool := brief(t)
	t.Cleanup(func() { // the hook goes on when the file system is gone
		jobtest.Until(t, "the spool can be removed", func() bool { return os.RemoveAll(filepath.Dir(spool)) == nil })
	})
	peektest.MountHanging(t, spool)
	status, _, complaint := call(t, env)
	if status != 0 || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, "did not end within") {
		t.Errorf("status %d, said %q", status, complaint)
	}
}

// A worker that takes longer than the hook waits continues alone: analysing a job of a day takes longer than one
// of a minute, but neither job ends later for it.
func TestUnfinishedWorker(t *testing.T) {
	env, spool := brief(t)
	t.Cleanup(func() { // whatever happens, the worker goes
		pids, _ := filepath.Glob(filepath.Join(spool, "*", "pid"))
		for _, path := range pids {
			b, _ := os.ReadFile(path)
			if pid, err := strconv.Atoi(string(b)); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	settings, err := os.ReadFile(env["JOBGAIT_CONFIG"])
	if err == nil {
		err = os.WriteFile(env["JOBGAIT_CONFIG"],
			[]byte(strings.Replace(string(settings), "deadline_s = 1", "deadline_s = 60", 1)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	waits := time.Duration(configs.Default().Epilog.WaitS * 1e9)
	began := time.Now()
	status, _, complaint := call(t, env)
	if took := time.Since(began); status != 0 || complaint != "" || took < waits || took > 30*time.Second {
		t.Errorf("status %d after %v, said %q", status, took, complaint)
	}
	if log, err := os.ReadFile(filepath.Join(spool, "jobgait.log")); err != nil || len(log) > 0 {
		t.Errorf("log %q, %v", log, err)
	}
	jobtest.Until(t, "a worker is started", func() bool {
		pids, _ := filepath.Glob(filepath.Join(spool, "*", "pid"))
		return len(pids) == 1
	})
}

// Processes that continue after the Epilog have the lowest priority for CPUs and disks, limited memory and the
// highest score of the OOM killer, in all their threads.
func TestStepsBehindJobs(t *testing.T) {
	for verb, want := range map[string][2]int{"--worker": {10, ioLast}, as.SweepNode: {19, ioLast}} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], verb, dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		proc := "/proc/" + strconv.Itoa(cmd.Process.Pid) + "/"
		jobtest.Until(t, "it has begun", func() bool {
			_, err := os.Stat(filepath.Join(dir, "pid"))
			return err == nil
		})
		threads, err := os.ReadDir(proc + "task")
		if err != nil || len(threads) < 2 {
			t.Fatalf("threads %v, %v", threads, err)
		}
		for _, th := range threads {
			tid, _ := strconv.Atoi(th.Name())
			nice, err := unix.Getpriority(unix.PRIO_PROCESS, tid) // 20 - nice
			io, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(tid), 0)
			if err != nil || errno != 0 || 20-nice != want[0] || int(io) != want[1] {
				t.Errorf("%s: nice %d, io %#x (%v, %v), want %d, %#x", verb, 20-nice, io, err, errno, want[0], want[1])
			}
		}
		score, _ := os.ReadFile(proc + "oom_score_adj")
		limits, _ := os.ReadFile(proc + "limits")
		if strings.TrimSpace(string(score)) != oomScore ||
			!strings.Contains(string(limits), fmt.Sprintf("Max data size             %d", hardBytes)) {
			t.Errorf("%s: score %s, limits\n%s", verb, score, limits)
		}
	}
	if err := lowerPriority([]string{"--sweep"}); err != nil || debug.SetMemoryLimit(-1) == softBytes {
		t.Error("a sweep by hand steps behind, ", err)
	}
}

func TestUnwatchedJobsLeaveNothing(t *testing.T) {
	env := environment(t, "")
	env["SPANK_JOBGAIT"] = "off"
	status, _, complaint := call(t, env)
	if status != 0 || complaint != "" {
		t.Errorf("status %d: %s", status, complaint)
	}
	spool := filepath.Join(filepath.Dir(env["JOBGAIT_CONFIG"]), "spool")
	if dirs, err := job.Dirs(job.NodeDir(spool, "n1")); err != nil || len(dirs) != 0 {
		t.Errorf("runs of an unwatched job: %v %v", dirs, err)
	}
}

func TestVerbs(t *testing.T) {
	env := environment(t, "")
	if status, out, complaint := call(t, env, "--sweep"); status != 0 || !strings.Contains(out, "0 runs finished") {
		t.Errorf("sweep: %d %q %q", status, out, complaint)
	}
	if status, _, complaint := call(t, env, "--ingest"); status != 1 ||
		!strings.Contains(complaint, "/collect: no such file") {
		t.Errorf("ingest without a collection directory: %d %q", status, complaint)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(env["JOBGAIT_CONFIG"]), "collect"), 0o700); err != nil {
		t.Fatal(err)
	}
	if status, out, complaint := call(t, env, "--ingest"); status != 0 || !strings.Contains(out, "0 job records") {
		t.Errorf("ingest: %d %q %q", status, out, complaint)
	}
	for _, args := range [][]string{{"--no-such"}, {"--worker"}, {"--sweep", "now"}} {
		if status, _, complaint := call(t, env, args...); status != 2 || !strings.Contains(complaint, "usage") {
			t.Errorf("%v: %d %q", args, status, complaint)
		}
	}
	if status, _, complaint := call(t, env, "--worker", filepath.Join(t.TempDir(), "absent")); status != 1 ||
		strings.Count(complaint, "\n") != 1 {
		t.Errorf("worker without a run: %d %q", status, complaint)
	}
}

// A worker or a sweep that runs beside other jobs leaves most CPUs to them; the hook itself only waits.
func TestFewCPUsBesideJobs(t *testing.T) {
	for cpus, want := range map[int]int{1: 1, 2: 1, 7: 1, 8: 2, 128: 32} {
		if got := backgroundCPUs(cpus); got != want {
			t.Errorf("%d CPUs for the worker of a node of %d, want %d", got, cpus, want)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for verb, want := range map[string]int{"--worker": 2, as.SweepNode: 2, "--sweep": 8, "--ingest": 8} {
		runtime.GOMAXPROCS(8)
		limitCPUs([]string{verb, "n1"})
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s works on %d CPUs of 8, want %d", verb, got, want)
		}
	}
	runtime.GOMAXPROCS(8)
	absent := filepath.Join(t.TempDir(), "absent")
	call(t, map[string]string{"JOBGAIT_CONFIG": absent + ".toml"}, "--worker", absent)
	if got := runtime.GOMAXPROCS(0); got != 2 {
		t.Errorf("the worker works on %d CPUs of 8, want 2", got)
	}
}
