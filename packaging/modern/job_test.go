package modern

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// jobLimit is how long a job and its report may take, which only a failure
// reaches: most jobs run for half a minute.
const jobLimit = 8 * time.Minute

// job is one submitted job.
type job struct {
	c     *cluster
	name  string // of the checks
	user  string
	id    string
	dir   string // its work directory, where its output and its report lie
	since time.Time
}

// submit submits a script in a new directory of the user's, on the file system
// that the nodes share.
func (c *cluster) submit(t *testing.T, user, name, script, args string) job {
	t.Helper()
	dir := "/home/" + user + "/" + strings.ReplaceAll(name, " ", "-") + time.Now().Format("-150405")
	j := job{c: c, name: name, user: user, dir: dir, since: time.Now()}
	j.id = strings.TrimSpace(c.n1().do(t, fmt.Sprintf(`install -d -o %[1]s -g %[1]s %[2]s
		cd %[2]s
		printf '#!/bin/bash\n%%s\n' %[3]s >job.sh
		runuser -u %[1]s -- sbatch --parsable %[4]s job.sh`, user, dir, quote(script), args)))
	if _, err := strconv.Atoi(j.id); err != nil {
		t.Fatalf("sbatch: %q", j.id)
	}
	return j
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wait waits until the scheduler shows the job in a state.
func (j job) wait(t *testing.T, state string) {
	t.Helper()
	ask := fmt.Sprintf(`[ "$(squeue -h -t all -j %s -o %%T)" = %s ]`, j.id, state)
	if !j.c.n1().wait(jobLimit, ask) {
		t.Fatalf("job %s is not %s:\n%s", j.id, state, j.c.n1().do(t, "scontrol show job "+j.id))
	}
}

// runs waits until the job's program has worked for some seconds.
func (j job) runs(t *testing.T, seconds int) {
	t.Helper()
	if !j.c.n1().wait(jobLimit, fmt.Sprintf(`[ -e %s/started ]`, j.dir)) {
		t.Fatalf("job %s has not started:\n%s", j.id, j.c.n1().do(t, "scontrol show job "+j.id))
	}
	j.c.n1().do(t, fmt.Sprintf("sleep %d", seconds))
}

// accounted is what sacct says of a job, or of an element of an array.
type accounted struct {
	state string // without the uid that cancelled it
	exit  string
	cpuS  float64
	rssB  float64 // largest of the steps
	nodes string
}

// over is whether a state is a job's last.
func over(state string) bool {
	return !slices.Contains([]string{"", "PENDING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "RESIZING"}, state)
}

// sacct waits until the accounting has the end of a job, and returns it.
func (j job) sacct(t *testing.T, id string) accounted {
	t.Helper()
	for end := time.Now().Add(jobLimit); ; time.Sleep(5 * time.Second) {
		out := j.c.n1().do(t, "sacct -n -P -j "+id+" -o JobID,State,ExitCode,TotalCPU,MaxRSS,NodeList")
		a, err := parseSacct(out, id)
		if err == nil && over(a.state) {
			return a
		}
		if time.Now().After(end) {
			t.Fatalf("sacct has no end of job %s: %v\n%s", id, err, out)
		}
	}
}

// parseSacct reads what sacct says of a job and its steps.
func parseSacct(text, id string) (accounted, error) {
	var a accounted
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 6 {
			return a, fmt.Errorf("unexpected line %q", line)
		}
		if f[0] == id {
			a.state, _, _ = strings.Cut(f[1], " ")
			a.exit, a.nodes = f[2], f[5]
			var err error
			if a.cpuS, err = parseTime(f[3]); err != nil {
				return a, err
			}
		}
		if bytes, err := parseSize(f[4]); err == nil {
			a.rssB = max(a.rssB, bytes)
		}
	}
	return a, nil
}

// parseTime reads [DD-[HH:]]MM:SS[.mmm].
func parseTime(text string) (float64, error) {
	days, rest, found := strings.Cut(text, "-")
	if !found {
		days, rest = "0", text
	}
	d, err := strconv.ParseFloat(days, 64)
	if err != nil {
		return 0, fmt.Errorf("time %q: %w", text, err)
	}
	var s float64
	for _, part := range strings.Split(rest, ":") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, fmt.Errorf("time %q: %w", text, err)
		}
		s = 60*s + v
	}
	return 86400*d + s, nil
}

// parseSize reads a number of bytes with K, M or G behind it.
func parseSize(text string) (float64, error) {
	unit := 1.0
	if text != "" {
		switch text[len(text)-1] {
		case 'K':
			unit, text = 1<<10, text[:len(text)-1]
		case 'M':
			unit, text = 1<<20, text[:len(text)-1]
		case 'G':
			unit, text = 1<<30, text[:len(text)-1]
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v * unit, err
}

func TestParseSacct(t *testing.T) {
	a, err := parseSacct("7|CANCELLED by "+
		"0|0:0|01:02.500||n[1-2]\n7.batch|CANCELLED|0:15|01:02.500|2K|n1\n7.0|CANCELLED|0:15|00:00|3M|n2\n", "7")
	if want := (accounted{"CANCELLED", "0:0", 62.5, 3 << 20, "n[1-2]"}); err != nil || a != want {
		t.Errorf("%+v, %v; want %+v", a, err, want)
	}
	for text, want := range map[string]float64{"00:01.250": 1.25, "01:00:00": 3600, "2-01:00:01": 2*86400 + 3601} {
		if got, err := parseTime(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"7|x\n", "7|COMPLETED|0:0|now||n1\n"} {
		if _, err := parseSacct(text, "7"); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}

// report is what the checks read of a JSON report.
type report struct {
	Job struct {
		ID         string  `json:"id"`
		User       string  `json:"user"`
		Name       *string `json:"name"`
		Executable *string `json:"executable"`
		App        *string `json:"app"`
		Restart    int     `json:"restart"`
		ElapsedS   float64 `json:"elapsed_s"`
		State      *string `json:"state"`
		Ended      string  `json:"ended"`
		ExitCode   *int    `json:"exit_code"`
		ExitSignal *int    `json:"exit_signal"`
	} `json:"job"`
	Nodes struct {
		Total    int      `json:"total"`
		Reported int      `json:"reported"`
		Missing  []string `json:"missing"`
	} `json:"nodes"`
	Counters []struct {
		Name   string  `json:"name"`
		Unit   string  `json:"unit"`
		Scope  string  `json:"scope"`
		Total  float64 `json:"total"`
		Before float64 `json:"before"`
	} `json:"counters"`
	Resources struct {
		Memory struct {
			PeakBytes *float64 `json:"peak_bytes"`
		} `json:"memory"`
	} `json:"resources"`
	Quality struct {
		Sealed bool `json:"sealed"`
	} `json:"quality"`
	Notes []struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"notes"`
}

// exit is how the report says that the job ended, as sacct spells it.
func (r report) exit() string {
	if r.Job.ExitCode == nil || r.Job.ExitSignal == nil {
		return "not known"
	}
	return fmt.Sprintf("%d:%d", *r.Job.ExitCode, *r.Job.ExitSignal)
}

// cpuS returns the CPU time of the job: the count of its cgroups, else the job's own measurement.
func (r report) cpuS() (float64, string) {
	for _, name := range []string{"cgroup_cpu", "cpu_time"} {
		for _, c := range r.Counters {
			if c.Name == name && c.Scope != "node" {
				total := c.Total + c.Before
				if c.Unit == "ns" {
					total /= 1e9
				}
				return total, name
			}
		}
	}
	return 0, "none"
}

// read waits for a report and returns it; base is its path without extension.
func (j job) read(t *testing.T, base string, limit time.Duration) (r report, found bool) {
	t.Helper()
	if !j.c.n1().wait(limit, fmt.Sprintf("[ -s %[1]s.json -a -s %[1]s.txt -a -s %[1]s.html ]", base)) {
		return r, false
	}
	text := j.c.n1().do(t, "cat "+base+".json")
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%s.json: %v", base, err)
	}
	return r, true
}

// base is where the report of the job's first run is.
func (j job) base() string { return path.Join(j.dir, "jobgait-"+j.id) }
