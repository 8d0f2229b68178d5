package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/agent/peek"
	"jobgait/agent/stack"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	stacks "jobgait/reports/stack"
	"jobgait/reports/text"
)

// stackOptions are the flags of `jobgait stack`.
type stackOptions struct {
	json, node bool
	getenv     func(string) string
}

// stackCommand returns the verb stack.
func stackCommand(getenv func(string) string) *cobra.Command {
	o := stackOptions{getenv: getenv}
	c := &cobra.Command{
		Use:   "stack [JOBID|PID|DIR]",
		Short: "show the function that each task of a running job executes",
		Long: "stack shows what the tasks of a running job are executing: which tasks wait in\n" +
			"MPI, and where they called it, and which do something else. Tasks with the same\n" +
			"call stack form one group, the largest first; a star marks groups that differ\n" +
			"from the others. The number of a task is its rank in MPI, otherwise its number\n" +
			"in the step. Line numbers are shown for programs built with -g; a function of a\n" +
			"stripped program is shown as its library and address. Functions of Python are\n" +
			"shown for CPython 3.13 only, and inlined functions are not shown.\n\n" +
			"A number is the id of a job of this machine, otherwise of a process, which is\n" +
			"shown with all its descendants, otherwise of a job of other nodes. A directory\n" +
			"is one that contains live.json. Without an argument it shows your newest run on\n" +
			"this machine. A job of several nodes is read on all of them by one step of\n" +
			fmt.Sprintf("srun, within %.0f seconds; a note names the nodes that gave no answer.\n\n", stepLimit.Seconds()) +
			"Each thread is stopped for about a millisecond, on a busy machine for up to 20.\n" +
			"The effects are those of a debugger: epoll_wait and a few other system calls\n" +
			"return EINTR, and a write, send or receive that has moved a part of its bytes\n" +
			"returns their number.\n" +
			"Processes that a debugger holds and suspended jobs are not touched. The setting\n" +
			"agent.stack limits what is shown. Only root reads the jobs of others; if\n" +
			"kernel.yama.ptrace_scope is set, only root reads any job.\n\n" +
			"Exit status: 0 stacks were read, 1 there is no such job or it is not yours.",
		Args: argCount(0, 1, "at most one job, process or directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			what := ""
			if len(args) > 0 {
				what = args[0]
			}
			return o.stack(cmd.Context(), what, cmd.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print JSON (jobgait.stack/1)")
	c.Flags().BoolVar(&o.node, "node", false, "print the stacks of one node of a job")
	_ = c.Flags().MarkHidden("node") // it exists
	return c
}

// nodeStacks are the stacks of the tasks of one node.
type nodeStacks struct {
	Node  string       `json:"node"`
	JobID *int64       `json:"job_id"`
	Tasks []stack.Task `json:"tasks"`
	Notes []note.Note  `json:"notes"`
}

// stack prints the stacks of a job's processes, on this machine or on all its nodes.
func (o stackOptions) stack(ctx context.Context, what string, out io.Writer) error {
	cfg, err := settings(o.getenv)
	if err != nil {
		return err
	}
	detail := stack.DetailLevel(cfg.Agent.Stack)
	if detail == stack.NoStacks {
		return errors.New(`call stacks are disabled: the site's settings have agent.stack = "off"`)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM) // they end the step on the job's nodes too
	defer stop()
	read, err := o.read(ctx, what, detail)
	if err != nil {
		return err
	}
	if o.node {
		return writeNodeAnswer(out, read)
	}
	m := stacks.Merge(read.JobID, time.Now(), read.Tasks, read.Notes)
	if o.json {
		return text.JSONError("the call stacks", json.NewEncoder(out).Encode(m))
	}
	_, err = io.WriteString(out, stacks.Text(m))
	return err
}

// read reads the stacks of the processes that the argument names: of a job that runs on other nodes too by one step
// on all of them, of all others on this machine.
func (o stackOptions) read(ctx context.Context, what string, detail stack.DetailLevel) (nodeStacks, error) {
	chosen, err := o.choose(what)
	id, known := chosen.scheduled, chosen.scheduled > 0
	var over errOver
	if n, isNumber := positiveNumber(what); isNumber && errors.As(err, &over) {
		id, known = run.JobID(n), true
	}
	if o.node || !known {
		return o.stacksHere(ctx, chosen, err, detail)
	}
	step, failed := o.stepOnAllNodes(ctx, id)
	switch {
	case failed == nil && (err != nil || len(step.Nodes) > 1):
		return stacksOfStep(ctx, id, step)
	case err != nil && !processExists(id) && !errors.Is(failed, job.ErrNoSteps) && !errors.Is(failed, job.ErrUnknown):
		return nodeStacks{}, errOver{err.Error() + "; " + failed.Error()}
	}
	here, err := o.stacksHere(ctx, chosen, err, detail)
	if failed != nil && !errors.Is(failed, job.ErrUnknown) {
		here.Notes = append(here.Notes, note.New(note.StackNodes, "only the tasks of this node are shown: %v",
			job.Cause(failed)))
	}
	return here, err
}

// stacksHere reads the stacks of the chosen processes of this machine, apart from those that this command started.
// failed is the error of choosing them; stacksHere returns it if it is not nil.
func (o stackOptions) stacksHere(ctx context.Context, chosen chosenProcesses, failed error, detail stack.DetailLevel) (
	nodeStacks, error,
) {
	if failed != nil {
		return nodeStacks{}, failed
	}
	node := scheduler.NodeOf(o.getenv)
	if node == "" {
		node, _ = os.Hostname() // "" is no name
	}
	agent := o.program("jobgait-agent")
	account, err := chosen.account(ctx)
	if err != nil {
		return nodeStacks{}, err
	}
	own := stack.Descendants("/proc", os.Getpid())
	pids := slices.DeleteFunc(chosen.pids, func(pid int) bool { return slices.Contains(own, pid) })
	c := stack.Collection{Program: agent, Account: account, PIDs: pids, Detail: detail, For: stack.CopyFor}
	tasks, notes, err := c.Tasks(ctx, node)
	if err != nil {
		return nodeStacks{}, err
	}
	return nodeStacks{Node: node, JobID: chosen.jobID, Tasks: append([]stack.Task{}, tasks...), Notes: notes}, nil
}

// chosenProcesses are the processes that the argument names.
type chosenProcesses struct {
	jobID *int64
	pids  []int
	what  string
	// scheduled is the job if a scheduler started it, which may have given it other nodes too, else 0.
	scheduled run.JobID
}

// account returns the owner of the processes: the caller, or if root calls, the first owner who is not root, else root.
// It returns an error if all processes have ended, or if the caller is not root and one belongs to another user.
func (c chosenProcesses) account(ctx context.Context) (as.Account, error) {
	alive, found := false, as.Account{}
	for _, pid := range c.pids {
		uid, gid, ok := stack.Owner("/proc", pid)
		if !ok {
			continue
		}
		alive = true
		if uid == stack.NoUser {
			continue // a setuid program: the copier leaves it alone
		}
		if os.Geteuid() != 0 && int(uid) != os.Getuid() {
			return as.Account{}, errOver{c.what + " belongs to another user: name a job or process of yours"}
		}
		if found.UID == 0 {
			found = as.Account{UID: uid, GID: gid}
		}
	}
	switch {
	case !alive:
		return as.Account{}, errOver{c.what + " has ended: name a running one"}
	case os.Geteuid() != 0:
		return as.Self(), nil
	}
	within, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	return as.ForJob(within, found.UID, found.GID), nil
}

// choose returns the processes that what names: those of a run of `jobgait run` on this machine, else those of a
// scheduler's job, else a process with its descendants. what is an id, a directory, or "" for the newest run.
func (o stackOptions) choose(what string) (chosenProcesses, error) {
	w := watchOptions{getenv: o.getenv}
	id, isNumber := positiveNumber(what)
	path, err := w.find(what)
	var s live.State
	if err == nil {
		s, err = live.Read(path)
	}
	switch {
	case err == nil && s.Command > 0 && s.JobID != id && isNumber && int(id) != parentOf(s.Command):
		// a process of a run: that process alone and what descends from it
	case err == nil && s.Command > 0 && (s.Alive() || !isNumber):
		return chosenProcesses{jobID: &s.JobID, pids: stack.Descendants("/proc", s.Command), what: "the run"}, nil
	case err == nil && !isNumber:
		id, isNumber = s.JobID, true
	case err != nil && !isNumber:
		return chosenProcesses{}, err
	}
	if pids := o.jobProcesses(run.JobID(id)); len(pids) > 0 {
		return chosenProcesses{jobID: &id, pids: pids, what: fmt.Sprintf("job %d", id), scheduled: run.JobID(id)}, nil
	}
	if o.node {
		return chosenProcesses{}, errOver{fmt.Sprintf("job %d has no process on this node", id)}
	}
	switch owner, isProcess := processOwner(id); {
	case isProcess && os.Geteuid() != 0 && int(owner) != os.Getuid():
		return chosenProcesses{}, errOver{fmt.Sprintf("process %d belongs to another user: name a job or process of yours",
			id)}
	case isProcess:
		return chosenProcesses{pids: stack.Descendants("/proc", int(id)), what: fmt.Sprintf("process %d", id)}, nil
	}
	return chosenProcesses{}, errOver{fmt.Sprintf("no running job or process %d of yours is known: name one", id)}
}

// processOwner returns the owner of the process with this id; false if it has ended, and for this command's own
// process and the numbers of threads, which can be the numbers of jobs on other nodes.
func processOwner(id int64) (owner uint32, ok bool) {
	pid := int(id)
	if int64(pid) != id || pid == os.Getpid() || !stack.IsProcess("/proc", pid) {
		return 0, false
	}
	owner, _, ok = stack.Owner("/proc", pid)
	return owner, ok
}

// processExists reports whether a process here has this number.
func processExists(id run.JobID) bool {
	_, ok := processOwner(int64(id))
	return ok
}

// parentOf returns the id of the parent process, 0 if it is unknown.
func parentOf(pid int) int {
	parent, err := job.ParentOf(pid)
	if err != nil {
		return 0
	}
	return parent
}

// program returns the path of a program of this installation.
func (o stackOptions) program(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}

// maxListTime limits the time in which the processes of a job are found on a busy machine.
const maxListTime = 5 * time.Second

// jobProcesses returns the processes of a scheduler's job on this machine, without the scheduler's own programs. It
// finds them by their cgroup or their slurmstepd, and those of the caller by their environment too.
func (o stackOptions) jobProcesses(id run.JobID) []int {
	r := job.Run{Key: run.Key{JobID: id}, Node: scheduler.NodeOf(o.getenv)}
	r.Job.UID = os.Getuid()
	child := peek.NewChild(o.program("jobgait-agent"), as.Self())
	defer child.Close()
	reader := peek.PatientReader{Reader: child, Until: time.Now().Add(maxListTime)}
	of := scheduler.ForRun(r)
	var pids []int
	for _, pid := range job.NewMembers("/proc", reader, r, of).List() {
		if of.IsSchedulerProgram(peek.ProgramOf(reader, pid)) {
			continue
		}
		pids = append(pids, pid)
	}
	return pids
}
