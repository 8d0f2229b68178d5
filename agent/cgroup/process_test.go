package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

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
	of := OfProcess(proc, 7)
	for controller, want := range map[string]string{"": "/sys/fs/cgroup/unified/a", "cpu": "/sys/fs/cgroup/cpu,cpuacct/b",
		"cpuacct": "/sys/fs/cgroup/cpu,cpuacct/b", "memory": "/sys/fs/cgroup/memory/c", "pids": "", "rdma": ""} {
		if got, ok := of(controller); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", controller, got, ok)
		}
	}
	if dir, ok := OfProcess(proc, 8)(""); ok {
		t.Errorf("a process that is not there is in %q", dir)
	}
}
