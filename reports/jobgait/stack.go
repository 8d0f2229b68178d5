package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		Short: "show in which function each task of a running job is",
		Long: "stack shows what the tasks of a running job do now: which ones wait in MPI,\n" +
			"called from where, and which do something else. Tasks with the same call stack\n" +
			"are one group, the largest first; a star marks the groups that differ from the\n" +
			"others. A task's number is its rank in MPI, else its number in the step. Lines\n" +
			"are shown where the program was built with -g; a function of a stripped program\n" +
			"is its library and place. Inlined functions and Python's own are not seen.\n\n" +
			"A number is a job id, else a process id: that process and all that descend from\n" +
			"it. A directory is one that holds live.json. Without one the newest of your own\n" +
			"runs on this machine is meant. A job on other nodes is read there, by one step\n" +
			"of srun on all its nodes.\n\n" +
			"Each thread is stopped for about a millisecond, of which it notices nothing but\n" +
			"that epoll_wait and a few other system calls return EINTR, as under a debugger.\n" +
			"Processes that a debugger holds and suspended jobs are left alone. The setting\n" +
			"agent.stack limits what is shown. Only root reads the jobs of others; where\n" +
			"kernel.yama.ptrace_scope is set, only root reads any.\n\n" +
			"Exit status: 0 stacks were read, 1 there is no such job, or it is not yours.",
		Args: argCount(0, 1, "one job, process or directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			what := ""
			if len(args) > 0 {
				what = args[0]
			}
			return o.stack(cmd.Context(), what, cmd.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print JSON (jobgait.stack/1)")
	c.Flags().BoolVar(&o.node, "node", false, "print what a node contributes to the stacks of a job")
	_ = c.Flags().MarkHidden("node") // it exists
	return c
}

// nodeStacks is the result of one node, a line of JSON.
type nodeStacks struct {
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
	here, err := o.stacksHere(ctx, what, detail)
	if err != nil && !o.node {
		here, err = o.stacksElsewhere(ctx, what, err)
	}
	if err != nil {
		return err
	}
	if o.node {
		return json.NewEncoder(out).Encode(here)
	}
	m := stacks.Merge(here.JobID, time.Now(), here.Tasks, here.Notes)
	if o.json {
		return json.NewEncoder(out).Encode(m)
	}
	_, err = io.WriteString(out, stacks.Text(m))
	return err
}

// stacksHere reads the stacks of a job's processes on this machine. Processes that this command started are
// left out.
func (o stackOptions) stacksHere(ctx context.Context, what string, detail stack.DetailLevel) (nodeStacks, error) {
	chosen, err := o.choose(what)
	if err != nil {
		return nodeStacks{}, err
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
	return nodeStacks{JobID: chosen.jobID, Tasks: append([]stack.Task{}, tasks...), Notes: notes}, nil
}

// chosenProcesses are the processes that the argument names.
type chosenProcesses struct {
	jobID *int64
	pids  []int
	what  string
}

// account returns the owner of the processes: the caller, or if root calls, the first owner who is not root,
// else root.
func (c chosenProcesses) account(ctx context.Context) (as.Account, error) {
	alive, found := false, as.Account{}
	for _, pid := range c.pids {
		uid, gid, ok := stack.Owner("/proc", pid)
		if !ok {
			continue
		}
		alive = true
		if os.Geteuid() != 0 && int(uid) != os.Getuid() {
			return as.Account{}, errOver{fmt.Sprintf("process %d is not yours", pid)}
		}
		if found.UID == 0 {
			found = as.Account{UID: uid, GID: gid}
		}
	}
	switch {
	case !alive:
		return as.Account{}, errOver{c.what + " has ended"}
	case os.Geteuid() != 0:
		return as.Self(), nil
	}
	within, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	return as.ForJob(within, found.UID, found.GID), nil
}

// choose finds the processes of a job, of a run, or the descendants of a process.
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
		return chosenProcesses{jobID: &id, pids: pids, what: fmt.Sprintf("job %d", id)}, nil
	}
	if _, _, ok := stack.Owner("/proc", int(id)); ok && !o.node {
		return chosenProcesses{pids: stack.Descendants("/proc", int(id)), what: fmt.Sprintf("process %d", id)}, nil
	}
	return chosenProcesses{}, errOver{fmt.Sprintf("no job or process %d of yours is known here", id)}
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

// jobProcesses returns the processes of a scheduler's job on this machine. It finds them by their cgroup or
// their slurmstepd, and those of the caller by their environment too.
func (o stackOptions) jobProcesses(id run.JobID) []int {
	r := job.Run{Key: run.Key{JobID: id}, Node: scheduler.NodeOf(o.getenv)}
	r.Job.UID = os.Getuid()
	reader := peek.NewChild(o.program("jobgait-agent"), as.Self())
	defer reader.Close()
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

// stacksElsewhere reads the stacks of a job by running one job step on all its nodes. If what is no such job,
// or the step yields no stacks, it returns the error failed.
func (o stackOptions) stacksElsewhere(ctx context.Context, what string, failed error) (nodeStacks, error) {
	var over errOver
	id, isNumber := positiveNumber(what)
	if !isNumber || !errors.As(failed, &over) {
		return nodeStacks{}, failed
	}
	if _, err := os.Stat(filepath.Join("/proc", what)); err == nil {
		return nodeStacks{}, failed // a process of this machine
	}
	step := scheduler.StepOnAllNodes(o.getenv, run.JobID(id), o.program("jobgait"), "stack", "--node", what)
	if step == nil {
		return nodeStacks{}, failed
	}
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, step[0], step[1:]...)
	lines, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nodeStacks{}, failed
	}
	all := nodeStacks{JobID: &id}
	err = as.ReadAnswers(io.LimitReader(lines, as.MaxCollectAnswer), func(n nodeStacks) error {
		all.Tasks = append(all.Tasks, n.Tasks...)
		all.Notes = append(all.Notes, n.Notes...)
		return nil
	})
	err = errors.Join(err, cmd.Wait())
	if len(all.Tasks) == 0 {
		return nodeStacks{}, failed
	}
	if err != nil {
		all.Notes = append(all.Notes, note.New(note.StackNodes, "some nodes of the job gave no stacks"))
	}
	return all, nil
}
