package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/analysis/run"
)

// commands writes a sacct and a sacctmgr that record their input.
func commands(t *testing.T, manager string) (Scheduler, string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"sacct":    "echo \"$*\" >>" + dir + "/asked; printf '7|\\n8|JG1:old\\n9|another tool|x\\n10|\\n10|theirs\\n'",
		"sacctmgr": manager,
	} {
		if err := jobtest.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	return Scheduler{Sacct: filepath.Join(dir, "sacct"), Sacctmgr: filepath.Join(dir, "sacctmgr"), AdminComment: true}, dir
}

func TestComments(t *testing.T) {
	s, dir := commands(t, `cat >>"$(dirname "$0")/read"; echo "$*" >>"$(dirname "$0")/calls"`)
	list := []job.Comment{{JobID: 7, DisplayID: "7", Text: "JG1:a="}, {JobID: 8, DisplayID: "7_1", Text: "JG1:b"},
		{JobID: 9, DisplayID: "9", Text: "JG1:c"},
		{JobID: 10, DisplayID: "10", Text: "JG1:d"}, {JobID: 11, DisplayID: "11", Text: "JG1:e"},
		{JobID: 7, DisplayID: "7", Text: "JG1:x\"\ndelete user root"}}
	n, err := s.SetComments(t.Context(), list, "JG1:")
	if err != nil || n != (job.CommentCounts{Written: 2, Kept: 2}) {
		t.Errorf("%+v, %v", n, err)
	}
	for _, c := range list {
		if missing := c.JobID == 7 || c.JobID == 11; c.Missing != missing {
			t.Errorf("job %d: the comment is missing: %v, want %v", c.JobID, c.Missing, missing)
		}
	}
	read, _ := os.ReadFile(filepath.Join(dir, "read"))
	calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
	want := "modify job where JobID=7 set AdminComment=\"JG1:a=\"\nmodify job where JobID=7_1 set " +
		"AdminComment=\"JG1:b\"\nexit\n"
	if string(read) != want || strings.Count(string(calls), "\n") != 1 {
		t.Errorf("sacctmgr was called %q and read\n%s", calls, read)
	}
	if !s.WantsComments() || (Scheduler{Sacct: "x", Sacctmgr: "y"}).WantsComments() {
		t.Error("comments are written unasked, or not at all")
	}
}

// An accounting that keeps no capital letters gets the other form.
func TestCommentsInSmallLetters(t *testing.T) {
	s, dir := commands(t, `cat >>"$(dirname "$0")/read"`)
	sacct := "#!/bin/sh\nif [ -e " + dir + "/read ]; then echo '7|jg1:a='; else echo '7|'; fi\n"
	if err := jobtest.WriteProgram(s.Sacct, []byte(sacct)); err != nil {
		t.Fatal(err)
	}
	n, err := s.SetComments(t.Context(), []job.Comment{{JobID: 7, DisplayID: "7", Text: "JG1:A=", Lower: "jg1:b"}}, "JG1:")
	read, _ := os.ReadFile(filepath.Join(dir, "read"))
	if err != nil || n.Written != 1 || !strings.HasSuffix(string(read), "AdminComment=\"jg1:b\"\nexit\n") {
		t.Errorf("%+v, %v, sacctmgr read\n%s", n, err, read)
	}
}

func TestCommentsWithoutRights(t *testing.T) {
	for _, manager := range []string{"cat >/dev/null; echo ' Your user/uid is not an admin, permission denied' >&2",
		"cat >/dev/null; exit 1"} {
		s, _ := commands(t, manager)
		n, err := s.SetComments(t.Context(), []job.Comment{{JobID: 7, DisplayID: "7", Text: "JG1:a"}}, "JG1:")
		if n.Written != 0 || err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v, %v", n, err)
		}
	}
}

func FuzzFreeComments(f *testing.F) {
	f.Add([]byte("7|\n8|JG1:x\n9|y\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for id := range writableComments(out, "JG1:") {
			if id <= 0 {
				t.Errorf("%d is no job", id)
			}
		}
	})
}

// TestCommentsOfSlurmdbd is run by hand against a real slurmdbd: JOBGAIT_SLURMDBD is a slurm.conf that names it, and
// JOBGAIT_JOBS two ids of jobs that it has, the second with a comment of another tool.
func TestCommentsOfSlurmdbd(t *testing.T) {
	conf := os.Getenv("JOBGAIT_SLURMDBD")
	if conf == "" {
		t.Skip("run by hand: JOBGAIT_SLURMDBD=/path/slurm.conf JOBGAIT_JOBS=1,2")
	}
	ids := strings.Split(os.Getenv("JOBGAIT_JOBS"), ",")
	s := Scheduler{Sacct: "/usr/bin/sacct", Sacctmgr: "/usr/bin/sacctmgr", Conf: conf, AdminComment: true}
	text, small := "JG1:"+strings.Repeat("Ab+/", 240)+"Abc=", "jg1:"+strings.Repeat("ab27", 240)
	before, err := s.Usage(t.Context(), ids[1])
	if err != nil || before.Comment == "" {
		t.Fatalf("%+v, %v", before, err)
	}
	var list []job.Comment
	for _, id := range ids {
		n, err := run.ParseJobID(id)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, job.Comment{JobID: n, DisplayID: id, Text: text, Lower: small})
	}
	if n, err := s.SetComments(t.Context(), list, "JG1:"); err != nil || n != (job.CommentCounts{Written: 1, Kept: 1}) {
		t.Fatalf("%+v, %v", n, err)
	}
	if u, err := s.Usage(t.Context(), ids[0]); err != nil || u.Comment != text && u.Comment != small {
		t.Errorf("%+v, %v", u, err)
	}
	if u, err := s.Usage(t.Context(), ids[1]); err != nil || u.Comment != before.Comment {
		t.Errorf("another tool's comment is now %q, %v", u.Comment, err)
	}
}
