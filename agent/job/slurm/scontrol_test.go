package slurm

import (
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
)

// What Slurm 22.05 prints of one array element, in an Epilog.
const scontrolLine = `JobId=17 ArrayJobId=15 ArrayTaskId=2 JobName=night run = 3 UserId=alice(1000) ` +
	`GroupId=alice(1000) MCS_label=N/A ` +
	`Priority=4294901758 Nice=0 Account=phys QOS=(null) JobState=COMPLETING Reason=NonZeroExitCode Dependency=(null) ` +
	`Requeue=1 Restarts=0 ` +
	`BatchFlag=1 Reboot=0 ExitCode=0:15 RunTime=00:00:04 TimeLimit=UNLIMITED TimeMin=N/A SubmitTime=2026-11-20T06:34:50 ` +
	`EligibleTime=2026-11-20T06:34:50 AccrueTime=2026-11-20T06:34:50 StartTime=2026-11-20T06:34:51 ` +
	`EndTime=2026-11-20T06:34:55 ` +
	`Partition=p AllocNode:Sid=vm:100 ReqNodeList=(null) ExcNodeList=(null) NodeList=n1 BatchHost=n1 NumNodes=1 ` +
	`NumCPUs=4 NumTasks=2 ` +
	`CPUs/Task=2 ReqB:S:C:T=0:0:*:* TRES=cpu=4,mem=1M,node=1 Command=/home/alice/my job.sh WorkDir=/home/alice/my dir ` +
	`StdErr=/home/alice/my dir/o-15_2.%N.out StdIn=/dev/null StdOut=/home/alice/my dir/o-15_2.%N.out Power= ` + "\n"

func TestFromScontrol(t *testing.T) {
	other := strings.Replace(scontrolLine, "JobId=17", "JobId=15", 1)
	d := parseScontrol([]byte(other+scontrolLine), 17)
	if d.Name != "night run = 3" || d.Account != "phys" || d.QOS != "" || d.Partition != "p" || d.State != "" || d.Over {
		t.Errorf("details %+v", d)
	}
	if *d.ArrayJobID != 15 || *d.ArrayTaskID != 2 || *d.NTasks != 2 || *d.CPUsPerTask != 2 || d.Exit.Code != 0 ||
		d.Exit.Signal != 15 {
		t.Errorf("numbers of %+v", d)
	}
	if d.WorkDir != "/home/alice/my dir" || d.StdOut != "/home/alice/my dir/o-15_2.%N.out" {
		t.Errorf("paths of %+v", d)
	}
	if want := time.Date(2026, 11, 20, 6, 34, 51, 0, time.Local).Unix(); *d.Start != want {
		t.Errorf("start %d, want %d", *d.Start, want)
	}
	for _, text := range []string{"", "slurm_load_jobs error: Invalid job id specified\n", other} {
		if d := parseScontrol([]byte(text), 17); d != (job.Details{}) {
			t.Errorf("%.40q gives %+v", text, d)
		}
	}
}

// A user who writes keys into the job name cannot change whose job it is.
func TestFromScontrolHostile(t *testing.T) {
	line := strings.Replace(scontrolLine, "JobName=night run = 3",
		"JobName=x JobId=1 ArrayJobId=99 StdOut=../../etc/passwd", 1)
	d := parseScontrol([]byte(line), 17)
	if d.ArrayJobID == nil || *d.ArrayJobID != 15 || d.StdOut != "" {
		t.Errorf("details %+v", d)
	}
	if d := parseScontrol([]byte(line), 1); d != (job.Details{}) {
		t.Errorf("found under another id: %+v", d)
	}
}

// A component of a heterogeneous job, as scontrol 22.05 prints it; a job name cannot declare one.
func TestScontrolHeterogeneousJob(t *testing.T) {
	d := parseScontrol([]byte("JobId=10 HetJobId=9 HetJobOffset=1 JobName=x HetJobId=7 UserId=alice(1000)\n"), 10)
	if d.HetJobID == nil || *d.HetJobID != 9 || d.HetOffset == nil || *d.HetOffset != 1 {
		t.Errorf("%+v", d)
	}
	d = parseScontrol([]byte("JobId=10 JobName=x HetJobId=7 HetJobOffset=1 ArrayJobId=3 ArrayTaskId=1\n"), 10)
	if d.HetJobID != nil || d.HetOffset != nil || d.ArrayJobID != nil {
		t.Errorf("the job's name declares %+v", d)
	}
}

// Where CPUs alone are counted no TRES has the memory that was requested (--mem, --mem-per-cpu).
func TestScontrolMemoryWithoutTRES(t *testing.T) {
	for line, want := range map[string]float64{
		"JobId=10 JobName=x NumNodes=2 NumCPUs=4 TRES=cpu=4,node=2,billing=4 MinMemoryNode=200M": 400 << 20,
		"JobId=10 JobName=x NumNodes=2 NumCPUs=4 TRES=cpu=4,node=2,billing=4 MinMemoryCPU=300M":  1200 << 20,
		"JobId=10 JobName=x NumNodes=1 NumCPUs=1 TRES=cpu=1,mem=1G,node=1 MinMemoryNode=5M":      1 << 30,
		"JobId=10 JobName=x NumNodes=1 NumCPUs=1 TRES=cpu=1,node=1 MinMemoryNode=0":              0,
	} {
		d := parseScontrol([]byte(line+"\n"), 10)
		if (want == 0) != (d.MemoryBytes == nil) || want > 0 && *d.MemoryBytes != want {
			t.Errorf("%s: %v, want %g", line, d.MemoryBytes, want)
		}
	}
}

func FuzzFromScontrol(f *testing.F) {
	f.Add([]byte(scontrolLine))
	f.Add([]byte("JobId=17 JobName== StdOut=%"))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := parseScontrol(b, 17)
		if d.StdOut != "" && !strings.HasPrefix(d.StdOut, "/") {
			t.Fatalf("stdout %q", d.StdOut)
		}
	})
}

// A user who writes an account, a user or a quality of service into the job name does not obtain it: if a key
// occurs twice, neither value is used.
func TestAccountInTheJobName(t *testing.T) {
	line := strings.Replace(scontrolLine, "JobName=night run = 3",
		"JobName=x UserId=bob(1001) Account=other QOS=gold Partition=big", 1)
	d := parseScontrol([]byte(line), 17)
	if d.Account != "" || d.QOS != "" || d.Partition != "" || d.UID != nil || d.Name != "x" {
		t.Errorf("details %+v", d)
	}
}
