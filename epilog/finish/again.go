package finish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/epilog/archive"
)

// archive is the archive of profiles with the rights of its account; false where the
// site keeps none.
func (f Finisher) archive(ctx context.Context) (archive.Archive, bool) {
	if f.Config.Collect.Archive == "" {
		return archive.Archive{}, false
	}
	account, err := f.account(ctx)
	if err != nil {
		f.Log("archive: %v", err)
	}
	return archive.Archive{Dir: f.Config.Collect.Archive, Program: f.Program, Account: account}, err == nil
}

// archiveNode keeps what this node's record was made from. That it could not is a line
// in the log: the run is reported.
func (f Finisher) archiveNode(ctx context.Context, dir job.RunDir) {
	run, err := dir.ReadRun()
	if err != nil || exists(dir, archivedFile) || !exists(dir, filepath.Base(dir.Profile())) {
		return
	}
	if to, ok := f.archive(ctx); ok {
		ctx, cancel := share(ctx, 2, time.Hour)
		defer cancel()
		err := to.PutNode(ctx, run.Key, run.Node, dir)
		if err == nil {
			err = os.WriteFile(dir.Path(archivedFile), nil, 0o600)
		}
		if err != nil {
			f.Log("job %d: %v", run.Key.JobID, err)
		}
	}
}

// archiveRun keeps what no profile says of a run that some node sampled.
func (f Finisher) archiveRun(ctx context.Context, s summary.Summary, records []summary.NodeRecord) {
	if !s.Sampled() {
		return
	}
	if to, ok := f.archive(ctx); ok {
		ctx, cancel := share(ctx, 2, time.Hour)
		defer cancel()
		unsampled := slices.DeleteFunc(slices.Clone(records), summary.NodeRecord.Sampled)
		if err := to.PutRun(ctx, archive.RunContext{Summary: s, Unsampled: unsampled}); err != nil {
			f.Log("job %d: %v", s.Key.JobID, err)
		}
	}
}

// Again recomputes the summary of an archived run as the hooks of this version would. It does not query again
// who ran it and how it ended.
func Again(k archive.Kept) (summary.Summary, error) {
	was, err := k.Run()
	if err != nil {
		return summary.Summary{}, err
	}
	var nodes []string
	var records []summary.NodeRecord
	for _, n := range was.Summary.Nodes {
		nodes = append(nodes, n.Name)
		r, err := againOn(k.Node(n.Name), len(nodes) == 1)
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
	s := identified(summary.Merge(records, nodes), was.Summary.Job)
	return withSchedulerAnswer(s, was.Summary), nil
}

// againOn is the record of a node that its archived files say today. That of a node
// which does not collect passed through a file.
func againOn(dir job.RunDir, collects bool) (summary.NodeRecord, error) {
	run, err := dir.ReadRun()
	if err != nil {
		return summary.NodeRecord{}, err
	}
	end, err := ReadEnd(dir)
	if err != nil {
		return summary.NodeRecord{}, err
	}
	run.Job = run.Job.With(end.Job)
	r, err := analysed(dir, run, end)
	if r = r.Normal(); err != nil || collects {
		return r, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	return summary.DecodeNode(text)
}

// withSchedulerAnswer gives a summary what the scheduler said when the run had ended.
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
