package slurm

import (
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// What sacct prints with sacctFields: a requeued job, one that runs, one that never
// began, and lines of something else.
const sacctLines = `17|1000|1790000000|1790000050|REQUEUED|0:0|100|n[1-2]|alice
17|1000|1790000200|1790000260|TIMEOUT|0:0|100|n[1-2]|alice
18|1001|1790000000|1790000010|CANCELLED by 1001|0:15|100|n[1-2]|alice
19|1001|1790000000|Unknown|RUNNING|0:0|100|n[1-2]|alice
20|1001|Unknown|1790000010|CANCELLED by 0|0:0|100|n[1-2]|alice
sacct: error: something
17|1000|1790000200|1790000100|COMPLETED|0:0|100|n[1-2]|alice
17|x|1790000200|1790000260|COMPLETED|0:0|100|n[1-2]|alice
21|99999999999|1790000200|1790000260|COMPLETED|0:0|100|n[1-2]|alice
17|1000|1790000200|1790000260|COMPLETED|0:0|more
`

func TestFromSacct(t *testing.T) {
	list := parseSacct([]byte(sacctLines))
	if len(list) != 3 || list[0].State != "REQUEUED" || list[1].State != "TIMEOUT" || list[2].State != "CANCELLED" ||
		*list[2].Exit != (run.Exit{Signal: 15}) ||
		list[1].GID != 100 || list[1].NodeList != "n[1-2]" {
		t.Fatalf("%+v", list)
	}
}

// A run is found by id, user and start.
func TestEndingOf(t *testing.T) {
	list := parseSacct([]byte(sacctLines +
		"17|1001|1790000200|1790000260|FAILED|1:0|100|n1|alice\n17|1000|1780000000|1780000260|COMPLETED|0:0|100|n1|alice\n"))
	at := func(s int64) *int64 { return &s }
	for name, c := range map[string]struct {
		id             run.JobID
		uid            int
		start          float64
		schedulerStart *int64
		want           string
	}{
		"as the scheduler reported":       {17, 1000, 1790000230, at(1790000200), "TIMEOUT"},
		"reported for another start":      {17, 1000, 1790000200, at(1790000100), ""},
		"near in time":                    {17, 1000, 1790000203.5, nil, "TIMEOUT"},
		"the run before it":               {17, 1000, 1790000001, nil, "REQUEUED"},
		"requeued at once":                {17, 1000, 1790000170, nil, ""},
		"another user's":                  {17, 1001, 1790000201, nil, "FAILED"},
		"of no known user":                {17, 1002, 1790000201, nil, ""},
		"another id":                      {16, 1000, 1790000201, nil, ""},
		"the id before it was reused":     {17, 1000, 1780000002, nil, "COMPLETED"},
		"long after all of the same user": {17, 1000, 1790009000, nil, ""},
	} {
		got := ""
		if e := job.EndingOf(list, c.id, c.uid, c.start, c.schedulerStart); e != nil {
			got = e.State
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A state is reported only if it is certain.
func TestFinal(t *testing.T) {
	for _, c := range []struct{ state, reason, want string }{
		{"COMPLETING", "None", ""},
		{"COMPLETING", "NonZeroExitCode", ""},
		{"COMPLETING", "TimeLimit", "TIMEOUT"},
		{"COMPLETING", "NodeDown", "NODE_FAIL"},
		{"COMPLETING", "OutOfMemory", "OUT_OF_MEMORY"},
		{"PENDING", "NodeDown", ""},
		{"NODE_FAIL", "NodeDown", "NODE_FAIL"},
		{"BOOT_FAIL", "", "BOOT_FAIL"},
		{"COMPLETED", "None", "COMPLETED"},
		{"RUNNING", "TimeLimit", ""},
		{"", "", ""},
	} {
		if got := finalStateOf(c.state, c.reason); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.state, c.reason, got, c.want)
		}
	}
}

// scontrol's answer is an ending once the job is over.
func TestEndingOfScontrol(t *testing.T) {
	if e, ok := parseScontrol([]byte(scontrolLine), 17).Ending(17); ok {
		t.Errorf("over while its Epilogs run: %+v", e)
	}
	line := strings.NewReplacer("COMPLETING", "TIMEOUT", "StartTime=2026-11-20T06:34:51", "StartTime=1790000000",
		"EndTime=2026-11-20T06:34:55", "EndTime=1790000060").Replace(scontrolLine)
	e, ok := parseScontrol([]byte(line), 17).Ending(17)
	if !ok || e.JobID != 17 || e.UID != 1000 || e.Start != 1790000000 || e.End != 1790000060 || e.State != "TIMEOUT" ||
		e.Exit.Signal != 15 {
		t.Errorf("%+v, %v", e, ok)
	}
}

func FuzzFromSacct(f *testing.F) {
	f.Add([]byte(sacctLines))
	f.Add([]byte("1|0|0|0|FAILED by|:"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, e := range parseSacct(b) {
			if e.JobID < 0 || e.UID < 0 || e.Start < 0 || e.End < e.Start || !isFinalState(e.State) {
				t.Fatalf("%+v", e)
			}
		}
	})
}
