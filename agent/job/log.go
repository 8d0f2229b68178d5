package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jobgait/agent/journal"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// maxLog limits the node's log and its one predecessor, in bytes each: 1 MB is some 10,000 events.
const maxLog = 1 << 20

// Log is the node's log, with one line per event. Hooks have no terminal and record here what they did, or why
// not. A Log that could not be opened drops its lines; logging never makes a hook fail.
type Log struct {
	f       *os.File
	program string
	job     run.JobID
	journal journal.Sockets
}

// OpenLog opens <spool>/<node>/jobgait.log for a program and a job (0 for no job), creating the node's
// directory, 0700, if need be, and renaming a log larger than maxLog to jobgait.log.1 before. If it returns an
// error, the Log is still usable and writes to the journal only, if the settings enable that.
func OpenLog(c configs.Config, node, program string, jobID run.JobID) (*Log, error) {
	l := &Log{program: program, job: jobID}
	if c.Health.Journal {
		l.journal = journal.SystemSockets()
	}
	spool := c.Spool.Dir
	if spool == "" {
		return l, errors.New("open the log: the setting spool.dir is empty: name a directory")
	}
	if err := MakeNodeDir(spool, node); err != nil {
		return l, fmt.Errorf("open the log in the spool: %w", err)
	}
	path := filepath.Join(NodeDir(spool, node), "jobgait.log")
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLog {
		// Two programs may both rename: the second then moves a short
		// file over the long one. That loses lines, never more.
		_ = os.Rename(path, path+".1")
	}
	f, err := OpenPlain(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return l, fmt.Errorf("open the log file: %w", err)
	}
	l.f = f
	return l, nil
}

// Printf appends one line about something that needs attention: UTC time, program, job, text. A text that begins
// with the log's own job does not repeat it. The line is written by one call, so that those of several programs do
// not mix.
func (l *Log) Printf(format string, args ...any) { l.line(journal.Warning, format, args) }

// Infof appends one line about normal operation, in the same form.
func (l *Log) Infof(format string, args ...any) { l.line(journal.Info, format, args) }

// line writes one line to the journal and to the file, as far as they are open.
func (l *Log) line(level journal.Level, format string, args []any) {
	if l == nil {
		return
	}
	id := l.job.String()
	text := strings.TrimPrefix(note.Line(fmt.Sprintf(format, args...), 2000), "job "+id+": ")
	who := l.program
	if l.job != 0 {
		who += " job " + id
	}
	l.journal.Send(level, "jobgait", who+": "+text,
		journal.Field{Name: "JOBGAIT_JOB_ID", Value: id})
	if l.f == nil {
		return
	}
	// Errors of the log, such as a full disk, are ignored.
	_, _ = fmt.Fprintf(l.f, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), who, text)
}

// Close closes the log.
func (l *Log) Close() error {
	if l == nil || l.f == nil {
		return nil
	}
	return l.f.Close()
}
