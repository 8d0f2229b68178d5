package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// WantsComments reports whether the administrator's comment is written.
func (s Scheduler) WantsComments() bool { return s.AdminComment && s.Sacct != "" && s.Sacctmgr != "" }

// commentText is what a comment consists of: sacctmgr reads commands line by line, and a comment stands in quotes.
var commentText = regexp.MustCompile(`^[A-Za-z0-9:+/=]+$`)

// SetComments asks sacct once for the comments of the jobs, then writes those that are free by one sacctmgr. The
// sacctmgr of Slurm 22.05 turns capital letters into small ones: where that is found after the first call, a
// second one writes the form without capital letters.
func (s Scheduler) SetComments(ctx context.Context, list []job.Comment, mark string) (int, error) {
	if len(list) == 0 {
		return 0, nil
	}
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.JobID.String()
	}
	asked := []string{"-a", "-j", strings.Join(ids, ","), "-o", "JobIDRaw,AdminComment"}
	out, err := s.accounting(ctx, asked...)
	if err != nil {
		return 0, err
	}
	free := writableComments(out, mark)
	commands, n := commentCommands(list, free)
	if n == 0 {
		return 0, nil
	}
	if err := s.manage(ctx, commands); err != nil {
		return 0, fmt.Errorf("write the administrator's comments: %w", err)
	}
	if out, err = s.accounting(ctx, asked...); err != nil || !lowered(out, mark) {
		return n, err
	}
	for i := range list {
		list[i].Text = list[i].Lower
	}
	if commands, n = commentCommands(list, free); n == 0 {
		return 0, nil
	}
	return n, s.manage(ctx, commands)
}

// lowered reports whether a comment has the mark in small letters, which stood there in capital ones.
func lowered(output []byte, mark string) bool {
	return bytes.Contains(output, []byte("|"+strings.ToLower(mark))) && !bytes.Contains(output, []byte("|"+mark))
}

// writableComments reads `sacct -X -n -P -o JobIDRaw,AdminComment`: the jobs whose comment is empty or begins with
// mark, in any letters. A job with a line of another text is not among them.
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

// commentCommands are the commands for sacctmgr, one a line, and their number.
func commentCommands(list []job.Comment, free map[run.JobID]bool) ([]byte, int) {
	var b bytes.Buffer
	n := 0
	for _, c := range list {
		if free[c.JobID] && commentText.MatchString(c.Text) {
			fmt.Fprintf(&b, "modify job where JobID=%d set AdminComment=\"%s\"\n", c.JobID, c.Text)
			n++
		}
	}
	return b.Bytes(), n
}

// manage runs sacctmgr with commands on its standard input, none of which it asks back about.
func (s Scheduler) manage(ctx context.Context, commands []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sacctLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Sacctmgr, "-i", "-Q")
	cmd.Stdin = bytes.NewReader(append(slices.Clone(commands), "exit\n"...))
	cmd.Env = []string{"LC_ALL=C"}
	if s.Conf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+s.Conf)
	}
	cmd.WaitDelay = shortLimit
	said, err := cmd.CombinedOutput()
	for line := range bytes.Lines(said) {
		if bytes.Contains(line, []byte("modify job where")) {
			continue // it repeats what it reads
		}
		if text := strings.TrimSpace(strings.ReplaceAll(string(line), "sacctmgr:", "")); refused.MatchString(text) {
			return errors.New(strings.Join(strings.Fields(fmt.Sprintf("%s: %.200s", s.Sacctmgr, text)), " "))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Sacctmgr, err)
	}
	return nil
}

// refused is how sacctmgr says that it did not do what it read: its exit status is that of the last command.
var refused = regexp.MustCompile(`(?i)error|permission|denied|privileges|failed|problem`)
