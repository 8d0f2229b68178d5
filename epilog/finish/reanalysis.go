package finish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/epilog/archive"
)

// openArchive returns the site's archive of profiles, to be used with the rights of its account. It returns
// false if no archive is configured or its account cannot be looked up. It logs why the account cannot be
// looked up.
func (f Finisher) openArchive(ctx context.Context) (archive.Archive, bool) {
	if f.Config.Collect.Archive == "" {
		return archive.Archive{}, false
	}
	account, err := f.collectAccount(ctx)
	if err != nil {
		f.Log("the run is not archived: %v", err)
	}
	return archive.Archive{Dir: f.Config.Collect.Archive, Program: f.Program, Account: account,
		Guard: f.limitStuckChildren("archive")}, err == nil
}

// archiveNode copies the files that this node's record was made from into the archive, once, and marks the run
// directory with archivedFile. It does nothing without an archive or a profile. It only logs an error, because
// the run is already reported.
func (f Finisher) archiveNode(ctx context.Context, dir job.RunDir) {
	run, err := dir.ReadRun()
	if err != nil || fileExists(dir, archivedFile) || !fileExists(dir, filepath.Base(dir.ProfilePath())) {
		return
	}
	if to, ok := f.openArchive(ctx); ok {
		ctx, cancel := withShareOfTime(ctx, 2, time.Hour)
		defer cancel()
		err := to.PutNode(ctx, run.Key, run.Node, dir)
		if err == nil {
			err = dir.Mark(archivedFile)
		}
		if err != nil {
			f.Log("job %d: the files of this node are not archived, so jobgait reanalyse cannot use them: %v", run.Key.JobID,
				err)
		}
	}
}

// archiveRun stores the merged summary and the records of nodes without samples in the archive, if at least one
// node was sampled. It only logs an error.
func (f Finisher) archiveRun(ctx context.Context, s summary.Summary, records []summary.NodeRecord) {
	if !s.Sampled() {
		return
	}
	if to, ok := f.openArchive(ctx); ok {
		ctx, cancel := withShareOfTime(ctx, 2, time.Hour)
		defer cancel()
		unsampled := slices.DeleteFunc(slices.Clone(records), summary.NodeRecord.Sampled)
		if err := to.PutRun(ctx, archive.RunContext{Summary: s, Unsampled: unsampled}); err != nil {
			f.Log("job %d: the run is not archived, so jobgait reanalyse cannot use it: %v", s.Key.JobID, err)
		}
	}
}

// Reanalyse recomputes the summary of an archived run with the analysis of this version. The user, the job
// and the end are taken from the archive, the executable and script from the new analysis if it finds them.
// The scheduler is not queried. A node that had reported but has no profile and no record in the archive is
// an error.
func Reanalyse(k archive.ArchivedRun) (summary.Summary, error) {
	was, err := k.Run()
	if err != nil {
		return summary.Summary{}, err
	}
	var nodes []string
	var records []summary.NodeRecord
	for _, n := range was.Summary.Nodes {
		nodes = append(nodes, n.Name)
		r, err := reanalyseNode(k.Node(n.Name), len(nodes) == 1)
		if errors.Is(err, fs.ErrNotExist) {
			i := slices.IndexFunc(was.Unsampled, func(r summary.NodeRecord) bool { return r.Node == n.Name })
			if i < 0 && !n.Reported {
				continue // it is missing, as it was
			}
			if i < 0 {
				return summary.Summary{}, fmt.Errorf("the profile of node %s is not in the archive: %w", n.Name, err)
			}
			r, err = was.Unsampled[i], nil
		}
		if err != nil {
			return summary.Summary{}, err
		}
		records = append(records, r)
	}
	s := withTrustedIdentity(summary.Merge(records, nodes), was.Summary.Job)
	// The times of the hooks were measured on the nodes; their files are not archived.
	s.Quality.PrologS, s.Quality.EpilogS = was.Summary.Quality.PrologS, was.Summary.Quality.EpilogS
	return withSchedulerAnswer(s, was.Summary), nil
}

// reanalyseNode recomputes a node's record from its archived files. The record of a node that does not collect
// is encoded and decoded, as it was when it passed through the collection directory.
func reanalyseNode(dir job.RunDir, collects bool) (summary.NodeRecord, error) {
	run, err := dir.ReadRun()
	if err != nil {
		return summary.NodeRecord{}, err
	}
	end, err := ReadEnd(dir)
	if err != nil {
		return summary.NodeRecord{}, err
	}
	run.Job = run.Job.With(end.Job)
	r, err := recordFromFiles(dir, run, end)
	if r = r.Normal(); err != nil || collects {
		return r, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	return summary.DecodeNode(text)
}

// withSchedulerAnswer copies key, job, state and exit code, which the scheduler gave when the run ended, from
// the archived summary was into s. It also appends the archived notes about a missing answer. The executable,
// script and job fields that s found are kept.
func withSchedulerAnswer(s, was summary.Summary) summary.Summary {
	found := s.Job
	s.Key, s.Job, s.State, s.Exit = was.Key, was.Job.WithFields(found.Fields), was.State, was.Exit
	if found.Executable != "" {
		s.Job.Executable, s.Job.Script = found.Executable, found.Script
	}
	for _, n := range was.Notes {
		if n.Code == note.NoScheduler {
			s.Notes = append(s.Notes, n)
		}
	}
	return s
}
