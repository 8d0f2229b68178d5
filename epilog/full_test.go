package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
	"jobgait/epilog/finish"
)

// An Epilog whose spool is full passes the end of the run to its worker, and the report is delivered.
func TestEpilogOfAFullSpool(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a file system")
	}
	dir := t.TempDir()
	spool, work := dir+"/spool", dir+"/work"
	env := environment(t, "[watch]\nroot = true\n[spool]\ndir = \""+spool+"\"\n[collect]\ndir = \""+dir+
		"/collect\"\naccount = \"\"\n"+
		"[history]\npath = \""+dir+"/history.db\"\n[slurm]\nscontrol = \"\"\n[epilog]\ndeadline_s = 60\nwait_s = "+
		"60\n[report]\nmin_elapsed_s = 0\n")
	if err := errors.Join(os.Mkdir(spool, 0o711), os.Mkdir(work, 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", spool, "tmpfs", 0, "size=4m,mode=711"); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(spool, unix.MNT_DETACH) })
	key := run.Key{Cluster: "test", JobID: 7}
	rd := job.Dir(spool, "n1", key)
	real, mono := job.Clock()
	r := job.Run{Key: key, Node: "n1", BootID: job.BootID(), StartReal: real - 20, StartMono: mono - 20,
		Job: run.Job{NNodes: 1, NodeList: "n1", WorkDir: work}}
	var st unix.Statfs_t
	err := errors.Join(job.MakeNodeDir(spool, "n1"), rd.Make(), rd.WriteRun(r),
		profiletest.Write(rd.ProfilePath(),
			profiletest.SyntheticRun{Key: key, Node: "n1", Seconds: 10, PeriodS: 0.4, Seal: true}), unix.Statfs(spool, &st))
	if err == nil {
		err = os.WriteFile(spool+"/filler", make([]byte, int64(st.Bavail)*st.Bsize), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	status, _, complaint := call(t, env)
	text, err := os.ReadFile(filepath.Join(work, "jobgait-7.txt"))
	if status != 0 || complaint != "" || err != nil || !strings.Contains(string(text), "spool_failed") {
		t.Errorf("status %d, said %q, %v\n%s", status, complaint, err, text)
	}
	if !finish.Done(rd) {
		t.Error("every sweep would deliver it again")
	}
}
