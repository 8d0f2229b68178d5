package local

import (
	"reflect"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

func getenv(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if n, value, _ := strings.Cut(p, "="); n == name {
				return value
			}
		}
		return ""
	}
}

var host = job.Host{Name: "vm", CPUs: 4, Real: 1e9, Mono: 5, BootID: "boot"}

// The hooks read back what was passed to them, except clocks and what no report may show.
func TestReadContext(t *testing.T) {
	cpus := 4
	r := job.Run{Key: run.Key{Cluster: "local:vm", JobID: 7, Sub: 2}, Node: "vm", RootPID: 99, ReportDir: "/r",
		Job: run.Job{Name: "n\x1b[31m", User: "alice", UID: 1000, GID: 100, NNodes: 1, NodeList: "vm", NCPUs: &cpus,
			WorkDir: "/w/../w",
			App:     "a", Size: "s", Fields: job.RecordedFields("abc", "gcc/13", []string{"solver=gmres"})}}
	env, err := Environ(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Standalone{}.ReadContext(getenv(append(env, WaitStatusVariable(syscall.WaitStatus(3<<8)))...), host)
	want := r
	want.StartReal, want.StartMono, want.BootID = 1e9, 5, "boot"
	want.Job.Name, want.Job.WorkDir = "n?[31m", "/w"
	if err != nil || !reflect.DeepEqual(got.Run, want) || got.OptOut || got.Exit == nil ||
		*got.Exit != (run.Exit{Code: 3}) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if id := (Standalone{}).ID(getenv(env...)); id != "7" {
		t.Errorf("id %q", id)
	}
	if got, err := (Standalone{}).ReadContext(getenv(env...), host); err != nil || got.Exit != nil {
		t.Errorf("in a Prolog %+v, %v", got, err)
	}
}

func TestMissingContext(t *testing.T) {
	for _, text := range []string{"", "x", "{}", `{"key":{"job_id":-1},"root_pid":3}`,
		`{"key":{"cluster":"c","job_id":1}}`, `{"key":{"job_id":1,"restart":-5},"root_pid":1}`} {
		if got, err := (Standalone{}).ReadContext(getenv(runName+"="+text), host); err == nil ||
			!strings.Contains(err.Error(), runName) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if id := (Standalone{}).ID(getenv(runName + "=" + text)); id != "" {
			t.Errorf("%q: id %q", text, id)
		}
	}
}

func FuzzContext(f *testing.F) {
	f.Add(`{"key":{"cluster":"c","job_id":1},"root_pid":3,"job":{"name":"a\u001b","work_dir":"../x"}}`, "768")
	f.Fuzz(func(t *testing.T, text, ended string) {
		got, err := Standalone{}.ReadContext(getenv(runName+"="+text, endedName+"="+ended), host)
		if err != nil {
			return
		}
		r := got.Run
		for _, s := range []string{r.Job.Name, r.Job.User, r.Job.App, r.Job.Size, r.Job.WorkDir, r.ReportDir, r.Node,
			r.Job.NodeList} {
			if strings.ContainsFunc(s, unicode.IsControl) {
				t.Fatalf("text %q", s)
			}
		}
		if r.RootPID <= 0 || r.Key.Valid() != nil || r.Exclusive {
			t.Fatalf("run %+v", r)
		}
	})
}
