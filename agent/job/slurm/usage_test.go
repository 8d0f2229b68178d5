package slurm

import (
	"errors"
	"strings"
	"testing"

	"jobgait/agent/job"
)

// accounted is what sacct 22.05 and 24.11 print of a job of two nodes, in which a step used most memory.
const accounted = `8|8|c1|alice|staff|CANCELLED by 1000|0:15|2|4|3723|01:02:03|cpu=4,mem=4G,node=2|4G||||JG1:x|y
8.batch|8.batch|c1|||COMPLETED|0:0|1|2|3723|00:00:03|cpu=2,mem=2G,node=1||cpu=00:00:03,mem=2048K|mem=2048K|mem=2048K|
8.0|8.0|c1|||COMPLETED|0:0|2|4|3700|01:02:00|cpu=4,mem=4G,node=2||cpu=01:02:00,mem=1610612736|mem=1073741824|mem=768M|
9.0|9.0|c1|||COMPLETED|0:0|2|4|3700|01:02:00|cpu=4,mem=4G,node=2||cpu=01:02:00,mem=3G|||
`

func TestUsageOfSacct(t *testing.T) {
	u, err := usageFromSacct([]byte(accounted))
	if err != nil || u.JobID != 8 || u.ArrayID != "" || u.Cluster != "c1" || u.User != "alice" || u.Group != "staff" ||
		u.State != "CANCELLED" || u.ExitCode == nil || *u.ExitCode != 0 || u.Nodes != 2 || u.CPUs != 4 ||
		u.ElapsedS != 3723 || u.CPUSeconds == nil || *u.CPUSeconds != 3723 || u.MemoryBytes == nil ||
		*u.MemoryBytes != 1.5*(1<<30) || u.TaskMaxBytes == nil || *u.TaskMaxBytes != 1<<30 || u.TaskMeanBytes == nil ||
		*u.TaskMeanBytes != .75*(1<<30) ||
		u.AllocatedBytes == nil || *u.AllocatedBytes != 4*(1<<30) || u.PerCPU || u.Comment != "JG1:x|y" {
		t.Errorf("%+v, %v", u, err)
	}
	task := strings.ReplaceAll(accounted, "8|8|", "8|7_1|")
	if u, err := usageFromSacct([]byte(task)); err != nil || u.ArrayID != "7_1" {
		t.Errorf("%+v, %v", u, err)
	}
	const never = "9|9|c1|alice|staff|CANCELLED by 1000|0:0|1|4|0|00:00:00||100M||||\n"
	if u, err := usageFromSacct([]byte(never)); err != nil || u.CPUs != 0 || u.Nodes != 0 || u.AllocatedBytes != nil {
		t.Errorf("a job that never started: %+v, %v", u, err)
	}
	for _, none := range []string{"", "x\n", "8.0|8.0|||||||||||||||\n"} {
		if u, err := usageFromSacct([]byte(none)); !errors.Is(err, job.ErrUnknown) {
			t.Errorf("%q: %+v, %v", none, u, err)
		}
	}
}

func TestSecondsOfSacct(t *testing.T) {
	for text, want := range map[string]float64{"00:01.500": 1.5, "01:00": 60, "01:02:03": 3723, "1-01:00:00": 90000, "": 0,
		"x": 0, "1:2:3:4": 0, "-1:00": 0, "1:-3": 0, "NaN:1": 0} {
		got := parseCPUTime(text)
		if (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func FuzzUsageOfSacct(f *testing.F) {
	f.Add([]byte(accounted))
	f.Fuzz(func(t *testing.T, out []byte) {
		u, err := usageFromSacct(out)
		if (err == nil) != (u.JobID > 0) || u.CPUSeconds != nil && *u.CPUSeconds < 0 || u.ElapsedS < 0 {
			t.Errorf("%+v, %v", u, err)
		}
	})
}
