package job

import (
	"fmt"
	"strconv"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// JobFacts says who ran what, where and when, and how the run ended.
type JobFacts struct {
	ID          string    `json:"id"` // as sacct spells it: 123 or 123_7
	JobID       run.JobID `json:"job_id"`
	Cluster     string    `json:"cluster"`
	Restart     int       `json:"restart"`
	SubRun      *int      `json:"sub_run"` // the k-th `jobgait run` inside a job
	SLUID       Word      `json:"sluid"`
	Name        Word      `json:"name"`
	User        Word      `json:"user"`
	Account     Word      `json:"account"`
	Partition   Word      `json:"partition"`
	QOS         Word      `json:"qos"`
	Executable  Word      `json:"executable"`
	Script      Word      `json:"script"` // the script that Executable interprets
	App         Word      `json:"app"`
	Size        Word      `json:"size"`
	NNodes      int       `json:"nnodes"`
	NodeList    Word      `json:"node_list"`
	NTasks      *int      `json:"ntasks"`
	NCPUs       *int      `json:"ncpus"`
	CPUsPerTask *int      `json:"cpus_per_task"`
	WorkDir     Word      `json:"work_dir"`
	// Threads is the value of OMP_NUM_THREADS, 0 where it was not set.
	Threads int `json:"omp_num_threads,omitempty"`

	Start       string  `json:"start"`
	StartEpochS float64 `json:"start_epoch_s"`
	End         string  `json:"end"`
	EndEpochS   float64 `json:"end_epoch_s"`
	ElapsedS    float64 `json:"elapsed_s"`
	// SuspendedS is the part of ElapsedS in which the job was suspended.
	SuspendedS float64 `json:"suspended_s,omitempty"`
	ExitCode   *int    `json:"exit_code"`
	ExitSignal *int    `json:"exit_signal"`
	State      Word    `json:"state"`
	// Ended says in words how the run ended. It says COMPLETED only if the scheduler did.
	Ended string `json:"ended"`
}

// threads returns the first number of OMP_NUM_THREADS, that of the outermost level; 0 if it is invalid.
func threads(list string) int {
	first, _, _ := strings.Cut(list, ",")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// newJob returns the facts of the run's job.
func newJob(s summary.Summary) JobFacts {
	j := s.Job
	out := JobFacts{
		ID: s.DisplayID(), JobID: s.Key.JobID, Cluster: s.Key.Cluster, Restart: s.Key.Restart, SLUID: Word(s.Key.SLUID),
		Name: Word(j.Name), User: Word(j.User), Account: Word(j.Account), Partition: Word(j.Partition), QOS: Word(j.QOS),
		Executable: Word(j.Executable), Script: Word(j.Script), App: Word(j.App), Size: Word(j.Size),
		NNodes: max(j.NNodes, len(s.Nodes)), NodeList: Word(j.NodeList), NTasks: j.NTasks, NCPUs: j.NCPUs,
		CPUsPerTask: j.CPUsPerTask, WorkDir: Word(j.WorkDir), Threads: threads(j.Fields[run.FieldThreads]),
		Start: stamp(s.Start), StartEpochS: s.Start, End: stamp(s.End), EndEpochS: s.End,
		ElapsedS: s.ElapsedS, SuspendedS: s.SuspendedS, State: Word(s.State), Ended: ended(s),
	}
	if s.Key.Sub > 0 {
		out.SubRun = &s.Key.Sub
	}
	if s.Exit != nil {
		out.ExitCode, out.ExitSignal = &s.Exit.Code, &s.Exit.Signal
	}
	return out
}

// ended says how the run ended: the scheduler's state if it is known, then the signal or the exit code and what that
// usually means. For NODE_FAIL, BOOT_FAIL and OUT_OF_MEMORY it leaves these out, because the scheduler makes them up.
// Without state, signal and exit code it says that this is not known, or that the run was requeued.
func ended(s summary.Summary) string {
	var text string
	switch e := s.Exit; {
	case s.State == "NODE_FAIL", s.State == "BOOT_FAIL": // Slurm makes up the exit code of these
		return s.State + ", a node of the job failed"
	case s.State == "OUT_OF_MEMORY": // Slurm marks it with signal 125
		return s.State
	case e == nil && s.State != "":
		return s.State
	case e == nil:
		text = "how it ended is not known"
		for _, n := range s.Notes {
			switch n.Code {
			case note.Requeued:
				return "requeued: " + n.Text
			case note.NoScheduler:
				text += ": " + n.Text
			}
		}
		return text
	case e.Signal == 15 && s.State != "" && s.State != "COMPLETED":
		return s.State + ", ended by signal 15" // the state says who sent it
	case e.Signal > 0:
		text = fmt.Sprintf("ended by signal %d (%s)", e.Signal, signalMeaning(e.Signal, s.Key.Cluster))
	default:
		text = fmt.Sprintf("exit code %d", e.Code)
		if why := exitMeaning(e.Code); why != "" {
			text += " (" + why + ")"
		}
	}
	if s.State != "" {
		return s.State + ", " + text
	}
	return text
}

// exitMeaning says what shells and timeout(1) mean by an exit code, "" for a code that they do not define. A
// program may use any of them for something else.
func exitMeaning(code int) string {
	switch {
	case code == 124:
		return "perhaps timeout ended it at its limit"
	case code == 126:
		return "perhaps a command that cannot be executed"
	case code == 127:
		return "perhaps a command that was not found"
	case code > 128 && code <= 128+64:
		signal := code - 128
		text := fmt.Sprintf("128 + %d: perhaps signal %d", signal, signal)
		if name, ok := signalName(signal); ok {
			text += ", " + name
		}
		return text
	}
	return ""
}

// signalMeaning says what usually sends a signal, or else returns the signal's name. Under a scheduler, signals 15 and
// 9 come from it, and cancellation cannot be distinguished from a time limit. Slurm also reports signal 1 to the
// Epilogs of a job that lost a node, and signal 125 to those of a job that ran out of memory.
func signalMeaning(signal int, cluster string) string {
	scheduled := !strings.HasPrefix(cluster, run.LocalCluster)
	switch {
	case signal == 15 && scheduled:
		return "cancelled or time limit"
	case signal == 9 && scheduled:
		return "killed: cancelled, time limit or memory"
	case signal == 1 && scheduled:
		return "hangup, or a node of the job failed"
	case signal == 125 && scheduled:
		return "out of memory"
	}
	if name, ok := signalName(signal); ok {
		return name
	}
	return "no common meaning"
}

// signalName returns the name of a signal in words, false for a signal without one.
func signalName(signal int) (string, bool) {
	names := map[int]string{1: "hangup", 2: "interrupt", 3: "quit", 4: "illegal instruction", 6: "abort",
		7: "bus error", 8: "arithmetic error", 9: "killed", 10: "user signal 1", 11: "segmentation fault",
		12: "user signal 2", 13: "broken pipe", 14: "alarm", 15: "terminated", 24: "CPU time limit", 25: "file size limit"}
	name, ok := names[signal]
	return name, ok
}

// elapsed prints how long the job took, and how long without suspension.
func (j JobFacts) elapsed() string {
	if j.SuspendedS <= 0 {
		return quantity.Duration(j.ElapsedS)
	}
	return fmt.Sprintf("%s (%s without suspension)", quantity.Duration(j.ElapsedS),
		quantity.Duration(max(0, j.ElapsedS-j.SuspendedS)))
}

// size says on how many nodes and CPUs the run ran: "4 nodes x 64 CPUs", or "4 nodes, 130 CPUs" if the CPUs are not the
// same number on each node.
func (j JobFacts) size() string {
	nodes := quantity.Plural(j.NNodes, "node")
	switch {
	case j.NCPUs == nil || *j.NCPUs < 1:
		return nodes
	case j.NNodes > 0 && *j.NCPUs%j.NNodes == 0:
		return nodes + " x " + quantity.Plural(*j.NCPUs/j.NNodes, "CPU")
	}
	return nodes + ", " + quantity.Plural(*j.NCPUs, "CPU")
}

// label returns the run's name in a heading: "Job 123", followed by " (restart 1)" and " (run 2)" where these apply.
func (j JobFacts) label() string {
	l := "Job " + j.ID
	if j.Restart > 0 {
		l += fmt.Sprintf(" (restart %d)", j.Restart)
	}
	if j.SubRun != nil {
		l += fmt.Sprintf(" (run %d)", *j.SubRun)
	}
	return l
}
