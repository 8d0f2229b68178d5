package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/stack"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

const (
	// stepLimit is how long the step that reads the stacks on all nodes of a job may take: to start, to list the processes
	// of the job, and to read their stacks.
	stepLimit = 5*time.Second + maxListTime + stack.ReadingLimit
	// maxListedNodes limits the nodes that a message lists.
	maxListedNodes = 8
)

// stepOnAllNodes returns the step that reads the stacks of a job on all its nodes. Only root gets one for the job of
// another user.
func (o stackOptions) stepOnAllNodes(ctx context.Context, id run.JobID) (job.StepLaunch, error) {
	step, err := scheduler.StepOnAllNodes(ctx, o.getenv, id, o.program("jobgait"), "stack", "--node", id.String())
	if err == nil && os.Geteuid() != 0 && int(step.UID) != os.Getuid() {
		return job.StepLaunch{}, errOver{fmt.Sprintf("job %d belongs to another user: name a job of yours", id)}
	}
	return step, err
}

// stacksOfStep runs the step and returns the stacks of all nodes, with a note on those that gave none. It returns an
// error if no node gave any.
func stacksOfStep(ctx context.Context, id run.JobID, step job.StepLaunch) (nodeStacks, error) {
	ctx, stop := context.WithTimeout(ctx, stepLimit)
	defer stop()
	cmd, complaint := stepProgram(ctx, step), as.LimitedBuffer{Remaining: 4 << 10}
	answers, to := io.Pipe()
	cmd.Stdout, cmd.Stderr = to, &complaint
	ended := make(chan error, 1)
	go func() {
		err := cmd.Run()
		_ = to.Close() // never fails
		ended <- err
	}()
	number := int64(id)
	all, missing := nodeStacks{JobID: &number}, slices.Clone(step.Nodes)
	invalid := readNodeAnswers(io.LimitReader(answers, as.MaxCollectAnswer), step.Nodes, func(n nodeStacks) {
		missing = slices.DeleteFunc(missing, func(node string) bool { return node == n.Node })
		all.Tasks = append(all.Tasks, n.Tasks...)
		all.Notes = append(all.Notes, n.Notes...)
	})
	_ = answers.CloseWithError(invalid) // never fails; ends a step that writes more
	err := errors.Join(<-ended, invalid)
	if len(missing) == 0 {
		return all, nil
	}
	why := fmt.Sprintf("%d of %d nodes of job %d gave no stacks: %s", len(missing), len(step.Nodes), id,
		nodeNames(missing))
	switch {
	case ctx.Err() != nil:
		why += fmt.Sprintf(" (no answer in %.0f s)", stepLimit.Seconds())
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		why += fmt.Sprintf(" (%s)", note.Clean(cmp.Or(strings.TrimPrefix(first, "srun: error: "), err.Error()), 160))
	}
	if len(missing) == len(step.Nodes) {
		return nodeStacks{}, errors.New(why)
	}
	all.Notes = append(all.Notes, note.New(note.StackNodes, "%s", why))
	return all, nil
}

// nodeNames lists at most maxListedNodes names.
func nodeNames(nodes []string) string {
	list := strings.Join(nodes[:min(len(nodes), maxListedNodes)], ", ")
	if more := len(nodes) - maxListedNodes; more > 0 {
		list += fmt.Sprintf(" and %d others", more)
	}
	return list
}

// stepProgram returns the command of a step, with the rights of the job's owner if root calls. At the end of ctx the
// step is cancelled.
func stepProgram(ctx context.Context, step job.StepLaunch) *exec.Cmd {
	cmd := exec.CommandContext(ctx, step.Command[0], step.Command[1:]...)
	cmd.Env, cmd.Dir = step.Environ, "/"
	// A session of its own: it has no terminal, and an interrupt of this command ends it by ctx (stackOptions.stack).
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() == 0 {
		a := as.ForJob(ctx, step.UID, step.GID)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.UID, Gid: a.GID, Groups: a.Groups}
		cmd.Env = scheduler.EnvironForUser(step.Environ)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // srun ends its tasks
	cmd.WaitDelay = 3 * time.Second
	return cmd
}
