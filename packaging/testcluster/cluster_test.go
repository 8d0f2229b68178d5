package testcluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is how long anything may take that is waited for. It is only ever
// reached by a failure: the machine may be slow.
const limit = 4 * time.Minute

// cluster is a running test cluster.
type cluster struct {
	prefix  string
	printed string // by cluster.sh when it was ready
	janitor *exec.Cmd
	leash   io.Closer // when it closes, also by the end of this process, the janitor removes the cluster
	queue   queue
	alice   account
	bob     account
}

// account is a job user.
type account struct {
	name     string
	uid, gid uint32
	home     string
}

// newCluster starts a cluster and its janitor and compiles the programs that
// jobs run.
func newCluster() (*cluster, error) {
	prefix, err := os.MkdirTemp("", "jobgait-test-")
	if err != nil {
		return nil, err
	}
	c := &cluster{prefix: prefix}
	c.queue.conf = c.path("etc", "slurm.conf")
	if err := c.startJanitor(); err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

func (c *cluster) start() error {
	up := exec.Command("./cluster.sh", "up", c.prefix)
	up.Stderr = os.Stderr
	printed, err := up.Output()
	fmt.Print(string(printed))
	if err != nil {
		return fmt.Errorf("start the cluster: %w", err)
	}
	c.printed = string(printed)
	for _, argv := range [][]string{
		{"gcc", "-O2", "-o", c.path("bin", "gait"), "testdata/gait.c"},
		{"mpicc", "-O2", "-o", c.path("bin", "ring"), "testdata/ring.c"},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("compile %s: %w\n%s", argv[len(argv)-1], err, out)
		}
	}
	if c.alice, err = c.account("jgalice"); err != nil {
		return err
	}
	c.bob, err = c.account("jgbob")
	return err
}

// startJanitor starts a shell that waits for the end of its input, at the latest the end of this process, and
// then removes the cluster. It has a session of its own, so that interrupts of this process do not reach it.
func (c *cluster) startJanitor() error {
	c.janitor = exec.Command("sh", "-c", `cat; ./cluster.sh down "$1" || exit; rmdir "$1" 2>/dev/null; exit 0`, "janitor",
		c.prefix)
	c.janitor.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.janitor.Stderr = os.Stderr
	var err error
	if c.leash, err = c.janitor.StdinPipe(); err != nil {
		return err
	}
	return c.janitor.Start()
}

// remove removes the cluster, unless it is to be kept for inspection.
func (c *cluster) remove() error {
	if os.Getenv("JOBGAIT_KEEP_CLUSTER") != "" {
		fmt.Println("JOBGAIT_KEEP_CLUSTER is set: remove it with cluster.sh down", c.prefix)
		return c.janitor.Process.Kill()
	}
	_ = c.leash.Close()
	if err := c.janitor.Wait(); err != nil {
		return fmt.Errorf("remove the cluster: %w", err)
	}
	return nil
}

func (c *cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.prefix}, elem...)...)
}

func (c *cluster) account(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return account{name, uint32(uid), uint32(gid), c.path("home", name)}, errors.Join(err1, err2)
}

// env is the environment of a shell in which the cluster is set up.
func (c *cluster) env(u account) []string {
	return []string{"PATH=" + c.path("bin") + ":/usr/bin:/bin", "HOME=" + u.home, "USER=" + u.name,
		"LC_ALL=C", "SLURM_CONF=" + c.queue.conf, "JOBGAIT_CONFIG=" + c.path("etc", "jobgait.toml")}
}

// as returns a command of a user in a directory.
func (c *cluster) as(u account, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, c.env(u)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: u.uid, Gid: u.gid}}
	return cmd
}

// admin runs a Slurm command as root.
func (c *cluster) admin(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = c.env(account{name: "root", home: "/root"})
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// dir makes a directory of the user's own for a test.
func (c *cluster) dir(t *testing.T, u account) string {
	t.Helper()
	dir := filepath.Join(u.home, strings.NewReplacer("/", "-", " ", "_").Replace(t.Name()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, int(u.uid), int(u.gid)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// poll calls f until it returns "", and fails the test with what it returned
// last if that takes longer than limit.
func poll(t *testing.T, f func() string) {
	t.Helper()
	if lacks := pollFor(limit, f); lacks != "" {
		t.Fatalf("after %v: %s", limit, lacks)
	}
}

func pollFor(long time.Duration, f func() string) (lacks string) {
	for end := time.Now().Add(long); ; time.Sleep(100 * time.Millisecond) {
		if lacks = f(); lacks == "" || time.Now().After(end) {
			return lacks
		}
	}
}
