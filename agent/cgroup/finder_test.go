package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/run"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree is a fake root: /proc with mounts that lie in it.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T, mounts ...string) tree {
	t.Helper()
	tr := tree{t, t.TempDir()}
	var text strings.Builder
	text.WriteString("22 1 0:21 / /proc rw - proc proc rw\n")
	for i, m := range mounts { // "root dir type options"
		f := strings.Fields(m)
		dir := tr.mkdir("cg" + f[1])
		fmt.Fprintf(&text, "%d 22 0:%d %s %s rw,nosuid shared:9 - %s %s rw,%s\n", 30+i, 30+i, f[0],
			strings.ReplaceAll(dir, " ", `\040`), f[2], f[2], f[3])
	}
	tr.write("proc/self/mountinfo", text.String())
	return tr
}

func (tr tree) path(p string) string { return filepath.Join(tr.root, p) }

func (tr tree) mkdir(p string) string {
	tr.t.Helper()
	must(tr.t, os.MkdirAll(tr.path(p), 0o755))
	return tr.path(p)
}

func (tr tree) write(p, text string) {
	tr.t.Helper()
	must(tr.t, os.MkdirAll(filepath.Dir(tr.path(p)), 0o755))
	must(tr.t, os.WriteFile(tr.path(p), []byte(text), 0o644))
}

// finder returns a Finder whose clock does not advance: it detects changes only through inotify.
func (tr tree) finder(j Identity) *Finder {
	f := NewFinder(tr.path("proc"), j, func() int64 { return 1 })
	tr.t.Cleanup(func() { must(tr.t, f.Close()) })
	return f
}

func TestKnownLayouts(t *testing.T) {
	job := Identity{ID: 77, SLUID: "s5K1KKYAYG5D00", Node: "n1", UID: 1000}
	for name, c := range map[string]struct {
		mount, dir string
		want       bool
	}{
		"v2":                    {"/ / cgroup2 nsdelegate", "system.slice/slurmstepd.scope/job_77", true},
		"v2, several slurmd":    {"/ / cgroup2 nsdelegate", "system.slice/n1_slurmstepd.scope/job_77", true},
		"v2, by SLUID":          {"/ / cgroup2 nsdelegate", "system.slice/slurmstepd.scope/s5K1KKYAYG5D00", true},
		"v1":                    {"/ / cgroup perf_event", "slurm/uid_1000/job_77", true},
		"v1, several slurmd":    {"/ / cgroup perf_event", "slurm_n1/uid_1000/job_77", true},
		"another node":          {"/ / cgroup2 nsdelegate", "system.slice/n2_slurmstepd.scope/job_77", false},
		"another job":           {"/ / cgroup2 nsdelegate", "system.slice/slurmstepd.scope/job_78", false},
		"another user":          {"/ / cgroup perf_event", "slurm/uid_1001/job_77", false},
		"v1 without perf_event": {"/ / cgroup memory", "slurm/uid_1000/job_77", false},
	} {
		tr := newTree(t, c.mount)
		dir := tr.mkdir("cg/" + c.dir)
		got, ok := tr.finder(job).Perf()
		if ok != c.want || ok && got.Dir != dir {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

// The cgroup appears late, level by level; it is removed and made again.
func TestLateGoneAndAgain(t *testing.T) {
	tr := newTree(t, "/ /v2 cgroup2 rw", "/ /mem cgroup memory")
	f := tr.finder(Identity{ID: 5, UID: 7})
	if _, ok := f.Perf(); ok {
		t.Fatal("found in an empty tree")
	}
	for _, dir := range []string{"cg/v2/system.slice", "cg/v2/system.slice/slurmstepd.scope",
		"cg/v2/system.slice/slurmstepd.scope/job_4"} {
		tr.mkdir(dir)
		if _, ok := f.Perf(); ok {
			t.Fatalf("found in %s", dir)
		}
	}
	dir := tr.mkdir("cg/v2/system.slice/slurmstepd.scope/job_5")
	first, ok := f.Perf()
	if !ok || first.Dir != dir {
		t.Fatalf("%+v, %v", first, ok)
	}
	if d, ok := f.Unified(); !ok || d != dir {
		t.Errorf("v2: %s, %v", d, ok)
	}
	if d, ok := f.V1("memory"); ok {
		t.Errorf("v1: %s", d)
	}
	mem := tr.mkdir("cg/mem/slurm/uid_7/job_5")
	if d, ok := f.V1("memory"); !ok || d != mem {
		t.Errorf("v1: %s, %v", d, ok)
	}
	tr.mkdir("other") // so that the inode is not used again
	must(t, os.Remove(dir))
	if _, ok := f.Perf(); ok {
		t.Error("found after its end")
	}
	// Slurm's own directory is removed and made again, too.
	must(t, os.RemoveAll(tr.path("cg/v2/system.slice/slurmstepd.scope")))
	f.Perf()
	tr.mkdir("cg/v2/x")
	tr.mkdir("cg/v2/system.slice/slurmstepd.scope")
	f.Perf()
	tr.mkdir("cg/v2/system.slice/slurmstepd.scope/job_5")
	if again, ok := f.Perf(); !ok || again.Dir != dir {
		t.Errorf("%+v, %v", again, ok)
	}
}

// The cgroup of a member process takes precedence over the known layouts, even in an unusual place.
func TestMembersTell(t *testing.T) {
	tr := newTree(t, "/docker/ab / cgroup2 rw")
	f := tr.finder(Identity{ID: 5, Node: "n1"})
	dir := tr.mkdir("cg/deep/slurmstepd.scope/job_5")
	tr.mkdir("cg/deep/slurmstepd.scope/job_6")
	tr.mkdir("cg/deep/n2_slurmstepd.scope/job_5")
	for pid, path := range map[int]string{
		10: "/docker/ab/deep/slurmstepd.scope/job_6/step_0", // another job's
		11: "/elsewhere/slurmstepd.scope/job_5/step_0",      // not below the mount
		12: "/docker/abc/slurmstepd.scope/job_5",
		13: "/docker/ab/../slurmstepd.scope/job_5",
		14: "/docker/ab/deep/n2_slurmstepd.scope/job_5/step_0", // another node's
	} {
		tr.write(fmt.Sprintf("proc/%d/cgroup", pid), "0::"+path+"\n")
		f.AddMember(pid)
		if d, ok := f.Perf(); ok {
			t.Errorf("process in %s: %+v", path, d)
		}
	}
	f = tr.finder(Identity{ID: 5})
	tr.write("proc/20/cgroup", "3:memory:/slurm/uid_1/job_5\n0::/docker/ab/deep/slurmstepd.scope/job_5/step_0/user\n")
	f.AddMember(20)
	if d, ok := f.Perf(); !ok || d.Dir != dir || f.WhyAbsent() != "" {
		t.Errorf("%+v, %v, %q", d, ok, f.WhyAbsent())
	}
}

// On a site with cgroup v1, Slurm makes no cgroups of jobs in the hierarchy of perf events.
func TestAbsent(t *testing.T) {
	tr := newTree(t, "/ /mem cgroup memory", "/ /v2 cgroup2 rw")
	tr.mkdir("cg/mem/slurm/uid_1/job_5")
	f := tr.finder(Identity{ID: 5, UID: 1})
	for pid := range minOutsiders {
		if why := f.WhyAbsent(); why != "" {
			t.Fatalf("after %d processes: %s", pid, why)
		}
		tr.write(fmt.Sprintf("proc/%d/cgroup", 10+pid), "4:memory:/slurm/uid_1/job_5/step_0\n0::/\n")
		f.AddMember(10 + pid)
		f.AddMember(10 + pid)
	}
	if f.WhyAbsent() == "" {
		t.Error("nothing is said")
	}
	if d, ok := f.V1("memory"); !ok || !strings.HasSuffix(d, "job_5") {
		t.Errorf("%s, %v", d, ok)
	}
	if why := newTree(t).finder(Identity{ID: 5}).WhyAbsent(); !strings.Contains(why, "mounted") {
		t.Errorf("without mounts: %q", why)
	}
	if root := f.PerfRoot(); root != tr.path("cg/v2") {
		t.Errorf("root %s", root)
	}
}

// Without inotify the finder searches again after some seconds.
func TestWithoutInotify(t *testing.T) {
	tr := newTree(t, "/ / cgroup2 rw")
	now := int64(1)
	f := NewFinder(tr.path("proc"), Identity{ID: 5}, func() int64 { return now })
	must(t, f.watch.close())
	if _, ok := f.Perf(); ok {
		t.Fatal("found in an empty tree")
	}
	tr.mkdir("cg/system.slice/slurmstepd.scope/job_5")
	now += 11e9
	if _, ok := f.Perf(); !ok {
		t.Error("not found after 10 s")
	}
}

// inotify reports the kernel's own cgroups.
func TestRealCgroupAppears(t *testing.T) {
	root := NewFinder("/proc", Identity{}, func() int64 { return 1 }).PerfRoot()
	if os.Geteuid() != 0 || root == "" {
		t.Skip("a cgroup can be made by root only, and where one is mounted")
	}
	scope := filepath.Join(root, fmt.Sprintf("jobgait%d_slurmstepd.scope", os.Getpid()))
	id := int64(os.Getpid())
	job := filepath.Join(scope, fmt.Sprintf("job_%d", id))
	if err := os.Mkdir(scope, 0o755); err != nil {
		t.Skipf("cgroups cannot be made here: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(job); must(t, os.Remove(scope)) })
	f := NewFinder("/proc", Identity{ID: run.JobID(id), Node: fmt.Sprintf("jobgait%d", id)}, func() int64 { return 1 })
	defer f.Close()
	f.memberDirs[f.perfMount()] = job
	if _, ok := f.Perf(); ok {
		t.Fatal("found before it is there")
	}
	must(t, os.Mkdir(job, 0o755))
	first := until(t, f, true)
	must(t, os.Remove(job))
	until(t, f, false)
	must(t, os.Mkdir(job, 0o755))
	if again := until(t, f, true); again.Inode == first.Inode || again.Dir != first.Dir {
		t.Errorf("first %+v, then %+v", first, again)
	}
}

// until queries until the expected answer comes: inotify reports at once, but a cgroup may take time to end.
func until(t *testing.T, f *Finder, want bool) FoundDir {
	t.Helper()
	var d FoundDir
	jobtest.Until(t, fmt.Sprintf("a cgroup is there: %v", want), func() (ok bool) {
		d, ok = f.Perf()
		return ok == want
	})
	return d
}

func TestParseMounts(t *testing.T) {
	text := `36 25 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
40 32 0:35 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
41 32 0:36 /docker/x /a\040b\134c rw master:3 propagate_from:2 - cgroup none rw,perf_event
rubbish
42 32 0:36 / /x rw - tmpfs tmpfs rw
43 32 0:36 relative /x rw - cgroup2 none rw
`
	got := ParseMounts([]byte(text))
	if len(got) != 3 || !got[0].Unified || got[0].Dir != "/sys/fs/cgroup" || !got[1].Has("cpuacct") ||
		got[1].Has("memory") {
		t.Fatalf("%+v", got)
	}
	if m := got[2]; m.Dir != `/a b\c` || m.Root != "/docker/x" || !m.Has("perf_event") || m.Unified {
		t.Errorf("%+v", m)
	}
	for path, want := range map[string]string{"/docker/x/y": `/a b\c/y`, "/docker/x": `/a b\c`, "/docker/xy": "", "/y": "",
		"/docker/x/../z": ""} {
		if d, ok := got[2].Path(path); d != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", path, d, ok)
		}
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add([]byte("36 25 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"), "/a/b")
	f.Add([]byte("41 32 0:36 /d /a\\040b rw - cgroup none rw,perf_event\n"), "/d/../../etc")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		for _, m := range ParseMounts(text) {
			d, ok := m.Path(path)
			if ok && !strings.HasPrefix(d+"/", strings.TrimSuffix(filepath.Clean(m.Dir), "/")+"/") {
				t.Fatalf("%q of %+v is %q", path, m, d)
			}
		}
	})
}

// The search in a job of many processes is bounded, and a file is not a cgroup.
func TestManyMembersAndAFile(t *testing.T) {
	tr := newTree(t, "/ /v2 cgroup2 rw")
	f := tr.finder(Identity{ID: 5})
	for pid := range 1000 {
		f.AddMember(100 + pid)
	}
	if len(f.readPIDs) > 256 {
		t.Errorf("%d were asked", len(f.readPIDs))
	}
	tr.mkdir("cg/v2/system.slice/slurmstepd.scope")
	tr.write("cg/v2/system.slice/slurmstepd.scope/job_5", "")
	if d, ok := f.Perf(); ok {
		t.Errorf("found %+v", d)
	}
}

// Another directory may have replaced the one that was found between the search and the call.
func TestReplacedCgroupIsNotOpened(t *testing.T) {
	var st unix.Stat_t
	found := FoundDir{Dir: t.TempDir()}
	must(t, unix.Stat(found.Dir, &st))
	found.Inode = st.Ino
	fd, err := found.Open()
	must(t, err)
	must(t, unix.Close(fd))
	found.Inode++
	if fd, err := found.Open(); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Errorf("opened as %d: %v", fd, err)
	}
}
