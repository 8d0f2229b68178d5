package slurm

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

func getenv(pairs ...string) func(string) string {
	env := map[string]string{}
	for _, p := range pairs {
		name, value, _ := strings.Cut(p, "=")
		env[name] = value
	}
	return func(name string) string { return env[name] }
}

var host = job.Host{Name: "vm", CPUs: 4, Real: 1e9, Mono: 5, BootID: "boot"}

// What Slurm 22.05 gives a Prolog of a batch job on two nodes.
var slurm2205 = []string{
	"SLURM_JOB_ID=17", "SLURM_CLUSTER_NAME=c", "SLURM_JOB_UID=1000", "SLURM_JOB_GID=100", "SLURM_JOB_USER=alice",
	"SLURM_JOB_PARTITION=p", "SLURM_NODELIST=n[1-2]", "SLURM_JOB_NUM_NODES=2", "SLURM_JOB_CPUS_PER_NODE=4,2",
	"SLURM_JOB_NTASKS=3",
	"SLURM_JOB_WORK_DIR=/home/alice/run", "SLURM_JOB_STDOUT=/home/alice/%j/o-%x.%N.out", "SLURM_JOB_RESTART_COUNT=1",
	"SLURMD_NODENAME=n1",
}

// fromHook returns the run that hooks derive from their environment.
func fromHook(getenv func(string) string, h job.Host, alone map[string]bool) (job.Run, error) {
	told, err := Scheduler{}.ReadContext(getenv, h)
	return told.Run.WithExclusive(alone), err
}

func TestFromHook(t *testing.T) {
	r, err := fromHook(getenv(slurm2205...), host, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (run.Key{Cluster: "c", JobID: 17, Restart: 1}); r.Key != want {
		t.Errorf("key %+v, want %+v", r.Key, want)
	}
	j := r.Job
	if j.User != "alice" || j.UID != 1000 || j.GID != 100 || j.Partition != "p" || j.NNodes != 2 || *j.NCPUs != 6 ||
		*j.NTasks != 3 || j.WorkDir != "/home/alice/run" {
		t.Errorf("job %+v", j)
	}
	if j.StdOut != "/home/alice/17/o-%x.%N.out" {
		t.Errorf("stdout %q", j.StdOut)
	}
	if r.Node != "n1" || !r.Exclusive || r.StartReal != 1e9 || r.StartMono != 5 || r.BootID != "boot" || r.RootPID != 0 ||
		r.AddressHz != 0 {
		t.Errorf("run %+v", r)
	}
	name := job.Details{Name: "night"}
	if got := name.Complete(r, Scheduler{}).StdOut; got != "/home/alice/17/o-night.%N.out" {
		t.Errorf("stdout with a name %q", got)
	}
}

func TestFromHookLittle(t *testing.T) {
	r, err := fromHook(getenv("SLURM_JOB_ID=3"), host, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Node != "vm" || r.Job.NNodes != 1 || r.Job.UID != -1 || r.Exclusive || r.Job.NCPUs != nil || r.Job.StdOut != "" {
		t.Errorf("run %+v", r)
	}
	for _, id := range []string{"", "0", "-3", "x", "17_2", "99999999999999999999"} {
		_, err := fromHook(getenv("SLURM_JOB_ID="+id), host, nil)
		if err == nil || !strings.Contains(err.Error(), "SLURM_JOB_ID") {
			t.Errorf("job id %q: %v", id, err)
		}
	}
}

func TestExclusive(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		cpus int
		by   map[string]bool
		want bool
	}{
		{"all CPUs of all nodes", []string{"SLURM_JOB_CPUS_PER_NODE=4(x2)", "SLURM_NODELIST=n[1-2]"}, 4, nil, true},
		{"this node's", []string{"SLURM_JOB_CPUS_PER_NODE=2,4", "SLURM_NODELIST=n[1-2]"}, 4, nil, false},
		{"the other node's", []string{"SLURM_JOB_CPUS_PER_NODE=4,2", "SLURM_NODELIST=n[1-2]"}, 4, nil, true},
		{"list of the first step only", []string{"SLURM_JOB_CPUS_PER_NODE=4,2", "SLURM_NODELIST=n1"}, 4, nil, false},
		{"unknown number of CPUs", []string{"SLURM_JOB_CPUS_PER_NODE=4", "SLURM_NODELIST=n1"}, 0, nil, false},
		{"nothing told", nil, 4, nil, false},
		{"partition says yes", []string{"SLURM_JOB_PARTITION=p"}, 4, map[string]bool{"p": true}, true},
		{"partition says no", []string{"SLURM_JOB_PARTITION=p", "SLURM_JOB_CPUS_PER_NODE=4"}, 4, map[string]bool{"p": false},
			false},
		{"another partition says yes", []string{"SLURM_JOB_PARTITION=q"}, 4, map[string]bool{"p": true}, false},
	} {
		h := host
		h.CPUs = c.cpus
		r, err := fromHook(getenv(append(c.env, "SLURM_JOB_ID=1", "SLURMD_NODENAME=n1")...), h, c.by)
		if err != nil || r.Exclusive != c.want {
			t.Errorf("%s: exclusive %v, %v; want %v", c.name, r.Exclusive, err, c.want)
		}
	}
}

func TestUserOptions(t *testing.T) {
	base := []string{"SLURM_JOB_ID=1"}
	for value, want := range map[string]int{"100": 100, "": 0, "off": 0, "-5": 0, "1e9": 0, "99999999": 0,
		"20000": 20000} {
		if r, _ := fromHook(getenv(append(base, "SPANK_JOBGAIT="+value)...), host, nil); r.AddressHz != want {
			t.Errorf("--jobgait=%s: %d Hz, want %d", value, r.AddressHz, want)
		}
		told, _ := Scheduler{}.ReadContext(getenv(append(base, "SPANK_JOBGAIT="+value)...), host)
		if told.OptOut != (value == "off") {
			t.Errorf("--jobgait=%s: opt-out %v", value, told.OptOut)
		}
	}
	for value, want := range map[string]run.DisclosureLevel{"off": run.NoNames, "libraries": run.Libraries, "": "",
		"some": ""} {
		if r, _ := fromHook(getenv(append(base, "SPANK_JOBGAIT_NAMES="+value)...), host, nil); r.Names != want {
			t.Errorf("names=%s: %q", value, r.Names)
		}
	}
	mine := []string{"JOBGAIT_ROOT_PID=99", "JOBGAIT_REPORT_DIR=/r", "JOBGAIT_APP=a", "JOBGAIT_SUB=2",
		"JOBGAIT_JOB_NAME=n", "JOBGAIT_ONE_MACHINE=1", "JOBGAIT_RUN={}", "SPANK_JOBGAIT_APP=spank"}
	r, _ := fromHook(getenv(append(base, mine...)...), host, nil)
	if r.RootPID != 0 || r.ReportDir != "" || r.Job.App != "spank" || r.Key.Sub != 0 {
		t.Errorf("JOBGAIT_ variables are believed under Slurm: %+v", r)
	}
}

func TestExpandStdOut(t *testing.T) {
	array, task := int64(15), int64(2)
	j := run.Job{User: "alice", Name: "night", ArrayJobID: &array, ArrayTaskID: &task}
	for _, c := range []struct {
		pattern string
		job     run.Job
		want    string
	}{
		{"/d/slurm-%j.out", run.Job{}, "/d/slurm-17.out"},
		{"/d/%5j.out", run.Job{}, "/d/00017.out"},
		{"/d/%A_%a/%u-%x.out", j, "/d/15_2/alice-night.out"},
		{"/d/%A/o", run.Job{}, ""},
		{"/d/o-%A_%a-%N.out", run.Job{}, "/d/o-%A_%a-%N.out"},
		{"/d/o%", run.Job{}, "/d/o%"},
		{"/d/%x/o", run.Job{Name: "../../etc"}, ""},
		{"/d/%99999999j", run.Job{}, "/d/0000000017"},
		{"", j, ""},
		{"rel/o", j, ""},
		{"/d/a\nb", j, ""},
	} {
		if got := expandStdOut(c.pattern, 17, c.job); got != c.want {
			t.Errorf("%q = %q, want %q", c.pattern, got, c.want)
		}
	}
}

func FuzzFromHook(f *testing.F) {
	f.Add("n[1-2]", "2(x3),4", "/d/%j/%5A%", "/w\x00", "app\x1b[0m", "off")
	f.Fuzz(func(t *testing.T, list, cpus, stdout, dir, app, option string) {
		r, err := fromHook(getenv("SLURM_JOB_ID=1", "SLURM_NODELIST="+list, "SLURM_JOB_CPUS_PER_NODE="+cpus,
			"SLURM_JOB_STDOUT="+stdout,
			"SLURM_JOB_WORK_DIR="+dir, "SPANK_JOBGAIT_APP="+app, "SPANK_JOBGAIT="+option, "SLURMD_NODENAME="+app), host, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{r.Job.App, r.Job.StdOut, r.Job.WorkDir, r.Node, r.Job.NodeList} {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
				t.Fatalf("text %q", s)
			}
		}
		if r.AddressHz < 0 || r.AddressHz > maxAddressHz {
			t.Fatalf("rate %d", r.AddressHz)
		}
	})
}
