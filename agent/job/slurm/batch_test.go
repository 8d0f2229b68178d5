package slurm

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadScript(t *testing.T) {
	q, err := ReadScript(strings.NewReader(`#!/bin/bash
#SBATCH --time=1-02:03:04 --nodes=4-8
#SBATCH -n 16 # a comment
#SBATCH --mem 6G
# a comment
#SBATCH -Jocean
#SBATCH --jobgait=app=ocean,size=L

 #SBATCH --nodes=7
##SBATCH --nodes=7
srun ./ocean
#SBATCH --nodes=9
`))
	if err != nil || q.Directives != 5 || q.Nodes != 4 || q.Tasks != 16 || q.Name != "ocean" || q.App != "ocean" ||
		q.Size != "L" || q.LimitS == nil || *q.LimitS != 93840 || q.MemoryBytes == nil || *q.MemoryBytes != 6<<30 {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err := ReadScript(strings.NewReader("#!/bin/sh\nls\n")); err != nil || q.Directives != 0 || q.LimitS != nil {
		t.Errorf("%+v, %v", q, err)
	}
}

// Scripts in other people's habits. What sbatch of Slurm 22.05 makes of the same lines is compared on a real
// cluster by TestScriptsAsSbatchReadsThem of packaging/testcluster.
func TestScriptHabits(t *testing.T) {
	for script, want := range map[string]string{
		"#SBATCH -N2 -n 8 -t 1-12":                           "2 8 129600  0",
		"#SBATCH --time=90\ntrue\n#SBATCH -N3":               "0 0 5400  0",
		"#SBATCH\t-J\t\"two words\"\t-N\t2":                  "2 0 0 two words 0",
		"#SBATCH -J a#b -N2":                                 "0 0 0 a 0",
		"#SBATCH -J a\\#b -N2":                               "2 0 0 a#b 0",
		"#SBATCH -N2 \\\n#SBATCH -n 8":                       "2 8 0  0",
		"#SBATCH-N2":                                         "2 0 0  0",
		" #SBATCH -N2":                                       "0 0 0  0",
		"#SBATCH -J -N2":                                     "0 0 0 -N2 0",
		"#SBATCH --exclusive -N2 -J x":                       "2 0 0 x 0",
		"#SBATCH -A science --qos high -N 2":                 "2 0 0  0",
		"#SBATCH -Hn4 -sN2":                                  "2 4 0  0",
		"#SBATCH --nodes 1k":                                 "1024 0 0  0",
		"#SBATCH -N 2 --ntasks-per-node=3":                   "2 6 0  0",
		"#SBATCH --mem-per-cpu=100 -n4 -N2 -c 3":             "2 4 0  600",
		"#SBATCH --mem=1G --mem-per-cpu=50M":                 "0 0 0  50",
		"#SBATCH --mem-per-cpu=50M --mem 2000MB":             "0 0 0  2000",
		"#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -N2 -n2":       "0 1 0  0",
		"#SBATCH -N2 -t 5 # two nodes\r\n#SBATCH -n 4\r":     "2 4 300  0",
		"\n  \n# text\n#SBATCH --nodes=2-4 --time=UNLIMITED": "2 0 0  0",
	} {
		q, err := ReadScript(strings.NewReader("#!/bin/sh\n" + script + "\n"))
		limit, memory := 0.0, 0.0
		if q.LimitS != nil {
			limit = *q.LimitS
		}
		if q.MemoryBytes != nil {
			memory = *q.MemoryBytes / (1 << 20)
		}
		if got := fmt.Sprintf("%d %d %g %s %g", q.Nodes, q.Tasks, limit, q.Name, memory); err != nil || got != want ||
			!q.Interpreter || q.DOSLineEnds != strings.Contains(script, "\r") ||
			q.Heterogeneous != strings.Contains(script, "hetjob") {
			t.Errorf("%q: %s, want %s; %+v, %v", script, got, want, q, err)
		}
	}
}

func TestRequestedTime(t *testing.T) {
	for text, want := range map[string]float64{"30": 1800, "1:30": 120, "1:08": 120, "1-": 86400, "2:00:00": 7200,
		"1-12": 129600, "1-12:30": 131400,
		"0": 0, "": 0, "x": 0, "1:2:3:4": 0, "-5": 0, "UNLIMITED": 0, "99999999999": 0} {
		got := parseRequestedTime(text)
		if (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func FuzzReadScript(f *testing.F) {
	f.Add("#SBATCH --time=1-02:03:04 -N4 --mem=6G\nsrun x\n")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ReadScript(strings.NewReader(text))
		if err == nil && (q.Nodes < 0 || q.Tasks < 0 || q.LimitS != nil && !(*q.LimitS > 0) ||
			strings.ContainsAny(q.Name+q.App+q.Size, "\n\x1b")) {
			t.Errorf("%+v", q)
		}
	})
}
