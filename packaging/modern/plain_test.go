package modern

import (
	"fmt"
	"strings"
	"testing"
)

// started is a command that signals to the test that the job's program begins; see job.runs.
const started = "touch started; "

// TestJobs runs jobs of many kinds, several at a time, then those that need the cluster for themselves, and
// then checks what is left.
func TestJobs(t *testing.T) {
	c := use(t)
	c.idle(t)
	t.Run("together", func(t *testing.T) {
		for _, x := range []kind{
			{"exclusive", exclusive}, {"shared", sharedNode}, {"timed out", timedOut}, {"memory", outOfMemory},
			{"requeued", requeued},
			{"cancelled", cancelled}, {"suspended", suspended}, {"mpi", mpi}, {"steps", steps}, {"array", array},
			{"failing", failing},
		} {
			t.Run(x.name, func(t *testing.T) { t.Parallel(); x.test(t, c) })
		}
	})
	for _, x := range []kind{
		{"slurmd restarted", slurmdRestarted}, {"upgraded", upgraded}, {"power cut", powerCut}, {"tmpfs", jobContainer},
		{"run in job", runInJob},
		{"history", func(t *testing.T, c *cluster) { c.checkHistory(t) }}, {"left", leftBehind},
	} {
		t.Run(x.name, func(t *testing.T) { x.test(t, c) })
	}
}

// kind is a kind of job, or a check after the jobs.
type kind struct {
	name string
	test func(*testing.T, *cluster)
}

// Two minutes, because an emulated agent reads the values of an exclusive node only once a second: CPU time
// before the first reading is reported, CPU time after the last one is not, and of a job of 40 s that was 5 to
// 7 %.
func exclusive(t *testing.T, c *cluster) {
	j := c.submit(t, "alice", "exclusive", started+"gait 120 500; stepd-cpu", "-p alone -N1 -w n1")
	j.runs(t, 10)
	j.outside(t, c.n1())
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
}

// Two users on one node: each report contains only its own job's values.
func sharedNode(t *testing.T, c *cluster) {
	a := c.submit(t, "alice", "shared 1", started+"gait 40 500; stepd-cpu", "-n1 -w n2")
	b := c.submit(t, "bob", "shared 2", started+"gait 60 400; stepd-cpu", "-n1 -w n2")
	b.runs(t, 10)
	b.outside(t, c.n2())
	a.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
	b.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
}

func array(t *testing.T, c *cluster) {
	j := c.submit(t, "alice", "array",
		"gait 30 500; mkdir $SLURM_ARRAY_TASK_ID; SLURM_SUBMIT_DIR+=/$SLURM_ARRAY_TASK_ID stepd-cpu",
		"-n1 --array=1-2 -o %A_%a.out")
	for task := 1; task <= 2; task++ {
		element := j
		element.name = fmt.Sprintf("array element %d", task)
		element.dir += fmt.Sprintf("/%d", task) // where its stepd-cpu is
		id := fmt.Sprintf("%s_%d", j.id, task)
		element.judge(t, want{id: id, base: j.dir + "/jobgait-" + j.id + "/jobgait-" + id, state: "COMPLETED", nodes: 1,
			app: "gait"})
	}
}

func steps(t *testing.T, c *cluster) {
	j := c.submit(t, "bob", "srun steps", started+
		"srun -n1 sh -c 'gait 20 500; stepd-cpu'; srun -n2 sh -c 'gait 20 500; stepd-cpu'; stepd-cpu", "-N1 -n2")
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
}

func mpi(t *testing.T, c *cluster) {
	j := c.submit(t, "alice", "MPI by mpirun", started+"mpirun --mca btl tcp,self ring 40", "-N2 --ntasks-per-node=1")
	j.judge(t, want{state: "COMPLETED", nodes: 2, app: "ring", noCPU: "(three slurmstepd among it)"})
	name, step, app := "MPI by srun", "srun --mpi=pmix sh -c 'ring 40; stepd-cpu'", "ring"
	if !strings.Contains(c.n1().do(t, "srun --mpi=list 2>&1 || true"), "pmix") {
		// Slurm 26.05 of Debian unstable is packaged without the plugin that Open MPI 5 needs.
		name, step, app = "srun over two nodes without PMIx", "srun sh -c 'gait 40 500; stepd-cpu'", "gait"
	}
	j = c.submit(t, "bob", name, started+step+"; stepd-cpu", "-N2 --ntasks-per-node=1")
	j.judge(t, want{state: "COMPLETED", nodes: 2, app: app})
}

func failing(t *testing.T, c *cluster) {
	j := c.submit(t, "bob", "failing", "gait 30 500; stepd-cpu; exit 3", "-n1")
	j.judge(t, want{state: "FAILED", nodes: 1, app: "gait"})
}

func cancelled(t *testing.T, c *cluster) {
	j := c.submit(t, "bob", "cancelled", started+"gait 600 500", "-n1")
	j.runs(t, 30)
	c.n1().do(t, "scancel "+j.id)
	j.judge(t, want{state: "CANCELLED", nodes: 1, app: "gait", killed: true})
}

func timedOut(t *testing.T, c *cluster) {
	j := c.submit(t, "alice", "timed out", started+"gait 600 500", "-n1 -t 1")
	j.judge(t, want{state: "TIMEOUT", nodes: 1, app: "gait", killed: true})
}

func outOfMemory(t *testing.T, c *cluster) {
	j := c.submit(t, "bob", "out of memory", started+"gait 20 500; tail /dev/zero", "-n1 --mem=120M")
	j.judge(t, want{state: "OUT_OF_MEMORY", nodes: 1, killed: true})
}

// Two runs of one job id, each with its report. sacct's CPU time is the second's.
func requeued(t *testing.T, c *cluster) {
	j := c.submit(t, "alice", "requeued", `if [ "${SLURM_RESTART_COUNT:-0}" = 0 ]; then `+started+
		`gait 600 500; else gait 30 500; stepd-cpu; fi`, "-n1 --requeue -o out")
	j.runs(t, 15)
	// slurmd runs no Prolog for a job that it still remembers, some 30 s.
	c.n1().do(t, "scontrol requeue "+j.id+"; scontrol update JobId="+j.id+" StartTime=now+60")
	j.wait(t, "COMPLETED")
	first, found := j.read(t, j.base(), jobLimit)
	j.row(t, "first report", "REQUEUED", first.Job.Ended,
		differs(!found || first.exit() == "0:0", "no report, or a good end"))
	j.judge(t, want{base: j.base() + ".r1", state: "COMPLETED", nodes: 1, app: "gait", restart: 1})
}

// A suspended job does nothing, which must not be reported as slowness of the job.
func suspended(t *testing.T, c *cluster) {
	j := c.submit(t, "bob", "suspended", started+"gait 60 500; stepd-cpu", "-n1")
	j.runs(t, 15)
	c.n1().do(t, "scontrol suspend "+j.id+"; sleep 20; scontrol resume "+j.id)
	j.judge(t, want{state: "COMPLETED", nodes: 1, app: "gait"})
	told := c.n1().do(t, "grep -i -m 3 suspend "+j.base()+".txt || true")
	j.row(t, "reported", "20 s suspended", told, differs(told == "", "the suspension is not reported"))
}
