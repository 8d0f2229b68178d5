package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// WantsComments reports whether the settings enable writing the administrator's comment of jobs.
func (s Scheduler) WantsComments() bool { return s.AdminComment && s.Sacct != "" && s.Sacctmgr != "" }

// commentText matches comments that are safe in a command of sacctmgr, which is read line by line with the
// comment in quotes.
var commentText = regexp.MustCompile(`^[A-Za-z0-9:+/=]+$`)

// SetComments reads the stored comments of the jobs by sacct, then sets the comment of each job whose stored
// comment is empty or begins with mark, all by one sacctmgr, and sets Missing in list for those that have none
// afterwards: slurmdbd may learn of a job late, and sacctmgr reports success then. The sacctmgr of Slurm 22.05
// lowercases comments: if that is detected, a second call writes the form without capital letters, and Text in list
// becomes that form.
func (s Scheduler) SetComments(ctx context.Context, list []job.Comment, mark string) (job.CommentCounts, error) {
	var n job.CommentCounts
	if len(list) == 0 {
		return n, nil
	}
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.JobID.String()
	}
	asked := []string{"-a", "-j", strings.Join(ids, ","), "-o", "JobIDRaw,AdminComment"}
	out, err := s.runSacct(ctx, asked...)
	if err != nil {
		return n, err
	}
	free := writableComments(out, mark)
	for _, c := range list {
		if own, known := free[c.JobID]; known && !own {
			n.Kept++
		}
	}
	commands, written := commentCommands(list, free)
	if written == 0 {
		markMissing(list, out)
		return n, nil
	}
	if err := s.runSacctmgr(ctx, commands); err != nil {
		return n, err
	}
	n.Written = written
	if out, err = s.runSacct(ctx, asked...); err != nil {
		return n, err
	}
	markMissing(list, out)
	if !wasLowercased(out, mark) {
		return n, nil
	}
	for i := range list {
		list[i].Text = list[i].Lower
	}
	if commands, n.Written = commentCommands(list, free); n.Written == 0 {
		return n, nil
	}
	return n, s.runSacctmgr(ctx, commands)
}

// markMissing sets Missing in list for the jobs that have an empty comment, or no line, in the output of sacct.
func markMissing(list []job.Comment, output []byte) {
	found := map[run.JobID]bool{}
	for line := range bytes.Lines(output) {
		raw, comment, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "|")
		if id, err := run.ParseJobID(raw); err == nil && comment != "" {
			found[id] = true
		}
	}
	for i := range list {
		list[i].Missing = !found[list[i].JobID]
	}
}

// wasLowercased reports whether comments contain the mark in lower case only.
func wasLowercased(output []byte, mark string) bool {
	return bytes.Contains(output, []byte("|"+strings.ToLower(mark))) && !bytes.Contains(output, []byte("|"+mark))
}

// writableComments parses the output of `sacct -X -n -P -o JobIDRaw,AdminComment` and returns which jobs have a
// comment that is empty or begins with mark, in any case, on all of their lines.
func writableComments(output []byte, mark string) map[run.JobID]bool {
	free := map[run.JobID]bool{}
	for line := range bytes.Lines(output) {
		raw, comment, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "|")
		id, err := run.ParseJobID(raw)
		if err != nil || !ok {
			continue
		}
		own := comment == "" || len(comment) >= len(mark) && strings.EqualFold(comment[:len(mark)], mark)
		if before, seen := free[id]; seen {
			own = own && before
		}
		free[id] = own
	}
	return free
}

// commentCommands returns the sacctmgr commands, one per line, that set the comments of the jobs in free, and
// the number of commands. Jobs are named by their display ids (12_3, 12+1). The plain number is ambiguous: the
// last task of an array shares it with the array, and the first component of a heterogeneous job with the whole
// job, so that sacctmgr would set the comments of all tasks or components. It skips texts with other characters
// than commentText allows.
func commentCommands(list []job.Comment, free map[run.JobID]bool) ([]byte, int) {
	var b bytes.Buffer
	n := 0
	for _, c := range list {
		if free[c.JobID] && commentText.MatchString(c.Text) && run.IsDisplayID(c.DisplayID) {
			fmt.Fprintf(&b, "modify job where JobID=%s set AdminComment=\"%s\"\n", c.DisplayID, c.Text)
			n++
		}
	}
	return b.Bytes(), n
}

// runSacctmgr runs sacctmgr without confirmation, with commands on its standard input, for at most sacctLimit.
func (s Scheduler) runSacctmgr(ctx context.Context, commands []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sacctLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Sacctmgr, "-i", "-Q")
	cmd.Stdin = bytes.NewReader(append(slices.Clone(commands), "exit\n"...))
	cmd.Env = []string{"LC_ALL=C"}
	if s.Conf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+s.Conf)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = shortLimit
	began := time.Now()
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("write the admin comments of jobs: %s did not end within %.0f s: check slurmdbd",
			s.Sacctmgr,
			time.Since(began).Seconds())
	}
	for line := range bytes.Lines(said) {
		if bytes.Contains(line, []byte("modify job where")) {
			continue // it repeats what it reads
		}
		if text := strings.TrimSpace(strings.ReplaceAll(string(line), "sacctmgr:", "")); failureText.MatchString(text) {
			return fmt.Errorf("write the admin comments of jobs: %s: %.200s", s.Sacctmgr,
				strings.Join(strings.Fields(text), " "))
		}
	}
	if err != nil {
		return fmt.Errorf("write the admin comments of jobs: run %s: %w", s.Sacctmgr, err)
	}
	return nil
}

// failureText matches sacctmgr's messages about a failed command, because its exit status is only that of the
// last command.
var failureText = regexp.MustCompile(`(?i)error|permission|denied|privileges|failed|problem`)
