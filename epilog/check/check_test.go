package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// told returns the printed findings, and those that are not ok.
func (s *site) told() (text string, bad []Finding) {
	for _, f := range s.Findings(s.t.Context()) {
		do := ""
		if f.Do != nil {
			do = " > " + *f.Do
		}
		text += fmt.Sprintf("%s %s: %s%s\n", f.Verdict, f.Subject, f.Text, do)
		if f.Verdict != OK {
			bad = append(bad, f)
		}
	}
	return text, bad
}

// A correct installation has no problem, with either kind of history, and the check creates nothing.
func TestCompleteInstallationHasNoProblems(t *testing.T) {
	for _, ingest := range []string{"here", "spool"} {
		s := newSite(t)
		s.Config.History.Ingest = ingest
		text, bad := s.told()
		if len(bad) > 0 || strings.Count(text, "\n") < 19 {
			t.Errorf("history %s:\n%s", ingest, text)
		}
		for _, dir := range []string{"var/spool", "shared", "var/lib"} {
			if _, err := os.Stat(filepath.Join(s.dir, dir)); err == nil {
				t.Errorf("it has made %s", dir)
			}
		}
		s.run() // a job has been here
		if text, bad := s.told(); len(bad) > 0 || !strings.Contains(text, "ok runs: 1 at work") {
			t.Errorf("history %s, after a job:\n%s", ingest, text)
		}
		if entries, err := os.ReadDir(s.Config.Spool.Dir + "/n1"); err != nil || len(entries) != 1 {
			t.Errorf("left in the spool: %v, %v", entries, err)
		}
	}
}

// fault is one mistake in an installation: exactly that finding becomes a problem, with a text that names it
// and the command to type.
type fault struct {
	name    string
	verdict Verdict
	subject string
	says    string // of the text
	do      string // of the line to type
	plant   func(s *site)
}

var faults = []fault{
	// it ends the list: see TestUnusableSettings
	{"settings", Failure, "settings", "line 3: no number: no job is watched", "jobgait.toml", nil},
	{"unknown key", Failure, "settings", "unknown key", "jobgait.toml", func(s *site) {
		s.Config.Unknown = "unknown key \"agent.rate\""
	}},
	{"no settings", Warning, "settings", "the defaults apply", "usr/share/doc/jobgait/jobgait.toml", func(s *site) {
		s.remove("etc/jobgait")
	}},
	{"no agent", Failure, "programs", "jobgait-agent: no such file", "make install", func(s *site) {
		s.remove("usr/libexec/jobgait/jobgait-agent")
	}},
	{"agent that is no program", Failure, "programs", "jobgait-agent is not an executable file", "chmod 755",
		func(s *site) {
			s.write("usr/libexec/jobgait/jobgait-agent", "", 0o644)
		}},
	{"agent of another version", Warning, "versions", "there are jobgait-agent 9.9.1: install them together",
		"make install", func(s *site) {
			s.program("jobgait-agent", "9.9.1")
		}},
	{"Epilog that tells no version", Warning, "versions", "jobgait-epilog of unknown version", "make install",
		func(s *site) {
			s.write("usr/libexec/jobgait/jobgait-epilog", "#!/bin/sh\necho usage >&2; exit 2\n", 0o755)
		}},
	{"agent that runs is of other programs", Warning, "agents", "1 of 1 running agents", "", func(s *site) {
		s.oldAgent()
	}},
	{"old kernel", Warning, "kernel", "3.10.0-1160.el7 is older than 4.18", "", func(s *site) {
		s.write("proc/sys/kernel/osrelease", "3.10.0-1160.el7\n", 0o644)
	}},
	{"kernel without perf", Warning, "perf", "this kernel has no perf events", "", func(s *site) {
		s.remove("proc/sys/kernel/perf_event_paranoid")
	}},
	{"perf forbidden", Warning, "perf", "perf_event_paranoid is 3", "sysctl -w kernel.perf_event_paranoid=",
		func(s *site) {
			s.open = func(*unix.PerfEventAttr, int, int, int, int) (int, error) { return -1, unix.EACCES }
		}},
	{"no cgroups", Warning, "cgroup", "no cgroups are mounted", "", func(s *site) {
		s.write("proc/self/mountinfo", "", 0o644)
	}},
	{"jobs without cgroups", Warning, "cgroup", "proctrack/linuxproc gives jobs none", "", func(s *site) {
		s.config("proctrack/cgroup", "proctrack/linuxproc")
	}},
	{"no io.stat", Warning, "io", "jobs have no io.stat", "echo +io >", func(s *site) {
		s.write(scope+"cgroup.subtree_control", "cpuset cpu memory\n", 0o644)
	}},
	{"no io.stat in a new Slurm", Warning, "io", "jobs have no io.stat", "echo EnableExtraControllers=io >>",
		func(s *site) {
			s.write(scope+"cgroup.subtree_control", "cpuset cpu memory\n", 0o644)
			s.config("24.11.5", "25.05.0")
		}},
	{"slurmd was never started", Warning, "io", "not checked: no slurmstepd.scope", "systemctl start slurmd",
		func(s *site) {
			s.remove("sys/fs/cgroup/system.slice")
		}},
	{"no scontrol", Failure, "slurm", "is this a node of Slurm?", "command -v scontrol", func(s *site) {
		s.remove("usr/bin/scontrol")
	}},
	{"no controller", Failure, "slurm", "exit status 1: fatal", "scontrol ping", func(s *site) {
		s.write("usr/bin/scontrol", "#!/bin/sh\necho trying >&2; echo fatal >&2; exit 1\n", 0o755)
	}},
	{"controller that hangs", Failure, "slurm", "no answer within 5s", "scontrol ping", func(s *site) {
		s.write("usr/bin/scontrol", "#!/bin/sh\nsleep 1000\n", 0o755)
	}},
	{"slurm.conf of which nothing is known", Warning, "slurm.conf", "not checked: ", "", func(s *site) {
		s.config("HASH_VAL", "HASH")
	}},
	{"slurm.conf of another day", Warning, "slurm.conf", "differs from the controller's", "scp ctl:", func(s *site) {
		s.config("Match", "Different Ours=0x1 Slurmctld=0x2")
	}},
	{"slurm.conf of this node without hooks", Failure, "slurm.conf",
		"has no Epilog, but the controller's has: slurmd calls no hook on this node", "scp ctl:", func(s *site) {
			s.config("Match", "Different Ours=0x1 Slurmctld=0x2")
			s.write("etc/slurm/slurm.conf", "Prolog=/x\n#Epilog=/x\n", 0o644)
		}},
	{"no Prolog", Failure, "prolog", "slurm.conf has no Prolog, so nothing is called", "/usr/libexec/jobgait/prolog' >>",
		func(s *site) {
			s.config("= @/usr/libexec/jobgait/prolog", "= (null)")
		}},
	{"Epilog that is not there", Failure, "epilog", "/no/jobgait/epilog is not a program that root can run on this node",
		"make install", func(s *site) {
			s.config("@/usr/libexec/jobgait/epilog", "/no/jobgait/epilog")
		}},
	{"Epilog of another installation", Warning, "epilog", "belongs to another installation",
		"/usr/libexec/jobgait/epilog' >>", func(s *site) {
			s.config("@/usr/libexec/jobgait/epilog", "@/opt/jobgait/epilog")
			s.write("opt/jobgait/epilog", "", 0o755)
			s.write("opt/jobgait/jobgait-epilog", "", 0o755)
		}},
	{"Prolog of the site that calls another program", Failure, "prolog", "does not call jobgait",
		"/usr/libexec/jobgait/prolog || true' >>", func(s *site) {
			s.config("@/usr/libexec/jobgait/prolog", "@/etc/slurm/prolog.d/*")
			s.write("etc/slurm/prolog.d/10-site", "#!/bin/sh\n", 0o755)
		}},
	{"no PrologFlags", Failure, "flags", "neither Alloc nor Contain", "echo 'PrologFlags=Alloc' >>", func(s *site) {
		s.config("Alloc,Contain", "(null)")
	}},
	{"the limit of hooks is too short", Failure, "timeout", "PrologEpilogTimeout=10, but the hook may take 10 s",
		"echo 'PrologEpilogTimeout=60' >>", func(s *site) {
			s.config("65534", "10")
		}},
	{"the limit of the Epilog is too short", Failure, "timeout", "EpilogTimeout=5", "echo 'EpilogTimeout=60' >>",
		func(s *site) {
			s.config("PrologEpilogTimeout     = 65534", "EpilogTimeout = 5 sec")
		}},
	{"plugin that is not named", Warning, "spank", "users have no option --jobgait", "echo 'optional ", func(s *site) {
		s.remove("etc/slurm/plugstack.conf")
	}},
	{"plugin that is not there", Failure, "spank", "no such file", "make -C spank", func(s *site) {
		s.remove("usr/lib/slurm/jobgait.so")
	}},
	{"a plugin file that is not a plugin", Failure, "spank", "is not a SPANK plugin", "make -C spank", func(s *site) {
		s.write("usr/lib/slurm/jobgait.so", "junk", 0o755)
	}},
	{"plugin of another Slurm", Failure, "spank", "was compiled for Slurm 22.05, this is 24.11", "make -C spank",
		func(s *site) {
			s.plugin("0x160508")
		}},
	{"plugin that is required", Warning, "spank", "without the plugin no job would start", "sed -i", func(s *site) {
		s.write("etc/slurm/plugstack.conf.d/jobgait.conf", "required jobgait.so\n", 0o644)
	}},
	{"spool that is a file", Failure, "spool", "not a directory", "install -d", func(s *site) {
		s.write("var/spool", "", 0o644)
	}},
	{"spool in memory", Warning, "spool", "is in memory (tmpfs): profiles may take 20 GB of the 269 GB", "max_gb = 5.4",
		func(s *site) {
			s.disk(unix.TMPFS_MAGIC, 128, 100)
			s.Config.Spool.MaxGB = 20
		}},
	{"spool in memory without bounds", Warning, "spool", "is in memory (ramfs)", "max_gb = ", func(s *site) {
		s.disk(unix.RAMFS_MAGIC, 0, 0)
		s.Config.Spool.MaxGB = 20
	}},
	{"spool in an image in memory", Warning, "spool", "is in memory (tmpfs under an overlay)", "max_gb = ",
		func(s *site) {
			s.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"+
				"31 1 0:30 / / rw - overlay LiveOS rw,lowerdir=/a,upperdir=/b,workdir=/c\n32 31 0:31 / /var/spoo rw - overlay x "+
				"rw,upperdir=/d\n", 0o644)
			s.Config.Spool.MaxGB = 20
			s.disk(unix.OVERLAYFS_SUPER_MAGIC, 128, 100)
			overlay := s.statfs
			s.statfs = func(path string, st *unix.Statfs_t) error {
				err := overlay(path, st)
				if path == "/b" {
					st.Type = unix.TMPFS_MAGIC
				}
				return err
			}
		}},
	{"full spool", Failure, "spool", "is nearly full, so jobs may get no report: 50 MB", "du -xsh", func(s *site) {
		s.disk(unix.EXT4_SUPER_MAGIC, 100, .0525)
	}},
	{"spool larger than its disk", Warning, "spool", "has 1 GB, less than spool.max_gb = 2", "max_gb = 0.5",
		func(s *site) {
			s.disk(unix.EXT4_SUPER_MAGIC, 1, 1)
		}},
	{"runs left over", Failure, "runs", "are not finished: 1, the first for 3h0m0s", "jobgait.log",
		func(s *site) {
			s.ended(3 * time.Hour)
		}},
	{"no account", Failure, "collect", "collect.account", "useradd --system no_such_account", func(s *site) {
		s.inspectForTest, s.Config.Collect.Account = nil, "no_such_account"
		s.Config.History.Ingest = "here"
	}},
	{"no collection directory", Failure, "collect", "jobgait cannot write a record: no such file",
		"install -d -o jobgait -m 0700", func(s *site) {
			s.shared = SharedDirectory{Trouble: "no such file"}
		}},
	{"collection directory of one node", Warning, "collect", "on this node's own disk", "[collect] dir", func(s *site) {
		s.shared.Network = ""
	}},
	{"clock of the file server", Warning, "clock", "the file server of collect.dir is -90.0 s", "timedatectl",
		func(s *site) {
			s.shared.AheadS = -90
		}},
	{"clock of the controller", Warning, "clock", "the controller's clock is +3", "timedatectl", func(s *site) {
		s.slurm(slurmConfig, "now +3600 seconds", "24.11.5")
	}},
	{"a history file that is not a database", Failure, "history", "not an SQLite database", "[history] path",
		func(s *site) {
			s.write("var/lib/jobgait/history.db", strings.Repeat("x", 5000), 0o644)
		}},
	{"history below a file", Failure, "history", "not a directory", "[history] path", func(s *site) {
		s.write("var/lib/jobgait", "", 0o644)
	}},
	{"no host ingests", Failure, "history",
		"2 job records wait for the ingest, the first for 5h0m0s; this node has no history",
		"systemctl enable --now jobgait-ingest.timer", func(s *site) {
			s.Config.History.Ingest = "spool"
			s.shared.Waiting, s.shared.OldestS = 2, 5*3600
		}},
	{"records set aside", Warning, "history", "3 damaged job records were set aside", "/jobs/failed", func(s *site) {
		s.Config.History.Ingest = "spool"
		s.shared.Failed = 3
	}},
	{"no directory of snapshots", Failure, "snapshots", "no such file", "install -d -o jobgait -m 0711", func(s *site) {
		s.Config.History.Snapshots = filepath.Join(s.dir, "var/lib/none")
	}},
	{"snapshots that anybody writes", Failure, "snapshots", "another account", "chmod 0711", func(s *site) {
		s.Config.History.Snapshots = filepath.Join(s.dir, "var/lib/users")
		s.write("var/lib/users/file", "", 0o644)
		_ = os.Chmod(s.Config.History.Snapshots, 0o777)
	}},
	{"sweep is not enabled", Warning, "timers", "jobgait-sweep.timer is not enabled",
		"systemctl enable --now jobgait-sweep.timer", func(s *site) {
			s.remove("etc/systemd/system/timers.target.wants/jobgait-sweep.timer")
		}},
	{"ingest is not enabled", Warning, "timers", "this host has the history",
		"systemctl enable --now jobgait-ingest.timer", func(s *site) {
			s.Config.History.Ingest = "spool"
			s.write("var/lib/jobgait/history.db", "", 0o600)
			s.remove("etc/systemd/system/timers.target.wants/jobgait-ingest.timer")
		}},
	{"no systemd", Warning, "timers", "no systemd here", "jobgait-epilog --sweep", func(s *site) {
		s.remove("run/systemd")
	}},
}

func TestFaults(t *testing.T) {
	for _, c := range faults {
		if c.plant == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			c.plant(s)
			c.is(t, s)
		})
	}
}

// is reports whether exactly that finding, and no other, was found.
func (c fault) is(t *testing.T, s *site) {
	t.Helper()
	text, bad := s.told()
	if len(bad) != 1 {
		t.Fatalf("want one bad finding:\n%s", text)
	}
	f, do := bad[0], ""
	if f.Do != nil {
		do = *f.Do
	}
	if f.Verdict != c.verdict || f.Subject != c.subject || !strings.Contains(f.Text, c.says) ||
		!strings.Contains(do, c.do) || (do == "") != (c.do == "") {
		t.Errorf("want %s of %s that says %q and %q:\n%s", c.verdict, c.subject, c.says, c.do, text)
	}
	if f.Seen == strings.HasPrefix(f.Text, "not checked: ") {
		t.Errorf("seen is %v: %s", f.Seen, f.Text)
	}
}

// Unusable settings leave nothing else to check.
func TestUnusableSettings(t *testing.T) {
	s := newSite(t)
	s.Unusable = errors.New("line 3: no number")
	faults[0].is(t, s)
}

// A site may have several hooks, or its own hook may call jobgait's hook.
func TestHooksOfTheSite(t *testing.T) {
	s := newSite(t)
	s.slurm(strings.NewReplacer("@/usr/libexec/jobgait/prolog", "@/etc/slurm/prolog.d/*", "@/usr/libexec/jobgait/epilog",
		"@/etc/slurm/epilog.sh").Replace(slurmConfig), "now", "24.11.5")
	s.write("etc/slurm/prolog.d/10-site", "#!/bin/sh\n", 0o755)
	s.write("etc/slurm/prolog.d/90-jobgait", "#!/bin/sh\n", 0o755)
	s.write("etc/slurm/epilog.sh", "#!/bin/sh\n/usr/libexec/jobgait/epilog || true\n", 0o755)
	if text, bad := s.told(); len(bad) > 0 || !strings.Contains(text, "prolog.d/90-jobgait") ||
		!strings.Contains(text, "Epilog="+s.dir+"/etc/slurm/epilog.sh") {
		t.Error(text)
	}
}

// The NFS server has the collection directory on a local disk.
func TestFileServer(t *testing.T) {
	s := newSite(t)
	s.shared.Network = ""
	s.write("var/lib/nfs/etab", s.dir+"/shared\t10.0.0.0/24(rw,sync,root_squash)\n", 0o644)
	if text, bad := s.told(); len(bad) > 0 || !strings.Contains(text, "this node exports it") {
		t.Error(text)
	}
}

// Slurm before 24.05 prints names without indexes.
func TestOldSlurm(t *testing.T) {
	s := newSite(t)
	s.plugin("0x160508")
	s.slurm(strings.NewReplacer("[0]", "   ", "24.11.5", "22.05.8", "PlugStackConfig         = (null)",
		"PlugStackConfig = @/etc/slurm/plugstack.conf").Replace(slurmConfig), "now", "22.05.8")
	if text, bad := s.told(); len(bad) > 0 {
		t.Error(text)
	}
}

// Root does not run a program that another account can change, not even for its version.
func TestProgramsOfOthers(t *testing.T) {
	if !isRoot() {
		t.Skip("only root is warned")
	}
	s := newSite(t)
	ran := s.dir + "/ran"
	s.write("usr/libexec/jobgait/jobgait-agent", "#!/bin/sh\n: >"+ran+"\n", 0o755)
	if err := os.Chown(s.dir+"/usr/libexec/jobgait/jobgait-agent", 65534, -1); err != nil {
		t.Fatal(err)
	}
	fault{"", Failure, "programs", "accounts other than root can change", "chown root:root", nil}.is(t, s)
	if _, err := os.Stat(ran); err == nil {
		t.Error("it was run")
	}
}

// The same of a spool.
func TestSpoolOfOthers(t *testing.T) {
	if !isRoot() {
		t.Skip("only root is warned")
	}
	s := newSite(t)
	s.run()
	if err := os.Chown(s.Config.Spool.Dir, 65534, -1); err != nil {
		t.Fatal(err)
	}
	fault{"", Failure, "spool", "belongs to uid 65534", "chown root:root", nil}.is(t, s)
}

// The collection directory is inspected with the rights of its account, and as it was left by earlier runs.
func TestInspectCollectionDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-5 * time.Hour)
	path := filepath.Join(dir, "jobs", "a.json.gz")
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "jobs", "failed"), 0o700), os.WriteFile(path, nil, 0o600),
		os.WriteFile(filepath.Join(dir, "jobs", "failed", "b"), nil, 0o600), os.Chtimes(path, old, old))
	if err != nil {
		t.Fatal(err)
	}
	s := inspect(dir)
	// Files have the time of the last tick of the kernel.
	if s.Trouble != "" || math.Abs(s.AheadS) > 0.1 || s.Waiting != 1 || s.Failed != 1 || s.OldestS < 5*3600 ||
		s.OldestS > 5*3600+600 {
		t.Errorf("%+v", s)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if s := inspect(dir + "/none"); !strings.Contains(s.Trouble, "no such file") {
		t.Errorf("%+v", s)
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if s := inspect(dir); !strings.Contains(s.Trouble, "accounts other than its own") {
		t.Errorf("%+v", s)
	}
}

// Only the account and root may check the directory.
func TestDirectoryOfAnotherAccount(t *testing.T) {
	if isRoot() {
		t.Skip("root may become the account")
	}
	s := newSite(t)
	s.inspectForTest, s.Config.Collect.Account = nil, "root"
	fault{"", Warning, "collect", "not checked: ", rerunAsRoot, nil}.is(t, s)
}

func TestOutside(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, c := range []struct{ from, to, want float64 }{{-1, 1, 0}, {1, 2, -1}, {-3, -2, 2}} {
		after := func(s float64) time.Time { return at.Add(time.Duration(s * float64(time.Second))) }
		if got := secondsOutside(at, after(c.from), after(c.to)); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// For any output of Slurm, its files or a program, a finding is one line of text and valid JSON.
func FuzzParse(f *testing.F) {
	f.Add([]byte(slurmConfig))
	f.Add([]byte("Prolog[0] = a\nProlog[1] = b\nHASH_VAL = Different\nPluginDir = :\n"))
	f.Add([]byte("=\nA=\x1b[2J\nConfiguration data as of 9999-12-31T23:59:59\n"))
	f.Add([]byte("include a\noptional jobgait.so\nPrologEpilogTimeout = -1\nPrologFlags = runinjob\nProlog = [\n"))
	n := Node{Program: "/d/jobgait", Settings: "/d/\x1b.toml", Root: f.TempDir()}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := parseSlurmConfig(b)
		list := []Finding{n.checkSlurmConf(s), n.checkHook(s, "Prolog", s.config["Prolog"]), n.checkPrologFlags(s),
			n.checkTimeouts(s),
			n.checkClocks(s, SharedDirectory{}, context.Canceled)}
		for _, l := range parseStack(b) {
			list = append(list, passed("x", "%s %s", l.word, l.path))
		}
		for name, values := range parseConf(b) {
			list = append(list, passed("x", "%s %s", name, values))
		}
		for _, finding := range list {
			do := ""
			if finding.Do != nil {
				do = *finding.Do
			}
			if strings.ContainsAny(finding.Text+do, "\n\x1b\x00") {
				t.Errorf("%q %q", finding.Text, do)
			}
			if _, err := json.Marshal(finding); err != nil {
				t.Error(err)
			}
		}
		parseVersion(string(b))
		versionLine.FindSubmatch(b)
	})
}
