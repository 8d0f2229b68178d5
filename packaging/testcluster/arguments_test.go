package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
)

// secret is part of everything private of the job of TestNothingPrivateIsAnArgument.
const secret = "xsecretx"

// argumentWatch records the arguments of processes that jobgait's hooks and the controller's mail program start.
type argumentWatch struct {
	// programs are directories: processes of programs in them, and the children of those, are watched.
	programs []string
	quit     chan struct{}
	done     sync.WaitGroup

	mu sync.Mutex
	// seen has the started programs: each one's name and first argument.
	seen map[string]bool
	// leaked lists arguments that contain the secret.
	leaked []string
}

// watchArguments watches processes of programs in the directories until stop is called.
func watchArguments(programs ...string) *argumentWatch {
	w := &argumentWatch{programs: programs, quit: make(chan struct{}), seen: map[string]bool{}}
	w.done.Go(func() {
		for {
			select {
			case <-w.quit:
				return
			case <-time.After(time.Millisecond):
				w.look()
			}
		}
	})
	return w
}

func (w *argumentWatch) stop() {
	close(w.quit)
	w.done.Wait()
}

// missing returns those of the kinds that were not seen.
func (w *argumentWatch) missing(kinds []string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return w.seen[kind] })
}

// look reads the arguments of every process of jobgait, and of every child of one: Slurm's commands, sendmail.
func (w *argumentWatch) look() {
	isWatched := func(pid string) bool {
		exe, _ := os.Readlink("/proc/" + pid + "/exe")
		return slices.Contains(w.programs, filepath.Dir(exe))
	}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if !isWatched(e.Name()) && !isWatched(strconv.Itoa(parentOf(pid))) {
			continue
		}
		// The controller calls jobgait's mail program like any other: the arguments are its own.
		args := arguments(pid)
		if len(args) < 2 || slices.Contains(args, "mail") {
			continue
		}
		w.mu.Lock()
		w.seen[filepath.Base(args[0])+" "+args[1]] = true
		if text := strings.Join(args, " "); strings.Contains(text, secret) && !slices.Contains(w.leaked, text) {
			w.leaked = append(w.leaked, text)
		}
		w.mu.Unlock()
	}
}

// leaks returns the arguments with the secret that were seen.
func (w *argumentWatch) leaks() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.leaked)
}

// The watch of TestNothingPrivateIsAnArgument notices the secret in an argument of a watched program.
func TestArgumentWatchNoticesSecrets(t *testing.T) {
	t.Parallel()
	tail, err := exec.LookPath("tail")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	program, err := os.ReadFile(tail)
	if err != nil {
		t.Fatal(err)
	}
	if err := jobtest.WriteProgram(filepath.Join(dir, "waits"), program); err != nil {
		t.Fatal(err)
	}
	w := watchArguments(dir)
	defer w.stop()
	cmd := exec.Command(filepath.Join(dir, "waits"), "-f", "/dev/null", secret)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	poll(t, func() string {
		if len(w.leaks()) == 0 {
			return "the secret was not noticed"
		}
		return ""
	})
}

// parentOf returns the pid of a process's parent, 0 if it has ended.
func parentOf(pid int) (parent int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, after, ok := strings.Cut(string(status), "\nPPid:"); ok {
		_, _ = fmt.Sscan(after, &parent)
	}
	return parent
}

// Whatever a user names in private, jobgait passes on as no argument, which every account of the node could read:
// job name, labels, modules and other variables, arguments of the command, output path, and recipient. Jobs are
// repeated until each kind of child was seen, because some live for 20 ms.
func TestNothingPrivateIsAnArgument(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir := filepath.Join(c.dir(t, c.bob), secret)
	mustMake(t, c.bob, dir)
	want := []string{"jobgait-agent --lock-fd", "jobgait-agent peek", "jobgait-agent names", "jobgait-epilog --worker",
		"jobgait-epilog --deliver", "jobgait-epilog --collect", "jobgait-epilog --sweep-node", "scontrol show"}
	w := watchArguments(c.path("libexec", "jobgait"))
	for n := 0; n < 8 && len(w.missing(want)) > 0; n++ {
		j := c.sbatch(t, c.bob, dir, "export VARIABLE="+secret+" LOADEDMODULES="+secret+"/1.0\ntimeout 3 bash -c "+
			"'while :; do :; done' "+secret, "-N1", "-n1", "-J", secret, "-o", dir+"/"+secret+"-%j", "--comment", secret,
			"--jobgait=app="+secret+",size="+secret+",label="+secret+"="+secret, "--mail-type=END",
			"--mail-user="+secret+"@example.org")
		j.wait(t)
		poll(t, func() string {
			for _, p := range c.processes("jobgait-epilog") {
				if p.mentions(j.id) {
					return fmt.Sprintf("%d still runs: %q", p.pid, p.args)
				}
			}
			return ""
		})
	}
	w.stop()
	if missing := w.missing(want); len(missing) > 0 {
		t.Errorf("never seen: %q", missing)
	}
	t.Logf("%d kinds of processes seen: %v", len(w.seen), w.seen)
	if leaked := w.leaks(); len(leaked) > 0 {
		t.Errorf("arguments with the secret: %q", leaked)
	}
}
