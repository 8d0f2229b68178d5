package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	for _, c := range []struct {
		path string
		want PathIdentity
		ok   bool
	}{
		{"/slurm/uid_1000/job_5/step_0/task_0", PathIdentity{JobID: 5, Dir: "/slurm/uid_1000/job_5"}, true},
		{"/slurm_n1/uid_1000/job_5/step_batch", PathIdentity{JobID: 5, Node: "n1", Dir: "/slurm_n1/uid_1000/job_5"}, true},
		{"/slurm_gpu_01/uid_0/job_5", PathIdentity{JobID: 5, Node: "gpu_01", Dir: "/slurm_gpu_01/uid_0/job_5"}, true},
		{"/system.slice/slurmstepd.scope/job_77/step_0/user/task_0",
			PathIdentity{JobID: 77, Dir: "/system.slice/slurmstepd.scope/job_77"}, true},
		{"/system.slice/n2_slurmstepd.scope/job_77/step_batch/slurm",
			PathIdentity{JobID: 77, Node: "n2", Dir: "/system.slice/n2_slurmstepd.scope/job_77"}, true},
		{"/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0",
			PathIdentity{SLUID: "s5K1KKYAYG5D00", Dir: "/system.slice/slurmstepd.scope/s5K1KKYAYG5D00"}, true},
		{"/docker/abc/system.slice/slurmstepd.scope/job_3",
			PathIdentity{JobID: 3, Dir: "/docker/abc/system.slice/slurmstepd.scope/job_3"}, true},
		// The user's own directories, inside a job or outside.
		{"/slurm/uid_1/job_5/step_0/slurm/uid_1/job_6", PathIdentity{JobID: 5, Dir: "/slurm/uid_1/job_5"}, true},
		{"/user.slice/user-1000.slice/slurmstepd.scope/job_9", PathIdentity{}, false},
		{"/job_9", PathIdentity{}, false},
		{"/slurm/uid_1/step_0/job_9", PathIdentity{}, false},
		// Slurm's cgroup, but not that of a job.
		{"/system.slice/slurmstepd.scope/system", PathIdentity{}, false},
		{"/system.slice/slurmd.service", PathIdentity{}, false},
		{"/slurm/uid_1/job_0", PathIdentity{}, false},
		{"/slurm/uid_1/job_-4", PathIdentity{}, false},
		{"/slurm/uid_1/job_99999999999999999999", PathIdentity{}, false},
		{"/", PathIdentity{}, false},
		{"", PathIdentity{}, false},
	} {
		got, ok := Locate(c.path)
		if got != c.want || ok != c.ok {
			t.Errorf("Locate(%q) = %+v, %v; want %+v, %v", c.path, got, ok, c.want, c.ok)
		}
	}
}

func TestParse(t *testing.T) {
	text := "12:cpu,cpuacct:/slurm_n1/uid_1000/job_5/step_0\nrubbish\n1:name=systemd:/a:b\n0::/x (deleted)\n"
	ms := Parse([]byte(text))
	if len(ms) != 3 {
		t.Fatalf("%d memberships of %q, want 3", len(ms), text)
	}
	if ms[0].Unified() || len(ms[0].Controllers) != 2 {
		t.Errorf("v1 line read as %+v", ms[0])
	}
	if ms[1].Path != "/a:b" {
		t.Errorf("path with a colon read as %q", ms[1].Path)
	}
	if !ms[2].Unified() || ms[2].Path != "/x" {
		t.Errorf("v2 line read as %+v", ms[2])
	}
	if p, ok := Job(ms); !ok || p.JobID != 5 || p.Node != "n1" {
		t.Errorf("Job = %+v, %v", p, ok)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0\n"))
	f.Add([]byte("4:memory:/slurm_n1/uid_1000/job_5/step_0\n::\n-1:a:/\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, m := range Parse(text) {
			if !strings.HasPrefix(m.Path, "/") {
				t.Fatalf("path %q is not absolute", m.Path)
			}
			p, ok := Locate(m.Path)
			if !ok {
				continue
			}
			if (p.JobID > 0) == (p.SLUID != "") {
				t.Fatalf("%q: job %d and SLUID %q", m.Path, p.JobID, p.SLUID)
			}
			if m.Path != p.Dir && !strings.HasPrefix(m.Path, p.Dir+"/") {
				t.Fatalf("%q is not below %q", m.Path, p.Dir)
			}
		}
	})
}

func TestOfProcess(t *testing.T) {
	proc := t.TempDir()
	for name, text := range map[string]string{
		"self/mountinfo": "36 25 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" +
			"40 32 0:35 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"41 32 0:36 /box /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
		"7/cgroup": "0::/a\n3:cpu,cpuacct:/b\n4:memory:/box/c\n5:pids:/d\n",
	} {
		path := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	of := DirsOfProcess(proc, 7)
	for controller, want := range map[string]string{"": "/sys/fs/cgroup/unified/a", "cpu": "/sys/fs/cgroup/cpu,cpuacct/b",
		"cpuacct": "/sys/fs/cgroup/cpu,cpuacct/b", "memory": "/sys/fs/cgroup/memory/c", "pids": "", "rdma": ""} {
		if got, ok := of(controller); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", controller, got, ok)
		}
	}
	if dir, ok := DirsOfProcess(proc, 8)(""); ok {
		t.Errorf("a process that is not there is in %q", dir)
	}
}
