package testcluster

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
)

// accounted are the jobs of the cluster as sacct has them: one row a run, by the names of sacct's fields.
type accounted []map[string]string

// accountedFields lists the fields of sacct with which the answers are compared. The queue wait is called Planned from
// Slurm 21.08.8 on in some packages and Reserved in others.
const accountedFields = "JobID,JobName,User,Account,State,ExitCode,NNodes,ElapsedRaw,CPUTimeRAW,TimelimitRaw,ReqMem"

// sacct queries the accounting for all runs, including requeued ones.
func (c *cluster) sacct(t *testing.T) accounted {
	t.Helper()
	wait := "Reserved"
	if strings.Contains(c.admin(t, "sacct", "-e"), "Planned ") {
		wait = "Planned"
	}
	out := c.admin(t, "sacct", "-a", "-X", "-D", "-n", "-P", "-S", "now-1days", "-o", accountedFields+","+wait)
	var all accounted
	for line := range strings.Lines(out) {
		row, values := map[string]string{}, strings.Split(strings.TrimSpace(line), "|")
		for i, name := range strings.Split(accountedFields+",Waited", ",") {
			row[name] = values[i]
		}
		row["State"], _, _ = strings.Cut(row["State"], " ")
		all = append(all, row)
	}
	return all
}

// sum returns the sums of the values of `of`, by the field key. It leaves out runs for which `of` returns false.
func (a accounted) sum(key string, of func(map[string]string) (float64, bool)) map[string]float64 {
	sums := map[string]float64{}
	for _, row := range a {
		if v, ok := of(row); ok {
			sums[row[key]] += v
		}
	}
	return sums
}

// number reads a number of sacct's, 0 for other text.
func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// clockS reads [days-][hours:]minutes:seconds in seconds.
func clockS(text string) float64 {
	days, clock, ok := strings.Cut(text, "-")
	if !ok {
		days, clock = "0", text
	}
	s := 0.0
	for part := range strings.SplitSeq(clock, ":") {
		s = 60*s + number(part)
	}
	return s + 86400*number(days)
}

// question runs a query of jobgait history as root, and returns its rows by their first column.
func (c *cluster) question(t *testing.T, args ...string) map[string]map[string]string {
	t.Helper()
	out := c.admin(t, c.path("bin", "jobgait"), append([]string{"history", "--csv"}, args...)...)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	answer := map[string]map[string]string{}
	for _, row := range rows[1:] {
		named := map[string]string{}
		for i, name := range rows[0] {
			named[name] = row[i]
		}
		key := row[0]
		if named["User"] != "" && !strings.HasPrefix(args[0], "job") {
			key = named["User"]
		}
		for answer[key] != nil {
			key += "'" // a later run of the id
		}
		answer[key] = named
	}
	return answer
}

// comparison is one question with both answers.
type comparison struct {
	t *testing.T
	// rows of the table that is printed.
	rows []string
}

// equal compares two lists of figures by key, within a tolerance.
func (k *comparison) equal(question, what string, got, want map[string]float64, within float64) {
	k.t.Helper()
	verdict, figures := "ok", func(m map[string]float64) string {
		var list []string
		for _, key := range slices.Sorted(maps.Keys(m)) {
			list = append(list, fmt.Sprintf("%s %.4g", key, m[key]))
		}
		return strings.Join(list, ", ")
	}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		verdict = "DIFFERS"
	}
	for key, v := range want {
		if math.Abs(got[key]-v) > within {
			verdict = "DIFFERS"
		}
	}
	k.rows = append(k.rows, fmt.Sprintf("| %s | %s | %s | %s | %s |", question, what, figures(got), figures(want),
		verdict))
	if verdict != "ok" {
		k.t.Errorf("%s, %s: jobgait %v, sacct %v", question, what, got, want)
	}
}

// column is a column of an answer as numbers.
func column(answer map[string]map[string]string, name string) map[string]float64 {
	values := map[string]float64{}
	for key, row := range answer {
		values[key] = number(row[name])
	}
	return values
}

// TestQuestionsAgainstSacct runs twelve queries of an administrator after jobs of two users: a heterogeneous
// job, an array, a requeue, failures, a time limit, memory requests. Each answer is compared with sacct's. It
// needs a cluster with accounting: make -C packaging accounting.
func TestQuestionsAgainstSacct(t *testing.T) {
	c := use(t)
	if os.Getenv("ACCOUNTING") != "1" {
		t.Skip("needs ACCOUNTING=1: a cluster with slurmdbd")
	}
	ids := c.accountedJobs(t)
	var jobs accounted
	poll(t, func() string { // the state of a run is known some seconds after its end
		jobs = c.sacct(t)
		known, err := c.rows("State is not null")
		switch {
		case err != nil:
			return err.Error()
		case len(known) != len(jobs):
			return fmt.Sprintf("the history has the states of %d runs, sacct of %d", len(known), len(jobs))
		}
		return ""
	})
	k := comparison{t: t}
	always := func(f func(map[string]string) float64) func(map[string]string) (float64, bool) {
		return func(row map[string]string) (float64, bool) { return f(row), true }
	}
	nodeHours := always(func(row map[string]string) float64 {
		return number(row["NNodes"]) * number(row["ElapsedRaw"]) / 3600
	})

	// The scheduler does not say when a run was eligible that it queued again since.
	first := func(of func(map[string]string) float64) func(map[string]string) (float64, bool) {
		return func(row map[string]string) (float64, bool) { return of(row), row["State"] != "REQUEUED" }
	}
	runs := jobs.sum("User", first(func(map[string]string) float64 { return 1 }))
	queue := c.question(t, "week_queue")
	waited := jobs.sum("User", first(func(row map[string]string) float64 {
		return clockS(row["Waited"]) / runs[row["User"]]
	}))
	k.equal("week_queue", "mean wait, s", column(queue, "WaitedS"), waited, 1)
	k.equal("week_queue", "runs", column(queue, "Jobs"), runs, 0)

	early := map[string]float64{}
	for _, row := range jobs {
		if row["State"] == "TIMEOUT" {
			early[row["JobID"]] = 1
		}
	}
	ended := c.question(t, "week_ended_early")
	got := map[string]float64{}
	for _, row := range ended {
		got[row["JobID"]] = 1
	}
	k.equal("week_ended_early", "ids", got, early, 0)

	limited := func(of func(map[string]string) float64) func(map[string]string) (float64, bool) {
		return func(row map[string]string) (float64, bool) { return of(row), number(row["TimelimitRaw"]) > 0 }
	}
	used := jobs.sum("User", limited(func(row map[string]string) float64 { return number(row["ElapsedRaw"]) }))
	limits := jobs.sum("User", limited(func(row map[string]string) float64 { return 60 * number(row["TimelimitRaw"]) }))
	for user := range used {
		used[user] *= 100 / limits[user]
	}
	k.equal("week_limits", "used of the limits, %", column(c.question(t, "week_limits"), "UsedPct"), used, 1)

	// A run that crashed at once has no measured peak, and no place in this sum.
	requests := jobs.sum("User", func(row map[string]string) (float64, bool) {
		return number(strings.TrimSuffix(row["ReqMem"], "M")) * (1 << 20) / 1e9, row["JobName"] != "crash"
	})
	k.equal("week_memory_requested", "GB", column(c.question(t, "week_memory_requested"), "RequestedGB"), requests, 0.051)

	k.equal("week_cpus", "CPU hours given", column(c.question(t, "week_cpus"), "CPUHours"),
		jobs.sum("User", always(func(row map[string]string) float64 { return number(row["CPUTimeRAW"]) / 3600 })), 0.01)
	k.equal("user_node_hours", "node hours", column(c.question(t, "user_node_hours"), "NodeHours"),
		jobs.sum("User", nodeHours), 0.01)
	accounts := c.question(t, "month_accounts")
	total := jobs.sum("Account", nodeHours)
	k.equal("month_accounts", "node hours", column(accounts, "NodeHours"), total, 0.02)

	for _, user := range []string{"jgalice", "jgbob"} {
		states, want := map[string]float64{}, map[string]float64{}
		for _, row := range c.question(t, "user_last", "-u", user) {
			states[row["JobID"]+" "+row["State"]]++
		}
		for _, row := range jobs {
			if row["User"] == user {
				want[row["JobID"]+" "+row["State"]]++
			}
		}
		k.equal("user_last -u "+user, "runs by id and state", states, want, 0)
	}

	all := 0.0
	for _, row := range c.question(t, "week_coverage") {
		all += number(row["Jobs"])
	}
	k.equal("week_coverage", "runs", map[string]float64{"all": all}, map[string]float64{"all": float64(len(jobs))}, 0)

	wide := jobs.row(ids.wide)
	k.equal("job_nodes -j WIDE", "nodes", map[string]float64{"n": float64(len(c.question(t, "job_nodes", "-j",
		wide["JobID"])))}, map[string]float64{"n": number(wide["NNodes"])}, 0)
	for _, r := range c.question(t, "job", "-j", wide["JobID"]) {
		k.equal("job -j WIDE", "elapsed, s", map[string]float64{r["State"]: clockS(r["Elapsed"])},
			map[string]float64{wide["State"]: number(wide["ElapsedRaw"])}, 1)
	}
	het := jobs.row(ids.het + "+1")
	for _, r := range c.question(t, "job", "-j", het["JobID"]) {
		k.equal("job -j HET+1", "exit code", map[string]float64{r["JobID"] + " " + r["ExitCode"]: 1},
			map[string]float64{het["JobID"] + " " + het["ExitCode"]: 1}, 0)
	}
	memory := jobs.row(ids.memory)
	for _, r := range c.question(t, "job_resources", "-j", memory["JobID"]) {
		k.equal("job_resources -j MEMORY", "limit, s, and MB requested",
			map[string]float64{"limit": number(r["LimitS"]), "MB": number(r["RequestedMemBytes"]) / (1 << 20)},
			map[string]float64{"limit": 60 * number(memory["TimelimitRaw"]),
				"MB": number(strings.TrimSuffix(memory["ReqMem"], "M"))}, 0)
	}
	fmt.Println("| question | figure | jobgait history | sacct | |\n|---|---|---|---|---|")
	fmt.Println(strings.Join(k.rows, "\n"))
	c.hooksAndWaits(t)
	c.aggregatesAgainstSacct(t)
}

// row returns the newest run of an id.
func (a accounted) row(id string) map[string]string {
	for _, row := range slices.Backward(a) {
		if row["JobID"] == id {
			return row
		}
	}
	return map[string]string{}
}

// hooksAndWaits prints the answers that sacct does not have: times of hooks and waiting for storage.
func (c *cluster) hooksAndWaits(t *testing.T) {
	t.Helper()
	for key, row := range c.question(t, "week_hooks") {
		prolog, epilog := number(row["PrologS"]), number(row["EpilogS"])
		fmt.Printf("week_hooks: %s nodes, %s jobs, Prolog %g s, Epilog %g s\n", key, row["Jobs"], prolog, epilog)
		if !(prolog > 0 && prolog < 60 && epilog > 0 && epilog < 60) {
			t.Errorf("hooks of jobs on %s nodes: %v", key, row)
		}
	}
}

// aggregatesAgainstSacct compares the file for the node_exporter, which the sweep after a job writes, with sacct.
func (c *cluster) aggregatesAgainstSacct(t *testing.T) {
	t.Helper()
	out := c.path("textfile")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	c.withSetting(t, "[report]\n", fmt.Sprintf("[health]\nsite_textfile = %q\n[report]\n", out))
	j := c.sbatch(t, c.alice, c.dir(t, c.alice), "exit 4", "-n1", "-J", "trigger", "-t5")
	j.wait(t)
	hours := func(row map[string]string) (float64, bool) {
		return number(row["NNodes"]) * number(row["ElapsedRaw"]) / 3600, true
	}
	poll(t, func() string {
		b, err := os.ReadFile(filepath.Join(out, "jobgait-site.prom"))
		if err != nil {
			return err.Error()
		}
		got := map[string]float64{}
		for _, m := range siteState.FindAllStringSubmatch(string(b), -1) {
			got[m[1]] = number(m[2]) / 3600
		}
		want := c.sacct(t).sum("State", hours)
		row := fmt.Sprintf("| jobgait-site.prom | node hours by state | %v | %v |", got, want)
		for state, v := range want {
			if math.Abs(got[state]-v) > 0.01 {
				return row
			}
		}
		fmt.Println(row, "ok |")
		return ""
	})
}

// siteState is a line of the file for the node_exporter: a state and its node seconds.
var siteState = regexp.MustCompile(`(?m)^jobgait_site_node_seconds\{state="([A-Z_]+)"\} (\S+)$`)

// accountedIDs are ids of some of the jobs.
type accountedIDs struct{ wide, het, memory string }

// accountedJobs runs the jobs and waits for their ends.
func (c *cluster) accountedJobs(t *testing.T) accountedIDs {
	t.Helper()
	alice, bob := c.dir(t, c.alice), c.dir(t, c.bob)
	late := c.sbatch(t, c.bob, bob, "sleep 200", "-n1", "-t1", "-J", "late")
	again := c.sbatch(t, c.bob, bob, "sleep 15", "-n1", "--requeue", "-J", "again", "-t5")
	memory := c.sbatch(t, c.alice, alice, "gait 6 8", "-n1", "--mem=200M", "-t3", "-J", "memory a")
	jobs := []job{late, again, memory,
		c.sbatch(t, c.bob, bob, "sleep 5", "-n1", "--mem-per-cpu=300M", "-t0-1", "-J", "memory b"),
		c.sbatch(t, c.bob, bob, "sleep 2; exit 3", "-n1", "-J", "fails", "-t5"),
		c.sbatch(t, c.bob, bob, "kill -11 $$", "-n1", "-J", "crash", "-t5")}
	again.waitState(t, "RUNNING")
	array := c.sbatch(t, c.alice, alice, "sleep $((4 + SLURM_ARRAY_TASK_ID))", "-n1", "-a0-3", "-J", "sweep", "-t5")
	wide := c.sbatch(t, c.alice, alice, "srun sleep 4", "-N4", "-n4", "-J", "wide", "-t2")
	jobtest.WorkloadPause(3 * time.Second) // a run that lasted a while is requeued
	c.admin(t, "scontrol", "requeue", strconv.FormatInt(again.id, 10))
	het := c.sbatch(t, c.alice, alice, "srun --het-group=0,1 sleep 3", "-n1", "-t5", "-J", "het", ":", "-n1", "-t5")
	for _, j := range append(jobs, array, wide, het) {
		poll(t, func() string { // sacct's end: all tasks, all components and the second run of the requeued job
			out := c.admin(t, "sacct", "-X", "-n", "-P", "-j", strconv.FormatInt(j.id, 10), "-o", "State")
			for line := range strings.Lines(out) {
				if s := strings.TrimSpace(line); s == "PENDING" || s == "RUNNING" || s == "COMPLETING" || s == "REQUEUED" {
					return fmt.Sprintf("job %d is %s", j.id, s)
				}
			}
			if out == "" {
				return fmt.Sprintf("sacct has no job %d", j.id)
			}
			return ""
		})
	}
	id := func(j job) string { return strconv.FormatInt(j.id, 10) }
	return accountedIDs{wide: id(wide), het: id(het), memory: id(memory)}
}
