package testcluster

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jobgait/agent/job/slurm"
)

// TestScriptsAsSbatchReadsThem submits drawn scripts to the real sbatch, which holds the jobs, and compares what the
// controller then knows of each job with what ReadScript finds in its script. Scripts that sbatch rejects do not
// count.
func TestScriptsAsSbatchReadsThem(t *testing.T) {
	t.Parallel()
	c := use(t)
	dir, r := c.dir(t, c.bob), rand.New(rand.NewPCG(44, 22))
	accepted := 0
	for i := range 60 {
		text := drawnScript(r)
		path := filepath.Join(dir, fmt.Sprintf("s%d.sh", i))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := c.as(c.bob, dir, "sbatch", "--parsable", "--hold", "-o", "/dev/null", path).Output()
		if err != nil {
			continue
		}
		accepted++
		id := strings.TrimSpace(string(out))
		known := c.admin(t, "scontrol", "show", "job", "-o", id)
		c.admin(t, "scancel", id)
		q, err := slurm.ReadScript(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if q.Name == "" {
			q.Name = filepath.Base(path)
		}
		limit := "UNLIMITED"
		if q.LimitS != nil {
			s := int(*q.LimitS)
			limit = fmt.Sprintf("%02d:%02d:%02d", s%86400/3600, s%3600/60, s%60)
			if s >= 86400 {
				limit = fmt.Sprintf("%d-%s", s/86400, limit)
			}
		}
		for want, requested := range map[string]bool{
			" JobName=" + q.Name + " ": true, " TimeLimit=" + limit + " ": true,
			" NumNodes=" + strconv.Itoa(q.Nodes): q.Nodes > 0, " NumTasks=" + strconv.Itoa(q.Tasks) + " ": q.Tasks > 0,
		} {
			if requested && !strings.Contains(known, want) {
				t.Errorf("no %q in\n%s\nof the script\n%q", want, known, text)
			}
		}
	}
	t.Logf("%d of 60 scripts were accepted", accepted)
	if accepted < 20 {
		t.Errorf("sbatch accepted %d of 60 scripts", accepted)
	}
}

// drawnScript returns a batch script with options in one of many forms.
func drawnScript(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	text := "#!/bin/bash\n" + pick("", "\n", "# a comment\n", "   \n", "##SBATCH -N2\n", " #SBATCH -N3\n")
	for range 1 + r.IntN(4) {
		line := "#SBATCH" + pick(" ", "\t", "  ", "")
		for range 1 + r.IntN(3) {
			line += pick("-N2", "-N 2-3", "--nodes=2", "--nodes 2", "-n 4", "-n2", "--ntasks=3", "--ntasks 2", "-Hn2",
				"-t 5", "-t 1-12", "--time=90", "--time 1:08", "-t0-1:30", "--time=00:00:59", "--time=UNLIMITED", "-J one",
				`-J "two words"`, "--job-name='x y'", `-J a\ b`, "-Jdash-n", "--mem-per-cpu=10", "--mem 20M", "-A science",
				"--exclusive", "--requeue", "--comment=\"-n 9\"", "-c1", "-J tail#cut", "--ntasks-per-node=2") +
				pick(" ", "\t", "  ")
		}
		text += line + pick("", "", "# note -N3", " # -t 7", " \\") + "\n"
		text += pick("", "", "\n", "# more\n")
	}
	return text + "true\n" + pick("", "#SBATCH -N4 -n9\n")
}
