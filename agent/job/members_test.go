package job_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/job/local"
	"jobgait/agent/job/slurm"
	"jobgait/agent/peek"
	"jobgait/analysis/run"
)

// proc is a /proc tree for tests.
type proc struct {
	t    *testing.T
	root string
}

type fake struct {
	pid, ppid, uid int
	start          int
	cgroup         string
	cmdline        string
	environ        []string
	executable     string // "" for one that cannot be read
}

func newProc(t *testing.T, ps ...fake) proc {
	p := proc{t, t.TempDir()}
	for _, f := range ps {
		p.add(f)
	}
	return p
}

func (p proc) add(f fake) {
	p.t.Helper()
	if f.start == 0 {
		f.start = 1000 + f.pid
	}
	if f.cgroup == "" {
		f.cgroup = "0::/"
	}
	dir := filepath.Join(p.root, strconv.Itoa(f.pid))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	name := "a (b) c"
	if strings.HasPrefix(f.cmdline, "slurmstepd") {
		name = "slurmstepd"
	}
	stat := fmt.Sprintf("%d (%s) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", f.pid, name, f.ppid, f.start)
	status := fmt.Sprintf("Name:\tx\nUid:\t%d\t0\t0\t0\n", f.uid)
	env := strings.Join(append([]string{"HOME=/h", "SECRET=s"}, f.environ...), "\x00") + "\x00"
	for name, text := range map[string]string{"stat": stat, "status": status, "cgroup": f.cgroup + "\n",
		"cmdline": f.cmdline, "environ": env} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	if f.executable != "" {
		if err := os.Symlink(f.executable, filepath.Join(dir, "exe")); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p proc) remove(pid int) { os.RemoveAll(filepath.Join(p.root, strconv.Itoa(pid))) }

func run17() job.Run {
	return job.Run{
		Key:  run.Key{Cluster: "c", JobID: 17},
		Job:  run.Job{UID: 1000},
		Node: "n1",
	}
}

func TestMembersOfJob(t *testing.T) {
	mine := []string{"SLURM_JOB_ID=17", "SLURMD_NODENAME=n1"}
	for _, c := range []struct {
		name string
		p    fake
		want bool
	}{
		{"cgroup v2", fake{cgroup: "0::/system.slice/slurmstepd.scope/job_17/step_0/user/task_0"}, true},
		{"cgroup v1", fake{cgroup: "3:cpuset:/\n2:memory:/slurm/uid_1000/job_17/step_0\n0::/"}, true},
		{"cgroup of this slurmd", fake{cgroup: "0::/system.slice/n1_slurmstepd.scope/job_17/step_0"}, true},
		{"cgroup of another slurmd", fake{uid: 1000, cgroup: "0::/system.slice/n2_slurmstepd.scope/job_17/step_0"}, false},
		{"cgroup of another job", fake{uid: 1000, cgroup: "0::/system.slice/slurmstepd.scope/job_18/step_0", environ: mine},
			false},
		{"cgroup of an SLUID not known to us",
			fake{uid: 1000, cgroup: "0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0", environ: mine}, true},
		{"child of slurmstepd", fake{ppid: 50, uid: 1000}, true},
		{"grandchild as root", fake{ppid: 51, uid: 0}, true},
		{"slurmstepd itself", fake{ppid: 1, cmdline: "slurmstepd: [17.0]"}, false},
		{"child of another job's slurmstepd", fake{ppid: 60, uid: 1000, environ: mine}, false},
		{"child of another node's slurmstepd", fake{ppid: 50, uid: 1000, environ: []string{"SLURMD_NODENAME=n2"}}, false},
		{"a forged title", fake{ppid: 70, uid: 1001}, false},
		{"a forged title of root's sudo", fake{ppid: 80, uid: 1001}, false},
		{"a replaced slurmstepd", fake{ppid: 90, uid: 1000}, true},
		{"environment", fake{ppid: 1, uid: 1000, environ: mine}, true},
		{"environment of another user", fake{ppid: 1, uid: 1001, environ: mine}, false},
		{"environment of another node", fake{ppid: 1, uid: 1000, environ: []string{"SLURM_JOB_ID=17", "SLURMD_NODENAME=n2"}},
			false},
		{"environment of another cluster",
			fake{ppid: 1, uid: 1000, environ: []string{"SLURM_JOB_ID=17", "SLURM_CLUSTER_NAME=d"}}, false},
		{"environment of job 170", fake{ppid: 1, uid: 1000, environ: []string{"SLURM_JOB_ID=170"}}, false},
		{"same user, no job", fake{ppid: 1, uid: 1000}, false},
		{"kernel thread", fake{ppid: 2}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProc(t,
				fake{pid: 1}, fake{pid: 2},
				fake{pid: 50, ppid: 1, cmdline: "slurmstepd: [17.batch]"}, fake{pid: 51, ppid: 50, uid: 1000},
				fake{pid: 60, ppid: 1, cmdline: "slurmstepd: [18.0]"},
				fake{pid: 70, ppid: 1, uid: 1001, cmdline: "slurmstepd: [17.0]"},
				fake{pid: 80, ppid: 1, cmdline: "slurmstepd: [17.batch]", executable: "/usr/bin/sudo"},
				fake{pid: 90, ppid: 1, cmdline: "slurmstepd: [17.1]", executable: "/usr/sbin/slurmstepd-wlm (deleted)"})
			c.p.pid = 100
			p.add(c.p)
			if got := job.NewMembers(p.root, peek.Direct{Proc: p.root}, run17(), slurm.Scheduler{}).Has(100); got != c.want {
				t.Errorf("Has = %v, want %v", got, c.want)
			}
		})
	}
}

func TestMembersSLUID(t *testing.T) {
	r := run17()
	r.Key.SLUID = "s5K1KKYAYG5D00"
	p := newProc(t,
		fake{pid: 10, cgroup: "0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0"},
		fake{pid: 11, cgroup: "0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D01/step_0", uid: 1000,
			environ: []string{"SLURM_JOB_ID=17"}})
	if got := job.NewMembers(p.root, peek.Direct{Proc: p.root}, r, slurm.Scheduler{}).List(); !reflect.DeepEqual(got,
		[]int{10}) {
		t.Errorf("List = %v", got)
	}
}

func TestMembersOfCommand(t *testing.T) {
	r := run17()
	r.RootPID = 9
	p := newProc(t,
		fake{pid: 1}, fake{pid: 9, ppid: 5, uid: 1000}, fake{pid: 10, ppid: 9, uid: 1000}, fake{pid: 11, ppid: 10, uid: 1000},
		fake{pid: 12, ppid: 5, uid: 1000, environ: []string{"SLURM_JOB_ID=17"}})
	m := job.NewMembers(p.root, peek.Direct{Proc: p.root}, r, local.Standalone{})
	if got := m.List(); !reflect.DeepEqual(got, []int{9, 10, 11}) {
		t.Fatalf("List = %v", got)
	}
	// The middle process ends and its child goes to init: it still belongs to the job, and so do its children.
	p.remove(10)
	p.add(fake{pid: 11, ppid: 1, uid: 1000})
	p.add(fake{pid: 13, ppid: 11, uid: 1000})
	if got := m.List(); !reflect.DeepEqual(got, []int{9, 11, 13}) {
		t.Errorf("List = %v", got)
	}
	// A pid that is used again is another process.
	p.add(fake{pid: 11, ppid: 1, uid: 1000, start: 5})
	if m.Has(11) {
		t.Error("a reused pid belongs to the run")
	}
	if m.Has(10) || m.Has(99) {
		t.Error("processes that are gone belong to the run")
	}
}

func describe(m *job.Members) job.Details { return m.Describe(m.List()) }

func TestDescribe(t *testing.T) {
	base := []string{"SLURM_JOB_ID=17", "SLURM_CLUSTER_NAME=c"}
	p := newProc(t,
		fake{pid: 10, ppid: 1, uid: 1000,
			environ: append(base, "SLURM_STEP_ID=0", "SLURM_JOB_NAME=step", "SLURM_NTASKS=2", "SLURM_CPUS_PER_TASK=4")},
		fake{pid: 11, ppid: 1, uid: 1000, environ: append(base, "SLURM_JOB_NAME=night\x1b[31m\nrun", "SLURM_NTASKS=8",
			"SLURM_ARRAY_JOB_ID=15", "SLURM_ARRAY_TASK_ID=0", "SLURM_JOB_ACCOUNT=phys", "SLURM_JOB_QOS=normal",
			"SLURM_SUBMIT_DIR=/home/alice")},
		fake{pid: 12, ppid: 1, uid: 1001, environ: append(base, "SLURM_JOB_NAME=other", "SLURM_JOB_PARTITION=p")})
	d := describe(job.NewMembers(p.root, peek.Direct{Proc: p.root}, run17(), slurm.Scheduler{}))
	if d.Name != "night?[31m?run" || *d.NTasks != 8 || *d.CPUsPerTask != 4 || d.Account != "" || d.QOS != "normal" ||
		d.WorkDir != "/home/alice" || d.Partition != "" {
		t.Errorf("Describe = %+v", d)
	}
	if *d.ArrayJobID != 15 || *d.ArrayTaskID != 0 {
		t.Errorf("array %d_%d, want 15_0", *d.ArrayJobID, *d.ArrayTaskID)
	}
}

// On a node without the batch script a step's own name and number of tasks are not the job's. On the first node
// they are taken for the job's, because nothing contradicts them.
func TestDescribeOfAStep(t *testing.T) {
	for node, want := range map[string]string{"n1": "inner", "n2": ""} {
		r := run17()
		r.Node, r.Job.NodeList = node, "n[1-2]"
		p := newProc(t, fake{pid: 10, ppid: 1, uid: 1000, environ: []string{"SLURM_JOB_ID=17", "SLURMD_NODENAME=" + node,
			"SLURM_STEP_ID=0", "SLURM_JOB_NAME=inner", "SLURM_NTASKS=2", "SLURM_JOB_ACCOUNT=phys"}})
		d := describe(job.NewMembers(p.root, peek.Direct{Proc: p.root}, r, slurm.Scheduler{}))
		if d.Name != want || (d.NTasks != nil) != (want != "") || d.Account != "" {
			t.Errorf("%s: %+v", node, d)
		}
	}
}

// BenchmarkMembers inspects every process of this machine, none of which belongs to the job.
func BenchmarkMembers(b *testing.B) {
	r := run17()
	r.Job.UID = os.Getuid() // the dearest case: every environment is read
	for b.Loop() {
		job.NewMembers("/proc", peek.Direct{Proc: "/proc"}, r, slurm.Scheduler{}).List()
	}
	pids, _ := filepath.Glob("/proc/[0-9]*")
	b.ReportMetric(float64(len(pids)), "processes")
}

// A process that belongs neither to the job's user nor to root's slurmstepd is never read where reads wait for
// its memory lock, which its owner can hold forever.
func TestForeignProcessesAreNotReadWhereReadsMayHang(t *testing.T) {
	mine := []string{"SLURM_JOB_ID=17", "SLURMD_NODENAME=n1"}
	p := newProc(t, fake{pid: 1}, fake{pid: 2},
		fake{pid: 50, ppid: 1, cmdline: "slurmstepd: [17.batch]"},
		fake{pid: 60, ppid: 1, uid: 1001, cmdline: "slurmstepd: [17.0]"}, // a forged process of another user
		fake{pid: 61, ppid: 60, uid: 1001, cmdline: "trap", environ: mine},
		fake{pid: 70, ppid: 61, uid: 1000, environ: mine}, // of the job, below the hanging process
		fake{pid: 71, ppid: 50, uid: 1000})
	var asked []int
	spy := recorder{peek.Direct{Proc: p.root}, &asked}
	for _, pid := range []int{60, 61, 50, 1} {
		if job.NewMembers(p.root, spy, run17(), slurm.Scheduler{}).Has(pid) {
			t.Errorf("process %d belongs to the run", pid)
		}
	}
	for _, pid := range []int{70, 71} {
		if !job.NewMembers(p.root, spy, run17(), slurm.Scheduler{}).Has(pid) {
			t.Errorf("process %d does not belong to the run", pid)
		}
	}
	for _, pid := range asked {
		if pid != 50 && pid != 70 && pid != 71 {
			t.Errorf("process %d was queried", pid)
		}
	}
	// Without a membership query only cgroups show it.
	p.add(fake{pid: 80, ppid: 1, cgroup: "0::/system.slice/slurmstepd.scope/job_17/step_0"})
	if got := job.NewMembers(p.root, nil, run17(), slurm.Scheduler{}).List(); !reflect.DeepEqual(got, []int{80}) {
		t.Errorf("unasked: %v", got)
	}
}

// A process that is older than ten seconds and does not belong to the run is checked at the first listing only; one
// that has just begun, or whose environment could not be read, is checked again and found when it joins.
func TestSettledProcessesAreCheckedOnce(t *testing.T) {
	const justBegun = 1 << 36 // ticks: later than now
	p := newProc(t, fake{pid: 1}, fake{pid: 90, ppid: 1, uid: 1000}, fake{pid: 91, ppid: 1, uid: 1000, start: justBegun},
		fake{pid: 92, ppid: 1, uid: 1000})
	if err := os.Remove(filepath.Join(p.root, "92", "environ")); err != nil {
		t.Fatal(err)
	}
	var asked []int
	m := job.NewMembers(p.root, recorder{peek.Direct{Proc: p.root}, &asked}, run17(), slurm.Scheduler{})
	for _, want := range [][]int{{90, 91, 92}, {91, 92}} {
		asked = nil
		if got := m.List(); len(got) > 0 || !reflect.DeepEqual(asked, want) {
			t.Errorf("members %v, queried %v, want %v", got, asked, want)
		}
	}
	mine := []string{"SLURM_JOB_ID=17", "SLURMD_NODENAME=n1"}
	p.add(fake{pid: 91, ppid: 1, uid: 1000, start: justBegun, environ: mine})
	p.add(fake{pid: 92, ppid: 1, uid: 1000, environ: mine})
	if got := m.List(); !reflect.DeepEqual(got, []int{91, 92}) {
		t.Errorf("members %v after two processes joined", got)
	}
}

// recorder records which processes are queried.
type recorder struct {
	peek.Reader
	asked *[]int
}

func (r recorder) Ask(q peek.ProcRequest) ([]byte, error) {
	*r.asked = append(*r.asked, q.PID)
	return r.Reader.Ask(q)
}
