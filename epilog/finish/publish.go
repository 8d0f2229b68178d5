package finish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jobgait/agent/acl"
	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/epilog/collect"
	"jobgait/epilog/deliver"
	"jobgait/reports/earlier"
	jobreport "jobgait/reports/job"
)

// lookupLimit limits lookups in the name service. Without an answer a user's groups are missing, and so is
// access to directories that only those groups can open.
const lookupLimit = 10 * time.Second

// collectStore returns the collection directory, to be used with the rights of its account. Unusable records
// are logged and counted.
func (f Finisher) collectStore(ctx context.Context) (collect.Store, error) {
	account, err := f.collectAccount(ctx)
	return collect.Store{Dir: f.Config.Collect.Dir, Program: f.Program, Account: account, Unusable: err,
		Guard: f.limitStuckChildren("collect"),
		Unread: func(why string) {
			f.Log("%s", why)
			if f.unread != nil {
				f.unread.Add(1)
			}
		}}, err
}

// collectAccount returns the account of the collection directory; nil if none is configured or this process is
// not root, and then uses its own rights.
func (f Finisher) collectAccount(ctx context.Context) (*as.Account, error) {
	if f.Config.Collect.Account == "" || os.Geteuid() != 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	account, err := as.Lookup(ctx, f.Config.Collect.Account)
	if err != nil {
		return nil, fmt.Errorf("use the account of the setting collect.account: %w", err)
	}
	return &account, nil
}

// deliver renders the report, writes it with the user's rights into the first candidate directory that accepts
// it, else into the spool, and returns that directory. If it is not the first candidate, a note says why. The
// report of an unknown user, and of root unless watch.root is set, goes straight into the spool.
func (f Finisher) deliver(ctx context.Context, run job.Run, s summary.Summary, judged earlier.Judgement) (
	string,
	error) {
	if run.Job.UID < 0 || run.Job.GID < 0 || run.Job.UID == 0 && run.RootPID == 0 && !f.Config.Watch.Root {
		return f.keepReport(run, s, judged) // no known user, or root without a request: never delivered as root
	}
	dirs := reportDirs(run, s)
	for {
		res, err := f.deliverAs(ctx, run, s, judged, dirs)
		if err != nil {
			res.Refused = append(res.Refused, fmt.Sprintf("%s: %v", strings.Join(dirs, ", "), err))
		}
		if res.Dir != "" && len(res.Refused) == 0 {
			return filepath.Join(res.Dir, arrayDir(s)), nil
		}
		for _, why := range res.Refused {
			s.Notes = append(s.Notes, note.New(note.NoReportDir, "the report could not be written to its directory: %s", why))
			f.Log("job %d: the report could not be written to the user's directory: %s: %s", s.Key.JobID, why,
				deliveredInstead(res.Dir))
		}
		if res.Dir == "" {
			return f.keepReport(run, s, judged)
		}
		dirs = []string{res.Dir} // again, with the note
	}
}

// deliveredInstead says where the report goes after a directory refused it; dir is the one that accepted it, "" if
// none did.
func deliveredInstead(dir string) string {
	if dir == "" {
		return "the report is kept in the spool"
	}
	return "the report is written to " + dir
}

// deliverAs renders the report and lets a child with the user's rights write it into the first of dirs that
// accepts it.
func (f Finisher) deliverAs(ctx context.Context, run job.Run, s summary.Summary, judged earlier.Judgement,
	dirs []string) (deliver.Delivery, error) {
	files, err := f.renderReport(s, judged)
	if err != nil {
		return deliver.Delivery{}, err
	}
	lookup, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	user := as.ForJob(lookup, uint32(run.Job.UID), uint32(run.Job.GID))
	ctx, stop := withShareOfTime(ctx, 2, deliverLimit)
	defer stop()
	child := as.Child{Program: f.Program, Account: user}
	end, err := f.lockForChild(ctx, run, &child)
	if err != nil {
		return deliver.Delivery{}, err
	}
	defer end()
	res, err := deliver.As(ctx, child, deliver.Request{Dirs: dirs, Sub: arrayDir(s), Files: files,
		Output: s.Job.StdOut, Umask: run.RootPID != 0, Line: f.outputLine(s, judged)})
	if res.NoLine != "" {
		f.Log("job %d: no line was appended to the job's output: %s", s.Key.JobID, res.NoLine)
	}
	return res, err
}

// arrayDir returns the name of the directory that the reports of a job array share, "" for other jobs.
func arrayDir(s summary.Summary) string {
	sub, _ := jobreport.FileNames(s)
	return sub
}

// deliverLimit bounds the writing of a report into a directory of a user, which
// may lie on a file system that hangs.
const deliverLimit = 20 * time.Second

// keepReport writes the report into the node's spool, lets its user read it there, and returns the directory.
func (f Finisher) keepReport(run job.Run, s summary.Summary, judged earlier.Judgement) (
	string, error) {
	files, err := f.renderReport(s, judged)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(f.Spool, reportsDir, s.Key.String())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep the report in the spool: %w", err)
	}
	res := deliver.Write(deliver.Request{Dirs: []string{dir}, Files: files})
	if res.Dir == "" {
		return "", fmt.Errorf("keep the report in the spool: %s", strings.Join(res.Refused, "; "))
	}
	f.grantUserRead(dir, run, files)
	return res.Dir, nil
}

// grantUserRead gives the run's user read access to the report in the spool by an ACL, and makes the
// directories above it passable but not listable (mode 0711). The files stay root's, because an owner could
// grow them and change their times, by which the spool is kept within its size. It only logs errors, and does
// nothing unless this process is root and the user is not.
func (f Finisher) grantUserRead(dir string, run job.Run, files []deliver.File) {
	if os.Geteuid() != 0 || run.Job.UID <= 0 {
		return
	}
	failed := acl.Allow(dir, run.Job.UID, acl.Read|acl.Enter)
	for _, file := range files {
		failed = errors.Join(failed, acl.Allow(filepath.Join(dir, file.Name), run.Job.UID, acl.Read))
	}
	for _, d := range []string{filepath.Dir(dir), f.Spool} {
		failed = errors.Join(failed, os.Chmod(d, 0o711))
	}
	if failed != nil { // the report is there for root, and the run need not be tried again for it
		f.Log("job %d: the user cannot read the report in %s: %v", run.Key.JobID, dir, failed)
		return
	}
	f.Log("job %d: the report is in %s", run.Key.JobID, dir)
}

// reportsDir in the node's spool keeps reports that had nowhere to go.
const reportsDir = "reports"

// candidates returns the directories for a report, best first: only run.ReportDir if it is set, else the
// directory of the job's output file, then its work directory. Directories for temporary files come last: one
// may be private to the job and vanish with it (job_container/tmpfs), and a node's is not visible on other
// hosts.
func reportDirs(run job.Run, s summary.Summary) []string {
	if run.ReportDir != "" {
		return []string{run.ReportDir}
	}
	var dirs, temporary []string
	add := func(d string) {
		switch {
		case isTemporary(d):
			temporary = append(temporary, d)
		case filepath.IsAbs(d) && d != "/dev":
			dirs = append(dirs, d)
		}
	}
	add(filepath.Dir(s.Job.StdOut))
	add(s.Job.WorkDir)
	return append(dirs, temporary...)
}

// isTemporary reports whether a directory is /tmp, /var/tmp or /dev/shm or is below one of them.
func isTemporary(dir string) bool {
	for _, t := range [...]string{"/tmp", "/var/tmp", "/dev/shm"} {
		if dir == t || strings.HasPrefix(dir, t+"/") {
			return true
		}
	}
	return false
}

// reportOf returns the report of a run with its comparison with other runs, not yet rendered.
func (f Finisher) reportOf(s summary.Summary, judged earlier.Judgement) jobreport.Report {
	o := f.options()
	o.OtherRuns = judged.Across
	return jobreport.New(s, judged.Runs, o)
}

// outputLine returns the line to append to the job's output file, nil if report.stdout_line is off or the file
// is unknown.
func (f Finisher) outputLine(s summary.Summary, judged earlier.Judgement) *deliver.OutputLine {
	if !f.Config.Report.StdoutLine || s.Job.StdOut == "" {
		return nil
	}
	return &deliver.OutputLine{Text: f.reportOf(s, judged).OutputLine(), EndS: s.End}
}

// renderReport returns the files of a report, one for each format in report.formats.
func (f Finisher) renderReport(s summary.Summary, judged earlier.Judgement) ([]deliver.File, error) {
	_, base := jobreport.FileNames(s)
	report := f.reportOf(s, judged)
	draw := map[string]func(io.Writer, jobreport.Report) error{"txt": jobreport.Text, "json": jobreport.JSON,
		"html": jobreport.HTML}
	var files []deliver.File
	for _, format := range f.Config.Report.Formats {
		var b bytes.Buffer
		if err := draw[format](&b, report); err != nil {
			return nil, fmt.Errorf("draw the %s report: %w", format, err)
		}
		files = append(files, deliver.File{Name: base + "." + format, Data: b.Bytes()})
	}
	return files, nil
}

// WorkerLog is the file in the run directory that has the worker's output.
const WorkerLog = "worker.log"
