package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/epilog/check"
)

// installation is a node with this test as jobgait, in a place that every account
// can walk to; the collection directory is an ordinary account's.
type installation struct {
	t      *testing.T
	prefix string
}

func newInstallation(t *testing.T) installation {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can ask as another account")
	}
	owner, err := user.LookupId(strconv.Itoa(accountUID))
	if err != nil {
		t.Skip(err)
	}
	prefix, err := os.MkdirTemp("", "jobgait-doctor-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(prefix) })
	i := installation{t, prefix}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	i.write("libexec/jobgait/jobgait", string(self))
	for _, name := range []string{"jobgait-prolog", "jobgait-agent", "jobgait-epilog", "prolog", "epilog"} {
		i.write("libexec/jobgait/"+name, "#!/bin/sh\necho "+name+" 0.0.1\n")
	}
	i.write("bin/scontrol", fmt.Sprintf("#!/bin/sh\necho Configuration data as of $(date -u +%%Y-%%m-%%dT%%H:%%M:%%S)\n"+
		"echo Prolog = %[1]s/libexec/jobgait/prolog\necho Epilog = %[1]s/libexec/jobgait/epilog\necho PrologFlags = "+
		"Alloc\necho HASH_VAL = Match\n", prefix))
	i.write("etc/jobgait.toml", fmt.Sprintf(
		"[spool]\ndir = \"%[1]s/spool\"\n[collect]\ndir = \"%[1]s/collect\"\naccount = \"%[2]s\"\n"+
			"[history]\npath = \"%[1]s/lib/history.db\"\n[slurm]\nscontrol = \"%[1]s/bin/scontrol\"\n", prefix, owner.Username))
	err = errors.Join(os.Chmod(prefix, 0o755), os.Mkdir(prefix+"/collect", 0o700),
		os.Chown(prefix+"/collect", accountUID, accountUID))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (i installation) write(path, text string) {
	i.t.Helper()
	path = filepath.Join(i.prefix, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), jobtest.WriteProgram(path, []byte(text))); err != nil {
		i.t.Fatal(err)
	}
}

// ask is `jobgait doctor args...` by an account.
func (i installation) ask(uid uint32, args ...string) result {
	i.t.Helper()
	cmd := exec.Command(i.prefix+"/libexec/jobgait/jobgait", append([]string{"doctor"}, args...)...)
	cmd.Dir, cmd.Env = "/", []string{accountRole + "=jobgait", "HOME=" + i.prefix + "/absent"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	return end(i.t, cmd)
}

// json is what it says, by subject.
func (i installation) json(uid uint32) (found map[string]check.Finding, status int) {
	i.t.Helper()
	r := i.ask(uid, "--json")
	follows(i.t, schemas(i.t)["doctor"], "doctor", []byte(r.out))
	var d diagnosis
	if err := json.Unmarshal([]byte(r.out), &d); err != nil {
		i.t.Fatalf("%v: %q %q", err, r.out, r.complaint)
	}
	found = map[string]check.Finding{}
	for _, f := range d.Findings {
		found[f.Subject] = f
	}
	return found, r.status.ExitStatus()
}

// The collection directory is checked with the rights of its account: root may have rights that the account
// does not have, and lacks rights on a file system that squashes root.
func TestDoctorAsksAsTheAccount(t *testing.T) {
	i := newInstallation(t)
	found, status := i.json(0)
	if c := found["collect"]; status != 0 || !c.Seen || !strings.Contains(c.Text, "/collect can be written by ") {
		t.Fatalf("exit status %d, %+v", status, found)
	}
	if v := found["versions"]; v.Verdict != check.Warning || !strings.Contains(v.Text, "jobgait-agent 0.0.1") {
		t.Errorf("%+v", v)
	}
	if entries, err := os.ReadDir(i.prefix + "/collect"); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if err := os.Chown(i.prefix+"/collect", 0, 0); err != nil {
		t.Fatal(err)
	}
	found, status = i.json(0)
	if c := found["collect"]; status != 1 || c.Verdict != check.Failure ||
		!strings.Contains(c.Text, "permission denied") || c.Do == nil || !strings.Contains(*c.Do, "install -d -o ") {
		t.Errorf("exit status %d, %+v", status, c)
	}
	r := i.ask(0)
	if r.status.ExitStatus() != 1 || r.complaint != "" || !strings.Contains(r.out, "\nfailure   collect     ") ||
		!strings.Contains(r.out, " 1 failure\n") {
		t.Errorf("%d %q:\n%s", r.status.ExitStatus(), r.complaint, r.out)
	}
}

// A user who is not root gets a list of what could not be checked, and nothing of that is called ok.
func TestDoctorOfAnybody(t *testing.T) {
	i := newInstallation(t)
	if err := errors.Join(os.MkdirAll(i.prefix+"/spool/"+host(t), 0o700), os.Chmod(i.prefix+"/spool", 0o700)); err != nil {
		t.Fatal(err)
	}
	found, status := i.json(accountUID - 1)
	if status != 0 {
		t.Errorf("exit status %d, %+v", status, found)
	}
	for _, subject := range []string{"spool", "runs", "agents", "collect", "history"} {
		if f := found[subject]; f.Seen || f.Verdict != check.Warning || !strings.HasPrefix(f.Text, "not checked: ") {
			t.Errorf("%s: %+v", subject, f)
		}
	}
	for _, subject := range []string{"settings", "programs", "kernel", "slurm", "prolog", "epilog", "flags"} {
		if f := found[subject]; !f.Seen || f.Verdict != check.OK {
			t.Errorf("%s: %+v", subject, f)
		}
	}
}

// Before anything is installed, on a machine without Slurm, doctor reports no failure.
func TestDoctorOfOneMachine(t *testing.T) {
	i := newInstallation(t)
	if err := os.RemoveAll(i.prefix + "/etc"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/etc/jobgait/jobgait.toml", "/usr/bin/scontrol"} {
		if _, err := os.Lstat(path); err == nil {
			t.Skipf("this machine has %s", path)
		}
	}
	found, status := i.json(0)
	if _, asked := found["slurm"]; status != 0 || asked || found["settings"].Verdict != check.OK {
		t.Errorf("exit status %d, %+v", status, found)
	}
}
