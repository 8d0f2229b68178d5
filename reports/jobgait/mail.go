package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/journal"
	"jobgait/analysis/history"
	"jobgait/analysis/summary"
	"jobgait/configs"
	report "jobgait/reports/job"
	"jobgait/reports/mail"
)

// sendLimit is the time limit for the program that sends the mail: a mail queue accepts a mail immediately.
const sendLimit = 30 * time.Second

// mailOptions are the arguments of mail: those of mail(1) that slurmctld uses.
type mailOptions struct {
	subject string
	getenv  func(string) string
	out     io.Writer
}

// mailCommand returns the verb mail.
func mailCommand(getenv func(string) string) *cobra.Command {
	o := mailOptions{getenv: getenv}
	c := &cobra.Command{
		Use:   "mail -s SUBJECT RECIPIENT",
		Short: "send the mail of the scheduler for a job, with its report",
		Long: "mail is a MailProg for slurm.conf (libexec/jobgait/mail calls it). For a job\n" +
			"that has ended, it waits at most mail.wait_s for the report and sends the usual\n" +
			"mail with the first screen of the report through mail.sendmail; without a\n" +
			"report it sends the usual mail. It runs as the account of the controller, which\n" +
			"must be able to read the history; otherwise it reads the accounting database\n" +
			"(slurm.admin_comment). It always exits with 0. A failure is one line on standard\n" +
			"error and one in the journal, because the controller discards standard error.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.out = cmd.ErrOrStderr()
			if err := o.send(cmd.Context(), strings.Join(args, ",")); err != nil {
				o.log(err)
			}
			return nil // the controller has nothing to do about it
		},
	}
	c.Flags().StringVarP(&o.subject, "subject", "s", "", "set the subject of the mail")
	return c
}

// log prints what failed and sends it to the journal.
func (o mailOptions) log(failed error) {
	line := fmt.Sprintf("mail: %v", failed)
	fmt.Fprintf(o.out, "jobgait %s\n", line)
	if cfg, err := settings(o.getenv); err == nil && cfg.Health.Journal {
		journal.SystemSockets().Send(journal.Warning, "jobgait", line)
	}
}

// send sends the mail, with the job's report if the job has ended and the report comes in time. If sendmail is
// missing or does not know the options, the system's mail program sends it, with subject and recipients as arguments:
// mail(1) has no other interface that all its versions share, and the controller, which calls it by default, passes
// the same arguments.
func (o mailOptions) send(ctx context.Context, recipient string) error {
	to, err := mail.Recipients(recipient)
	if err != nil {
		return err
	}
	cfg, err := settings(o.getenv)
	if err != nil { // the mail goes out with what could be read
		o.log(err)
	}
	body := ""
	if m := scheduler.Mail(o.getenv, o.subject); m.ID != "" && m.Over {
		body = o.report(ctx, cfg, m)
	}
	message := mail.Message(to, o.subject, body)
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	// -t: the recipients are in the message, because every account of the host can read arguments.
	failed := sendBy(ctx, message, cfg.Mail.Sendmail, "-i", "-t")
	if failed == nil || !errors.Is(failed, fs.ErrNotExist) && !errors.Is(failed, errOptions) {
		return failed
	}
	// What the controller calls without us.
	err = sendBy(ctx, []byte(body), defaultMailProgram, append([]string{"-s", o.subject, "--"}, to...)...)
	switch {
	case errors.Is(failed, errOptions) && err == nil:
		return fmt.Errorf("%w: %s sent the mail: set mail.sendmail in jobgait.toml to a program with these options",
			failed, defaultMailProgram)
	case errors.Is(failed, errOptions):
		return fmt.Errorf("no mail is sent: %w; %s: %w", failed, defaultMailProgram, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no mail is sent: neither mail.sendmail (%q) nor %s exists: install a mail system, or set "+
			"mail.sendmail in jobgait.toml", cfg.Mail.Sendmail, defaultMailProgram)
	}
	return err
}

// defaultMailProgram is the mail program that Slurm calls by default.
const defaultMailProgram = "/bin/mail"

// errOptions is the error of a program that does not know its options, and so has sent nothing: mail(1) of some
// distributions has no option -t.
var errOptions = errors.New("it does not know the options -i -t")

// optionComplaint matches what programs print about an unknown option.
var optionComplaint = regexp.MustCompile(`(?i)(?:invalid|illegal|unknown|unrecognized) option|^usage:`)

// sendBy runs a program that reads a mail from its standard input. When ctx ends, the program and what it started
// are killed. The error is fs.ErrNotExist if the program is missing, and errOptions if it does not know its options.
func sendBy(ctx context.Context, message []byte, program string, args ...string) error {
	if program == "" {
		return fs.ErrNotExist
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = bytes.NewReader(message)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	began := time.Now()
	said, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case ctx.Err() != nil:
		return fmt.Errorf("no mail is sent: %s did not end within %.0f s: send one by hand to see why", program,
			time.Since(began).Seconds())
	}
	text := strings.Join(strings.Fields(string(said)), " ")
	if optionComplaint.MatchString(text) {
		return fmt.Errorf("%s failed: %w (%.200s)", program, errOptions, text)
	}
	return fmt.Errorf("no mail is sent: %s failed: %w: %.200s", program, err, text)
}

// report returns the first screen of the report of a job that has just ended, or its line in the accounting; ""
// if neither is available in time. It stops waiting if the account may read neither.
func (o mailOptions) report(ctx context.Context, cfg configs.Config, m job.Mail) string {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(cfg.Mail.WaitS*float64(time.Second)))
	defer cancel()
	began := time.Now()
	for tick := 0; ; tick++ {
		s, err := o.stored(ctx, m)
		if err == nil && s.End > float64(began.Unix())-maxMailAge {
			return firstScreen(s)
		}
		if tick%5 == 0 {
			u, failed := scheduler.Accounting(cfg, o.getenv).Usage(ctx, m.ID)
			if d, wrong := report.ParseComment(u.Comment); failed == nil && wrong == nil {
				return d.Line("job "+m.ID) + "\n"
			}
			if failed != nil && neverReadable(err, cfg) {
				return ""
			}
		}
		select {
		case <-ctx.Done():
			return ""
		case <-time.After(time.Second):
		}
	}
}

// maxMailAge is the largest number of seconds between the run's end and the mail: an earlier run of a requeued
// job has the same id.
const maxMailAge = 600

// neverReadable reports whether the error of stored stays the same until the report comes: the account has no
// permission, or another host has the history. Any other history becomes readable when a run is stored.
func neverReadable(err error, cfg configs.Config) bool {
	return errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, fs.ErrNotExist) && cfg.History.Ingest == "spool"
}

// stored returns the run of the mail's job in the history. It returns history.ErrNotFound if that run is of another
// user than the mail, and history.ErrBeingWritten if it was read without locks while it was written.
func (o mailOptions) stored(ctx context.Context, m job.Mail) (summary.Summary, error) {
	db, _, err := openHistory(ctx, o.getenv, "")
	if err != nil {
		return summary.Summary{}, err
	}
	s, err := storedRun(ctx, db, m)
	return s, errors.Join(err, db.Close())
}

// storedRun returns the newest run of the mail's job in a history.
func storedRun(ctx context.Context, db *history.DB, m job.Mail) (summary.Summary, error) {
	s, _, err := db.Lookup(ctx, history.Ref{ID: m.ID, Cluster: m.Cluster})
	if err == nil && m.User != "" && s.Job.User != "" && s.Job.User != m.User {
		return s, history.ErrNotFound // another job's, whose id was given out again
	}
	return s, err
}

// firstScreen returns the head of the run's report. It returns "" if the report cannot be written.
func firstScreen(s summary.Summary) string {
	var b bytes.Buffer
	r := report.New(s, nil, report.Options{Version: configs.Version, Now: float64(time.Now().Unix()),
		Location: time.Local})
	if err := report.Text(&b, r); err != nil {
		return ""
	}
	return mail.FirstScreen(b.String())
}
