package finish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// command writes one of Slurm's commands, which notes how it was called; $n is how
// often it was.
func (s site) command(name, script string) string {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	text := "#!/bin/sh\necho \"$*\" >>" + path + ".calls\nn=$(/usr/bin/wc -l <" + path + ".calls)\n" + script
	must(s.t, jobtest.WriteProgram(path, []byte(text)))
	return path
}

func (s site) calls(name string) []string {
	b, _ := os.ReadFile(filepath.Join(s.root, name+".calls"))
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// Exit code 0 is reported only if the scheduler answered.
func TestEndWithoutAnAnswer(t *testing.T) {
	const line = "JobId=7 JobName=x UserId=u(0) JobState=COMPLETING Reason=%s ExitCode=%s StartTime=1790000000"
	answer := func(reason, exit string) string { return "/bin/echo '" + fmt.Sprintf(line, reason, exit) + "'\n" }
	for name, c := range map[string]struct {
		script string
		exit   run.Exit // the hook's
		says   string
		state  string
		silent bool
	}{
		"no answer": {"exit 1\n", run.Exit{}, "how it ended is not known: the scheduler did not answer", "",
			true},
		"no answer, failed": {"exit 1\n", run.Exit{Code: 3}, "exit code 3", "", true},
		"forgotten": {"/bin/echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n", run.Exit{},
			"the scheduler has forgotten the job", "", true},
		"not asked": {"", run.Exit{}, "how it ended is not known: the scheduler was not queried", "", true},
		"an answer": {answer("None", "0:0"), run.Exit{}, "exit code 0", "", false},
		"after three seconds": {"/bin/sleep 3\n" + answer("TimeLimit", "0:15"), run.Exit{}, "TIMEOUT, ended by signal 15",
			"TIMEOUT", false},
		"a node failed": {answer("NodeDown", "0:1"), run.Exit{Signal: 1}, "NODE_FAIL, a node of the job failed",
			"NODE_FAIL", false},
		"another user's by now": {"/bin/echo 'JobId=7 JobName=x UserId=u(4711) JobState=FAILED ExitCode=1:0'\n", run.Exit{},
			"the scheduler has forgotten the job", "", true},
		"a later run": {"/bin/echo 'JobId=7 JobName=x UserId=u(0) JobState=FAILED ExitCode=1:0 " +
			"StartTime=4000000000'\n", run.Exit{}, "the scheduler knows only a later run of the job", "", true},
		"cancelled": {answer("None", "0:15"), run.Exit{}, "ended by signal 15 (cancelled or time limit)", "",
			false},
		"memory of the cgroup": {answer("OutOfMemory", "0:125"), run.Exit{}, "OUT_OF_MEMORY", "OUT_OF_MEMORY", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			if c.script != "" {
				s.cfg.Slurm.Scontrol = s.command("scontrol", c.script)
			}
			dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, false)
			r, err := dir.ReadRun()
			must(t, err)
			must(t, WriteEnd(dir, RunEnd{Real: r.StartReal + 20, Mono: r.StartMono + 20, BootID: r.BootID, Exit: &c.exit,
				Job: r.Job}))
			must(t, s.finisher("n1").Finish(context.Background(), dir))
			text := s.text("jobgait-7.txt")
			if !strings.Contains(text, c.says) || strings.Contains(text, "exit code 0") != (c.says == "exit code 0") ||
				strings.Contains(text, "hangup") {
				t.Errorf("report:\n%.1500s", text)
			}
			got := s.stored("7")
			if got.State != c.state || strings.Contains(codes(got.Notes), string(note.NoScheduler)) != c.silent {
				t.Errorf("state %q, notes %v", got.State, got.Notes)
			}
		})
	}
}

// put writes a run into the history, as its worker does.
func (s site) put(id run.JobID, uid int, start, end float64, told *int64) {
	s.t.Helper()
	db, err := history.Open(context.Background(), s.cfg.History.Path)
	must(s.t, err)
	sum := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "test", JobID: id}, Start: start, End: end,
		ElapsedS: end - start,
		Job:      run.Job{User: "u", UID: uid, SchedulerStart: told}, Nodes: []summary.Node{{Name: "n1", Reported: true}}}
	must(s.t, db.Put(context.Background(), sum, history.Ingest{}))
	must(s.t, db.Close())
}

// sacct is called once for all runs, and its rows on other runs of the same id are not used.
func TestStatesFromSacct(t *testing.T) {
	s := newSite(t)
	at := float64(time.Now().Unix() - 3600)
	told := int64(at) - 5
	s.put(1, 1000, at, at+60, nil)   // timed out
	s.put(2, 1000, at, at+60, &told) // its start is known: the row of another start does not belong to it
	s.put(3, 1001, at, at+60, nil)   // the row is another user's
	s.put(4, 1000, at+3400, at+3590, nil)
	s.put(5, 1000, at-2*86400, at-2*86400+5, nil) // too long ago
	s.cfg.Slurm.Scontrol = s.command("scontrol", "exit 1\n")
	s.cfg.Slurm.Sacct = s.command("sacct", fmt.Sprintf(`[ "$SLURM_TIME_FORMAT" = %%s ] || exit 1
/bin/cat <<END
1|1000|%[1]d|%[2]d|TIMEOUT|0:0|100|n1|alice
1|1000|%[3]d|%[4]d|COMPLETED|0:0|100|n1|alice
2|1000|%[1]d|%[2]d|COMPLETED|0:0|100|n1|alice
2|1000|%[5]d|%[2]d|CANCELLED by 0|0:15|100|n1|alice
3|1000|%[1]d|%[2]d|COMPLETED|0:0|100|n1|alice
4|1000|%[1]d|Unknown|RUNNING|0:0|100|n1|alice
5|1000|%[1]d|%[2]d|COMPLETED|0:0|100|n1|alice
END
`, int64(at), int64(at)+60, int64(at)-80000, int64(at)-70000, told))
	left, err := s.finisher("n1").QueryEndStates(context.Background())
	if err != nil || left != 1 {
		t.Errorf("%d left, %v", left, err)
	}
	for id, want := range map[string]string{"1": "TIMEOUT", "2": "CANCELLED", "3": "", "4": "", "5": ""} {
		if got := s.stored(id).State; got != want {
			t.Errorf("job %s is %q, want %q", id, got, want)
		}
	}
	if e := s.stored("2").Exit; e == nil || e.Signal != 15 {
		t.Errorf("exit %+v", e)
	}
	if calls := s.calls("sacct"); len(calls) != 1 || !strings.Contains(calls[0], " -j 4,") ||
		strings.Contains(calls[0], ",5") {
		t.Errorf("sacct %q", calls)
	}
	if calls := s.calls("scontrol"); len(calls) != 1 || calls[0] != "" {
		t.Errorf("scontrol was called in addition to sacct: %q", calls)
	}
}

// Without accounting the controller is queried until the Epilogs are over.
func TestStatesFromScontrol(t *testing.T) {
	s := newSite(t)
	now := time.Now().Unix()
	s.put(7, 1000, float64(now-60), float64(now-1), nil)
	s.put(8, 1000, float64(now-9000), float64(now-8000), nil) // the controller has forgotten it
	s.cfg.Slurm.Sacct = s.command("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1\n")
	s.cfg.Slurm.Scontrol = s.command("scontrol", fmt.Sprintf(`state=COMPLETING; [ $n -lt 3 ] || state=FAILED
echo "JobId=$4 JobName=x UserId=u(1000) JobState=$state Reason=None ExitCode=3:0 StartTime=%d EndTime=%d"
`, now-61, now-1))
	must(t, s.finisher("n1").AwaitEndStates(context.Background()))
	if got := s.stored("7"); got.State != "FAILED" || got.Exit == nil || got.Exit.Code != 3 {
		t.Errorf("%q, %+v", got.State, got.Exit)
	}
	if calls := s.calls("scontrol"); len(calls) != 3 || strings.Contains(strings.Join(calls, "\n"), " 8") {
		t.Errorf("scontrol %q", calls)
	}
}

// A history that is not here is not made.
func TestNoStatesElsewhere(t *testing.T) {
	s := newSite(t)
	s.cfg.Slurm.Sacct = s.command("sacct", "exit 1\n")
	if left, err := s.finisher("n1").QueryEndStates(context.Background()); left != 0 || err != nil {
		t.Error(left, err)
	}
	if _, err := os.Stat(s.cfg.History.Path); err == nil {
		t.Error("a history was made")
	}
}

// What the job's own processes say of its name, account and array gives way to the scheduler's answer. Without an
// answer the report marks it as the job's own word, and no account is taken from it.
func TestJobsOwnWordsGiveWay(t *testing.T) {
	forty, task, tasks := int64(4711), int64(3), 4096
	lie := job.Details{Name: "lie", Account: "bobs_project", QOS: "gold", Partition: "bigmem", ArrayJobID: &forty,
		ArrayTaskID: &task, NTasks: &tasks}
	for name, c := range map[string]struct {
		answer  string
		job     run.Job // what is stored of it
		id      string
		noticed bool
	}{
		"an answer": {"/bin/echo 'JobId=7 JobName=truth UserId=u(0) Account=own QOS=normal JobState=COMPLETING " +
			"Reason=None ExitCode=0:0 Partition=p NumTasks=1'\n",
			run.Job{Name: "truth", Account: "own", QOS: "normal", Partition: "p"}, "7", false},
		"no answer": {"exit 1\n", run.Job{Name: "lie", QOS: "gold", Partition: "bigmem"}, "4711_3", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.cfg.Slurm.Scontrol = s.command("scontrol", c.answer)
			dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
			r, err := dir.ReadRun()
			must(t, err)
			end, err := ReadEnd(dir)
			must(t, err)
			r.Job.Name, end.Job.Name = "", ""
			must(t, errors.Join(dir.WriteRun(r), dir.WriteJSON(endFile, end), dir.WriteDetails(lie)))
			must(t, s.finisher("n1").Finish(t.Context(), dir))
			got := s.stored(c.id)
			if j := got.Job; j.Name != c.job.Name || j.Account != c.job.Account || j.QOS != c.job.QOS ||
				j.Partition != c.job.Partition ||
				got.DisplayID() != c.id {
				t.Errorf("%s: %+v", got.DisplayID(), j)
			}
			if noticed := strings.Contains(codes(got.Notes), string(note.DeclaredByJob)); noticed != c.noticed {
				t.Errorf("notes %s", codes(got.Notes))
			}
		})
	}
}
