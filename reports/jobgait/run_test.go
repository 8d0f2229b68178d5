package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
)

// bin is the directory with all built programs, made once for this package:
// `jobgait run` is tested as it is used, with real hooks and a real agent.
func bin(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("JOBGAIT_BIN")
	if dir == "" {
		t.Skip("JOBGAIT_BIN does not name the built programs: run make test")
	}
	return dir
}

// box is a user's own directories and the environment that names them.
type box struct {
	t    *testing.T
	work string
	env  []string
}

func newBox(t *testing.T) box {
	t.Helper()
	bin(t) // without the programs the whole test is skipped, not only a subtest
	home, err := os.MkdirTemp("", "jobgait-run-")
	if err != nil {
		t.Fatal(err)
	}
	// A sweep that follows a run may still be at work in there.
	t.Cleanup(func() { poll(t, "the box is removed", func() bool { return os.RemoveAll(home) == nil }) })
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return box{t, work, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C"}}
}

// command is `jobgait args...` in the box.
func (b box) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(bin(b.t), "jobgait"), args...)
	cmd.Dir, cmd.Env = b.work, b.env
	return cmd
}

// result is how a command ended and what it said.
type result struct {
	status         syscall.WaitStatus
	out, complaint string
	reported       string // the line that says where the report is; it is not part of complaint
}

func end(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{status: cmd.ProcessState.Sys().(syscall.WaitStatus), out: out.String()}
	for line := range strings.Lines(complaint.String()) {
		if strings.HasPrefix(line, "jobgait: report in ") {
			r.reported += line
			continue
		}
		r.complaint += line
	}
	return r
}

// report is the newest report of the box.
func (b box) report() string {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.work, "jobgait-*.txt"))
	if err != nil || len(files) == 0 {
		b.t.Fatalf("no report in %s: %v\n%s", b.work, err, b.log())
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// log returns the log of the box's spool.
func (b box) log() []byte {
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(b.work), ".local/state/jobgait", host(b.t), "jobgait.log"))
	return text
}

// newest reads the newest report in JSON.
func (b box) newest(into any) {
	b.t.Helper()
	b.report() // fails without a report
	files, _ := filepath.Glob(filepath.Join(b.work, "jobgait-*.json"))
	if len(files) == 0 {
		b.t.Fatalf("no report in JSON in %s", b.work)
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// listed is what tests ask of a line of `jobgait list --json`.
type listed struct {
	PeriodS  *float64 `json:"period_s"`
	ElapsedS float64  `json:"elapsed_s"`
}

// stored is the newest line of `jobgait list --json`.
func (b box) stored() listed {
	b.t.Helper()
	r := end(b.t, b.command("list", "--json", "--limit", "1"))
	var l listed
	if err := json.Unmarshal([]byte(r.out), &l); err != nil {
		b.t.Fatalf("list: %v: %q %q", err, r.out, r.complaint)
	}
	return l
}

func host(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// COMMAND gets the caller's environment, with its order and its doubles, and
// what a shell says in _.
func TestEnvironmentIsTheCallers(t *testing.T) {
	b := newBox(t)
	b.env = append(b.env, "ODD=a\nb", "EMPTY=", "SLURM_JOB_ID=", "DOUBLE=1", "DOUBLE=2")
	outside := exec.Command("/usr/bin/env", "-0")
	outside.Dir, outside.Env = b.work, append(b.env, "_=/usr/bin/env")
	want := end(t, outside)
	inside := b.command("run", "--", "/usr/bin/env", "-0")
	inside.Env = append(b.env, "_="+filepath.Join(bin(t), "jobgait"))
	got := end(t, inside)
	if got.out != want.out {
		t.Errorf("inside:\n%q\noutside:\n%q", got.out, want.out)
	}
}

// A shell's own words: what `env` prints inside is what it prints outside.
func TestEnvUnderAShell(t *testing.T) {
	b := newBox(t)
	script := fmt.Sprintf("env > outside; %s run -- env > inside; cmp outside inside", filepath.Join(bin(t), "jobgait"))
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = b.work, b.env
	if r := end(t, cmd); r.status.ExitStatus() != 0 {
		t.Errorf("%s%s", r.out, r.complaint)
	}
}

func TestExitStatusIsTheCommands(t *testing.T) {
	b := newBox(t)
	plain := filepath.Join(b.work, "plain")
	script := filepath.Join(b.work, "script")
	if err := errors.Join(os.WriteFile(plain, []byte("x"), 0o644),
		jobtest.WriteProgram(script, []byte("exit 9\n"))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"success":           {[]string{"true"}, 0},
		"failure":           {[]string{"sh", "-c", "exit 3"}, 3},
		"not found":         {[]string{"no-such-command"}, 127},
		"path not found":    {[]string{"./no-such-command"}, 127},
		"not executable":    {[]string{"./plain"}, 126},
		"a directory":       {[]string{"/"}, 126},
		"script without #!": {[]string{"./script"}, 9},
		"its own flags":     {[]string{"sh", "-c", "exit 4", "--name"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := end(t, b.command(append([]string{"run", "--"}, c.args...)...))
			if r.status.ExitStatus() != c.want {
				t.Errorf("status %v, want %d: %s", r.status, c.want, r.complaint)
			}
		})
	}
}

func TestDeathBySignalIsRepeated(t *testing.T) {
	b := newBox(t)
	for _, s := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGABRT,
		syscall.SIGQUIT} {
		r := end(t, b.command("run", "--", "sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$", s)))
		if !r.status.Signaled() || r.status.Signal() != s {
			t.Errorf("%v became %v: %s", s, r.status, r.complaint)
		}
	}
	if got := b.report(); !strings.Contains(got, "signal 3") {
		t.Errorf("the report does not name the signal:\n%s", got)
	}
}

// Streams, directory, open descriptors and process group are the caller's.
func TestSurroundingsAreTheCallers(t *testing.T) {
	b := newBox(t)
	shared, err := os.Create(filepath.Join(b.work, "shared"))
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	cmd := b.command("run", "--", "sh", "-c", `cat; pwd; echo extra >&3; echo err >&2; cut -d" " -f5 /proc/$$/stat`)
	cmd.Stdin = strings.NewReader("from stdin\n")
	cmd.ExtraFiles = []*os.File{shared}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that the group is that of jobgait
	r := end(t, cmd)
	want := fmt.Sprintf("from stdin\n%s\n%d\n", b.work, cmd.Process.Pid)
	if r.out != want || r.complaint != "err\n" {
		t.Errorf("out %q, want %q; err %q", r.out, want, r.complaint)
	}
	if text, _ := os.ReadFile(shared.Name()); string(text) != "extra\n" {
		t.Errorf("descriptor 3: %q", text)
	}
}

// An MPI launcher runs as it does outside: SLURM_ variables of jobgait would make it look for a cluster.
func TestMPILauncher(t *testing.T) {
	if _, err := exec.LookPath("mpirun"); err != nil {
		t.Skip("no mpirun here")
	}
	b := newBox(t)
	b.env = append(b.env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	argv := []string{"mpirun", "--oversubscribe", "-np", "2", "sh", "-c",
		`echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $(env | grep -c -e ^SLURM_ -e ^JOBGAIT_) of ours`}
	outside := exec.Command(argv[0], argv[1:]...)
	outside.Dir, outside.Env = b.work, b.env
	want, got := end(t, outside), end(t, b.command(append([]string{"run", "--"}, argv...)...))
	lines := func(r result) string {
		l := strings.Split(r.out, "\n")
		slices.Sort(l)
		return strings.Join(l, "\n")
	}
	if got.status != want.status || lines(got) != lines(want) || !strings.Contains(got.out, "rank 1 of 2, 0 of ours") {
		t.Errorf("inside %v %q %q\noutside %v %q", got.status, got.out, got.complaint, want.status, want.out)
	}
}

// TERM sent to jobgait run reaches COMMAND, once it runs.
func TestTermIsForwarded(t *testing.T) {
	b := newBox(t)
	up := filepath.Join(b.work, "up")
	cmd := b.command("run", "--", "sh", "-c", `trap "exit 7" TERM; : > up; while :; do sleep 0.05; done`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	poll(t, "the command is up", func() bool { _, err := os.Stat(up); return err == nil })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("ended with %v", err)
	}
}

// nohup works: what the caller ignores, COMMAND ignores.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	b := newBox(t)
	cmd := exec.Command("nohup", filepath.Join(bin(t), "jobgait"), "run", "--", "grep", "SigIgn", "/proc/self/status")
	cmd.Dir, cmd.Env = b.work, b.env
	r := end(t, cmd)
	if !regexp.MustCompile(`SigIgn:\s*[0-9a-f]*[13579bdf]\n`).MatchString(r.out) {
		t.Errorf("HUP is not ignored: %q %q", r.out, r.complaint)
	}
}

func TestNoPeriodIsInventedForSleepAndBusyLoop(t *testing.T) {
	for name, c := range map[string]string{"sleep": "sleep 5",
		"busy loop": "end=$((SECONDS+5)); while ((SECONDS < end)); do :; done"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			r := end(t, b.command("run", "--", "bash", "-c", c))
			if r.status != 0 || r.complaint != "" {
				t.Errorf("%v: %s", r.status, r.complaint)
			}
			if l := b.stored(); l.PeriodS != nil || l.ElapsedS < 4 || l.ElapsedS > 120 {
				t.Errorf("stored %+v", l)
			}
			b.report()
		})
	}
}

// Any failure of jobgait costs one line and never the command.
func TestCommandRunsWhateverFails(t *testing.T) {
	config, absent := filepath.Join(t.TempDir(), "jobgait.toml"), filepath.Join(t.TempDir(), "absent")
	if err := os.WriteFile(config, []byte("[agent]\nrate = 5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"no home":            {[]string{"HOME="}, "HOME"},
		"spool is a file":    {[]string{"XDG_STATE_HOME=/dev/null"}, "spool"},
		"unknown config key": {[]string{"JOBGAIT_CONFIG=" + config}, "agent.rate"},
		"config missing":     {[]string{"JOBGAIT_CONFIG=" + absent}, absent},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.env = append(b.env, c.env...)
			r := end(t, b.command("run", "--", "sh", "-c", "echo ran; exit 5"))
			if r.out != "ran\n" || r.status.ExitStatus() != 5 {
				t.Errorf("%v: out %q", r.status, r.out)
			}
			if strings.Count(r.complaint, "\n") != 1 || !strings.Contains(r.complaint, c.says) {
				t.Errorf("not one line about %q: %q", c.says, r.complaint)
			}
		})
	}
}

// COMMAND runs even if jobgait cannot: whatever hangs at the start, whatever is used up, whichever reader has
// closed its end.
func TestCommandRunsAnyhow(t *testing.T) {
	program := filepath.Join(bin(t), "jobgait")
	for name, script := range map[string]string{
		"settings hang": "mkfifo hang; JOBGAIT_CONFIG=$PWD/hang " + program + " run -- touch ran",
		"counter hangs": "mkdir -p $HOME/.local/state/jobgait; mkfifo $HOME/.local/state/jobgait/next-$(hostname); " +
			program + " run -- touch ran",
		"stderr without a reader": "{ unset HOME; sleep 0.2; " + program +
			" run -- touch ran; } 2>&1 | true; until [ -e ran ]; do sleep 0.05; done",
		"few descriptors":       "ulimit -n 6; " + program + " run -- /usr/bin/touch ran",
		"no PATH":               "unset PATH; " + program + " run -- touch ran",
		"no environment at all": "env -i " + program + " run -- touch ran",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-c", script)
			cmd.Dir, cmd.Env = b.work, b.env
			r := end(t, cmd)
			if _, err := os.Stat(filepath.Join(b.work, "ran")); err != nil || r.status != 0 {
				t.Errorf("%v, %v: %s", r.status, err, r.complaint)
			}
			if strings.Contains(r.complaint, "goroutine") {
				t.Errorf("a traceback: %s", r.complaint)
			}
		})
	}
}

// A directory that is not there is said before the run, and the report is kept.
func TestReportDirectoryIsMissing(t *testing.T) {
	b := newBox(t)
	r := end(t, b.command("run", "-o", "nowhere", "--", "true"))
	if r.status != 0 || strings.Count(r.complaint, "\n") != 1 || !strings.Contains(r.complaint, "nowhere") {
		t.Errorf("%v: %q", r.status, r.complaint)
	}
	if r := end(t, b.command("show", "1")); r.status != 0 || !strings.Contains(r.out, "Job 1") {
		t.Errorf("show: %v: %s", r.status, r.complaint)
	}
}

func TestReportGoesToTheChosenDirectory(t *testing.T) {
	b := newBox(t)
	to := filepath.Join(b.work, "reports")
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	end(t, b.command("run", "-o", "reports", "--name", "named", "--size", "L", "--", "true"))
	for _, ext := range []string{"txt", "json", "html"} {
		if _, err := os.Stat(filepath.Join(to, "jobgait-1."+ext)); err != nil {
			t.Error(err)
		}
	}
}

// Inside a batch job the report is named after it and counts the runs.
func TestInsideABatchJob(t *testing.T) {
	b := newBox(t)
	b.env = append(b.env, "SLURM_JOB_ID=812", "SLURM_CLUSTER_NAME=alpha")
	for i := range 2 {
		r := end(t, b.command("run", "--", "true"))
		path := filepath.Join(b.work, fmt.Sprintf("jobgait-812.run%d.txt", i+1))
		if r.status != 0 || r.complaint != "" || r.reported != "jobgait: report in "+path+"\n" {
			t.Fatalf("%v: %s%s", r.status, r.complaint, r.reported)
		}
	}
	for _, name := range []string{"jobgait-812.run1.txt", "jobgait-812.run2.txt"} {
		if _, err := os.Stat(filepath.Join(b.work, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestRunsAtOnceGetDifferentNumbers(t *testing.T) {
	b := newBox(t)
	done := make(chan result)
	for range 4 {
		cmd := b.command("run", "--", "true")
		go func() { done <- end(t, cmd) }()
	}
	for range 4 {
		if r := <-done; r.status != 0 || r.complaint != "" {
			t.Errorf("%v: %s", r.status, r.complaint)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(b.work, "jobgait-*.txt")); len(files) != 4 {
		t.Errorf("%d reports: %v", len(files), files)
	}
}

func TestVerbsAndBadInput(t *testing.T) {
	b := newBox(t)
	if r := end(t, b.command("run", "--", "true")); r.status != 0 {
		t.Fatal(r)
	}
	junk, absent := filepath.Join(b.work, "junk"), filepath.Join(b.work, "absent")
	if err := os.WriteFile(junk, []byte("junk"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"show", "1"}, 0, ""},
		{[]string{"show", "1", "--json"}, 0, ""},
		{[]string{"list"}, 0, ""},
		{[]string{"show", "99"}, 1, "99"},
		{[]string{"show", "abc"}, 2, "abc"},
		{[]string{"show", "-1"}, 2, ""},
		{[]string{"show"}, 2, "job id"},
		{[]string{"run"}, 2, "command"},
		{[]string{"run", "--no-such-flag", "--", "true"}, 2, "no-such-flag"},
		{[]string{"no-such-verb"}, 2, "no-such-verb"},
		{[]string{"replay", junk}, 1, junk},
		{[]string{"replay", absent}, 1, absent},
		{[]string{"list", "--history", junk}, 1, junk},
	} {
		r := end(t, b.command(c.args...))
		if r.status.ExitStatus() != c.want || !strings.Contains(r.complaint, c.says) {
			t.Errorf("%v: %v, %q", c.args, r.status, r.complaint)
		}
		if c.want != 0 && (strings.Count(r.complaint, "\n") != 1 || r.out != "") {
			t.Errorf("%v: not one line: %q %q", c.args, r.out, r.complaint)
		}
	}
	profile, err := filepath.Glob(filepath.Join(filepath.Dir(b.work), ".local/state/jobgait/*/*/profile.jgp"))
	if err != nil || len(profile) != 1 {
		t.Fatalf("profiles: %v %v", profile, err)
	}
	if r := end(t, b.command("replay", profile[0])); r.status != 0 || !strings.Contains(r.out, "jobgait") {
		t.Errorf("replay: %v: %s", r.status, r.complaint)
	}
}

// poll waits for a condition, a minute at most.
func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
