package modern

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"
)

// want describes the expected report of a job, beside what sacct reports.
type want struct {
	id   string // as sacct spells it; "" is the job's
	base string // path of the report without extension; "" is beside the output
	app  string // program that it ran; "" is not checked
	// state is sacct's, beyond which the check proves nothing.
	state   string
	nodes   int // that must have reported
	restart int
	// killed: Slurm's CPU time is its last reading before the job's steps were killed, so jobgait's may be
	// larger.
	killed bool
	// noCPU: CPU time is not compared, for the reason given.
	noCPU string
}

// cpuTolerance is by how much CPU times may differ.
const cpuTolerance = 0.05

// judge compares the report of a job with sacct and returns the report.
func (j job) judge(t *testing.T, w want) report {
	t.Helper()
	if w.id == "" {
		w.id = j.id
	}
	if w.base == "" {
		w.base = j.base()
	}
	r, found := j.read(t, w.base, jobLimit) // read first, because it costs the node nothing
	a := j.sacct(t, w.id)
	if a.state != w.state {
		t.Fatalf("job %s ended %s, want %s", w.id, a.state, w.state)
	}
	there := j.c.n1().do(t, fmt.Sprintf(
		`stat -c '%%U %%a %%n' %s.* 2>/dev/null || find %s /var/spool/jobgait -name '*.html' | head`, w.base, j.dir))
	j.checkFiles(t, w, found, there)
	if !found {
		return r
	}
	j.checkEnd(t, w, a, r)
	j.checkCPU(t, w, a, r)
	j.checkMemory(t, a, r)
	if w.app != "" {
		got := word(r.Job.Executable)
		j.row(t, "application", "ran "+w.app, got, differs(path.Base(got) != w.app, "another program"))
	}
	return r
}

// row is a line of the table for the job.
func (j job) row(t *testing.T, what, sacct, jobgait, wrong string) {
	t.Helper()
	j.c.check(t, j.name+": "+what, sacct, jobgait, j.since, wrong)
}

func differs(wrong bool, how string) string {
	if wrong {
		return how
	}
	return ""
}

func word(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

// checkFiles: three regular files of the user's that others cannot change.
func (j job) checkFiles(t *testing.T, w want, found bool, there string) {
	t.Helper()
	var wrong []string
	if !found {
		wrong = append(wrong, "no report at "+w.base)
	}
	for line := range strings.Lines(there) {
		f := strings.Fields(line)
		if len(f) == 3 && found && (f[0] != j.user || f[1] != "644" && f[1] != "640" && f[1] != "600") {
			wrong = append(wrong, "not the user's alone to change: "+strings.TrimSpace(line))
		}
	}
	j.row(t, "report", "of "+j.user+" in "+path.Dir(w.base), there, strings.Join(wrong, "; "))
}

// checkEnd: the report knows the job, its nodes, and how it ended or that it does
// not know. It never calls another end than a good one exit code 0.
func (j job) checkEnd(t *testing.T, w want, a accounted, r report) {
	t.Helper()
	var wrong []string
	if r.Job.ID != w.id || r.Job.User != j.user || r.Job.Restart != w.restart {
		wrong = append(wrong, fmt.Sprintf("is of job %s restart %d of %s", r.Job.ID, r.Job.Restart, r.Job.User))
	}
	if r.Nodes.Reported != w.nodes {
		wrong = append(wrong, fmt.Sprintf("%d nodes reported, want %d; missing %v", r.Nodes.Reported, w.nodes,
			r.Nodes.Missing))
	}
	if why := contradicts(a, r); why != "" {
		wrong = append(wrong, why)
	}
	j.row(t, "end", a.state+" "+a.exit, r.Job.Ended+" ["+word(r.Job.State)+", "+r.exit()+"]", strings.Join(wrong, "; "))
}

// contradicts says where a report's words on the end differ from sacct's state.
// sacct gives 0:0 to jobs that were cancelled or ran out of time, so its exit
// code is believed of jobs that ended by themselves only.
func contradicts(a accounted, r report) string {
	if s := word(r.Job.State); s != "null" && s != a.state {
		return "the report says " + s
	}
	exit := r.exit()
	if exit == "not known" && word(r.Job.State) == "null" && strings.Contains(r.Job.Ended, "not known") {
		return "" // said so: the history has it later
	}
	switch a.state {
	case "COMPLETED", "FAILED":
		return differs(exit != a.exit, "another exit code")
	case "CANCELLED", "TIMEOUT":
		return differs(exit != "0:15" && exit != "0:9", "another signal")
	case "OUT_OF_MEMORY":
		return differs(!strings.Contains(strings.ToLower(r.Job.Ended), "memory") ||
			strings.Contains(r.Job.Ended, "no common meaning"), "does not tell memory")
	case "NODE_FAIL":
		return differs(!strings.Contains(r.Job.Ended, "NODE_FAIL"), "a node's end is told as the job's")
	}
	return ""
}

// checkCPU: within 5 percent of sacct's TotalCPU and slurmstepd's, or no less
// where that is old.
func (j job) checkCPU(t *testing.T, w want, a accounted, r report) {
	t.Helper()
	got, from := r.cpuS()
	stepd := j.stepdS(t)
	off := got/(a.cpuS+stepd) - 1
	said := fmt.Sprintf("%+.1f %%", 100*off)
	wrong := differs(math.Abs(off) > cpuTolerance, said)
	switch {
	case w.noCPU != "":
		wrong = ""
	case w.killed:
		wrong = differs(off < -cpuTolerance, said)
		w.noCPU = "(Slurm: before the kill)"
	}
	j.row(t, "CPU time", fmt.Sprintf("%.2f s + slurmstepd %.2f s", a.cpuS, stepd),
		fmt.Sprintf("%.2f s by %s, %s %s", got, from, said, w.noCPU), wrong)
}

// stepdS is what the job's slurmstepd used, as far as the job said (stepd-cpu).
func (j job) stepdS(t *testing.T) (s float64) {
	t.Helper()
	for _, text := range strings.Fields(j.c.n1().do(t, "cat "+j.dir+"/stepd.* 2>/dev/null || true")) {
		us, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		s += us / 1e6
	}
	return s
}

// checkMemory compares the peak with sacct's MaxRSS, the largest reading of a step: jobgait's may be larger. It
// may be smaller by the pages of mapped programs and libraries, which MaxRSS counts and which can be dropped: 4
// MB of Open MPI's ring. Memory that a run took in its last second before it ran out of memory was not read, as
// its report says.
func (j job) checkMemory(t *testing.T, a accounted, r report) {
	t.Helper()
	peak := r.Resources.Memory.PeakBytes
	if peak == nil {
		return
	}
	words, wrong := "peak", differs(*peak < 0.95*a.rssB-8e6, "less than sacct saw")
	if a.state == "OUT_OF_MEMORY" {
		words, wrong = "at least", differs(*peak > 1.05*a.rssB+8e6, "more than sacct saw")
	}
	j.row(t, "memory", fmt.Sprintf("MaxRSS %.1f MB", a.rssB/1e6), fmt.Sprintf("%s %.1f MB", words, *peak/1e6), wrong)
}

// outside checks on a node that the job's agent is in no cgroup of the job's or
// of slurmd's steps.
func (j job) outside(t *testing.T, g guest) {
	t.Helper()
	out := g.do(t, fmt.Sprintf(`for p in $(pgrep -x jobgait-agent); do
		if tr '\0' ' ' </proc/$p/cmdline | grep -q -- '/modern-%[1]s\.'; then echo "$(cat /proc/$p/cgroup)"; fi; done`, j.id))
	wrong := ""
	switch {
	case strings.TrimSpace(out) == "":
		wrong = "no agent of the job on " + g.name
	case strings.Contains(out, "job_"), strings.Contains(out, "slurmstepd"):
		wrong = "within the job"
	case strings.Contains(out, "slurmd.service"):
		wrong = "within slurmd's service: its restart finds left-over processes"
	}
	j.row(t, "agent's cgroup", "job_"+j.id, out, wrong)
}

// checkHistory compares the history with sacct: each run in its view has the state that sacct reports; of a
// requeued job, the last run has.
func (c *cluster) checkHistory(t *testing.T) {
	began := time.Now()
	c.n1().do(t, "systemctl start jobgait-sweep.service || true; for i in 1 2 3; do systemctl start "+
		"jobgait-ingest.service && break; sleep 5; done")
	states := map[string]string{}
	for line := range strings.Lines(c.n1().do(t, "sacct -a -X -n -P -o JobID,State")) {
		id, state, _ := strings.Cut(strings.TrimSpace(line), "|")
		states[id], _, _ = strings.Cut(state, " ")
	}
	rows := c.n1().do(t, `sqlite3 -readonly -cmd '.timeout 20000' /var/lib/jobgait/history.db \
		"select JobID, ifnull(State,'NULL'), Restarts from jobs j where Restarts = (select max(Restarts) from jobs where `+
		`JobIDRaw = j.JobIDRaw)"`)
	var right, wrong []string
	for line := range strings.Lines(rows) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if states[f[0]] == f[1] {
			right = append(right, f[0]+" "+f[1])
		} else {
			wrong = append(wrong, fmt.Sprintf("%s is %s, not %s", f[0], states[f[0]], f[1]))
		}
	}
	if len(right) == 0 {
		wrong = append(wrong, "no run is right")
	}
	c.check(t, "history: states", fmt.Sprintf("%d jobs", len(states)), strings.Join(right, ", "), began,
		strings.Join(wrong, "; "))
}
