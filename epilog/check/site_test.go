package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/configs"
	"jobgait/epilog/finish"
)

// site is an installation on a node in which everything is right.
type site struct {
	Node
	t      *testing.T
	dir    string
	shared SharedDirectory
}

// slurmConfig is what the real scontrol prints of such a cluster, shortened; @ is
// the fixture.
const slurmConfig = `
Epilog[0]               = @/usr/libexec/jobgait/epilog
HASH_VAL                = Match
PluginDir               = @/usr/lib/slurm
PlugStackConfig         = (null)
ProctrackType           = proctrack/cgroup
Prolog[0]               = @/usr/libexec/jobgait/prolog
PrologEpilogTimeout     = 65534
PrologFlags             = Alloc,Contain
SLURM_CONF              = @/etc/slurm/slurm.conf
SLURM_VERSION           = 24.11.5
SlurmctldHost[0]        = ctl(10.0.0.1)
TaskProlog[0]           = (null)
`

const scope = "sys/fs/cgroup/system.slice/slurmstepd.scope/"

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t: t, dir: dir, shared: SharedDirectory{Network: "NFS"}}
	s.Node = Node{Name: "n1", Program: dir + "/usr/libexec/jobgait/jobgait", Settings: dir + "/etc/jobgait/jobgait.toml",
		Root:   dir,
		Config: configs.Default(),
		open: func(*unix.PerfEventAttr, int, int, int, int) (int, error) {
			return unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		},
		inspectForTest: func(context.Context) (SharedDirectory, error) { return s.shared, nil }}
	s.Config.Spool.Dir, s.Config.Collect.Dir = dir+"/var/spool/jobgait", dir+"/shared/jobgait"
	s.Config.History.Path, s.Config.Slurm.Scontrol = dir+"/var/lib/jobgait/history.db", dir+"/usr/bin/scontrol"
	for _, name := range []string{"jobgait", "jobgait-prolog", "jobgait-agent", "jobgait-epilog"} {
		s.program(name, configs.Version)
	}
	for path, text := range map[string]string{
		"etc/jobgait/jobgait.toml": "",
		"etc/slurm/slurm.conf": "Prolog=/x/jobgait/prolog\nEpilog = " +
			"/x/jobgait/epilog # of jobgait\n",
		"etc/slurm/plugstack.conf":                                    "# of the site\ninclude plugstack.conf.d/*.conf\n",
		"etc/slurm/plugstack.conf.d/jobgait.conf":                     "optional jobgait.so\n",
		"etc/systemd/system/timers.target.wants/jobgait-sweep.timer":  "",
		"etc/systemd/system/timers.target.wants/jobgait-ingest.timer": "",
		"run/systemd/system/x":                                        "",
		"proc/sys/kernel/osrelease":                                   "6.1.0-56-amd64\n",
		"proc/sys/kernel/perf_event_paranoid":                         "3\n",
		"proc/meminfo":                                                "MemTotal:       263000000 kB\nMemFree: 1 kB\n",
		"proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 " +
			"cgroup2 rw,nsdelegate\n",
		"sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n",
		scope + "cgroup.subtree_control":   "cpuset cpu io memory\n",
		"usr/lib/slurm/README":             "",
	} {
		s.write(path, text, 0o644)
	}
	s.write("usr/libexec/jobgait/prolog", "#!/bin/sh\n", 0o755)
	s.write("usr/libexec/jobgait/epilog", "#!/bin/sh\n", 0o755)
	s.slurm(slurmConfig, "now", "24.11.5")
	s.plugin("0x180b05")
	return s
}

// program writes a fake program of jobgait with a given version.
func (s *site) program(name, version string) {
	s.write("usr/libexec/jobgait/"+name, "#!/bin/sh\necho "+name+" "+version+"\n", 0o755)
}

func (s *site) write(path, text string, mode os.FileMode) {
	s.t.Helper()
	path = filepath.Join(s.dir, path)
	_ = os.Remove(path)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) remove(path string) { os.RemoveAll(filepath.Join(s.dir, path)) }

// slurm is the site's scontrol: what it prints, the controller's clock, the version
// of this node.
func (s *site) slurm(config, clock, version string) {
	s.write("usr/bin/scontrol", fmt.Sprintf(`#!/bin/sh
if [ "$1" = --version ]; then echo slurm-wlm %s; exit; fi
echo "Configuration data as of $(/bin/date -u -d '%s' +%%Y-%%m-%%dT%%H:%%M:%%S)"
/bin/cat <<'E'
%sE
`, version, clock, strings.ReplaceAll(config, "@", s.dir)), 0o755)
}

// config changes what scontrol prints.
func (s *site) config(from, to string) {
	s.t.Helper()
	changed := strings.Replace(slurmConfig, from, to, 1)
	if changed == slurmConfig {
		s.t.Fatalf("no %q in the configuration", from)
	}
	s.slurm(changed, "now", "24.11.5")
}

// plugin compiles a substitute of the SPANK plugin for a version of Slurm.
func (s *site) plugin(version string) {
	s.t.Helper()
	cmd := exec.Command("cc", "-shared", "-fPIC", "-nostdlib", "-x", "c", "-o",
		filepath.Join(s.dir, "usr/lib/slurm/jobgait.so"), "-")
	cmd.Stdin = strings.NewReader("const char plugin_name[] = \"jobgait\"; const unsigned int plugin_version = " +
		version + ";\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// run is a run of this node.
func (s *site) run() job.RunDir {
	s.t.Helper()
	d := job.Dir(s.Config.Spool.Dir, "n1", run.Key{Cluster: "c", JobID: 7})
	if err := errors.Join(job.MakeNodeDir(s.Config.Spool.Dir, "n1"), d.Make(), d.WriteRun(job.Run{})); err != nil {
		s.t.Fatal(err)
	}
	return d
}

// ended makes a run that ended the given time ago and is not finished.
func (s *site) ended(ago time.Duration) {
	s.t.Helper()
	if err := finish.WriteEnd(s.run(), finish.RunEnd{Real: float64(time.Now().Add(-ago).Unix())}); err != nil {
		s.t.Fatal(err)
	}
}

// oldAgent leaves a run whose agent is a program that is not the installed one.
func (s *site) oldAgent() {
	s.t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	p, err := job.ProcessOf(cmd.Process.Pid)
	if err == nil {
		err = p.WriteProcess(s.run().PIDPath())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// disk is the file system of the spool.
func (s *site) disk(kind int64, gb, freeGB float64) {
	s.statfs = func(_ string, st *unix.Statfs_t) error {
		*st = unix.Statfs_t{Type: kind, Bsize: 4096, Blocks: uint64(gb * 1e9 / 4096), Bavail: uint64(freeGB * 1e9 / 4096)}
		return nil
	}
}
