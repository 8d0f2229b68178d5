// Package collect brings the records of all nodes of a run together. Each node
// puts its record into one directory that all nodes share, by temporary name
// and rename; the node that collects waits for the others with one directory
// read a poll, so that the cost grows with the nodes and not with their square.
// Node records go in, the records of one run come out, in the order of the
// job's nodes.
//
// It never waits beyond its deadline and never invents a record: a node that has not reported is missing from
// the result. It accepts a record if it is valid (package summary) and lies in the directory of its run. Other
// records go to failed/, with a line; records of a newer version stay.
//
// After a report, a file in reported/ says from how many nodes it was made (LastReport), for 32 days or the last
// million job ids. The records of a complete report are removed; those of a report that lacks nodes stay for 7 days, so
// that a late node's can be merged with them. Records of no more nodes than the last report has are removed, and never
// returned as a run to report.
//
// The directory belongs to a service account: a root process drops to it (package as) to use the directory,
// because many shared file systems map root to an unprivileged user.
package collect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"jobgait/agent/as"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Store is the collection directory and the account with whose rights it is used.
type Store struct {
	Dir string
	// Account owns the directory; nil uses the rights of this process.
	Account *as.Account
	// Program is the epilog program, started as a child for the account.
	Program string
	// Guard limits the children that are abandoned because the directory hangs.
	Guard as.Guard
	// Unusable is the error of getting the account's rights; every method returns it.
	Unusable error
	// Unread is called with one line for each record that could not be used; nil
	// drops the lines.
	Unread func(why string)
}

// request is one request to a child: one of the pointers or Orphans is set. Sweeper belongs to Orphans, Reported
// alone is a request and may also come with Forget.
type request struct {
	Dir    string              `json:"dir"`
	Put    *summary.NodeRecord `json:"put,omitempty"`
	Gather *RecordRequest      `json:"gather,omitempty"`
	Forget *RecordRequest      `json:"forget,omitempty"`
	// Reported is written as the last report of a run.
	Reported *LastReport `json:"reported,omitempty"`
	// LastReport requests the last report of a run.
	LastReport *RecordRequest `json:"last_report,omitempty"`
	PutJob     *JobRecord     `json:"put_job,omitempty"`
	// Orphans requests the records in directories that have not changed for this time.
	Orphans time.Duration `json:"orphans,omitempty"`
	Sweeper Sweeper       `json:"sweeper"`
}

// Put stores the record of one node, replacing an earlier one of the same run.
func (s Store) Put(ctx context.Context, r summary.NodeRecord) error {
	_, err := s.execute(ctx, request{Dir: s.Dir, Put: &r})
	return err
}

// Gather returns the records of the run that w describes as soon as every node
// has reported, or those that are there when w's patience ends.
func (s Store) Gather(ctx context.Context, w RecordRequest) ([]summary.NodeRecord, error) {
	found, err := s.execute(ctx, request{Dir: s.Dir, Gather: &w})
	return found.records, err
}

// Orphans returns the records of runs that were not collected for the time idle: all runs if w is elected, else
// its own. It leaves out runs whose last report is of as many nodes, and removes their records when no late node can
// need them any more.
func (s Store) Orphans(ctx context.Context, idle time.Duration, w Sweeper) ([]summary.NodeRecord, error) {
	found, err := s.execute(ctx, request{Dir: s.Dir, Orphans: idle, Sweeper: w})
	return found.records, err
}

// LastReport returns the last report of the run that w describes, the zero value if none is known.
func (s Store) LastReport(ctx context.Context, w RecordRequest) (LastReport, error) {
	found, err := s.execute(ctx, request{Dir: s.Dir, LastReport: &w})
	return found.last, err
}

// PutLastReport writes that a run was reported from some of its nodes. The records stay, so that the record of a late
// node can be merged with them.
func (s Store) PutLastReport(ctx context.Context, l LastReport) error {
	_, err := s.execute(ctx, request{Dir: s.Dir, Reported: &l})
	return err
}

// Forget removes the records of a run that is finished. It first writes that the run was reported, unless l is nil.
func (s Store) Forget(ctx context.Context, w RecordRequest, l *LastReport) error {
	_, err := s.execute(ctx, request{Dir: s.Dir, Forget: &w, Reported: l})
	return err
}

// PutJob writes the record of a whole run into the collection directory, from which the one writer of the
// history takes it.
func (s Store) PutJob(ctx context.Context, j JobRecord) error {
	_, err := s.execute(ctx, request{Dir: s.Dir, PutJob: &j})
	return err
}

// collected is the result of a request.
type collected struct {
	records []summary.NodeRecord
	last    LastReport
}

// answer is one of any number of answers of a child: a record, a last report, or a line about an invalid record.
type answer struct {
	Record     json.RawMessage `json:"record,omitempty"`
	LastReport json.RawMessage `json:"last_report,omitempty"`
	Unread     string          `json:"unread,omitempty"`
}

// Limits of the answers of a child of the service account. A node's record is 16 KB of JSON, that of the first
// node with one pattern 86 KB; the limits leave room for more than any real job needs, and for lines about
// records that could not be read.
const (
	firstRecordBytes   = 1 << 20
	maxNodeRecordBytes = 64 << 10
	lineBytes          = 1000
	maxLines           = 100
)

// maxAnswerBytes returns the largest size of the answer to a request, in bytes.
func (r request) maxAnswerBytes() int {
	switch {
	case r.Gather != nil:
		return min(as.MaxCollectAnswer, firstRecordBytes+maxNodeRecordBytes*len(r.Gather.Nodes))
	case r.Orphans > 0:
		return firstRecordBytes + maxNodeRecordBytes*maxOrphans
	}
	return firstRecordBytes
}

// execute executes a request in this process, or in a child with the account's rights.
func (s Store) execute(ctx context.Context, r request) (collected, error) {
	if s.Unusable != nil {
		return collected{}, s.Unusable
	}
	say := s.Unread
	if say == nil {
		say = func(string) {}
	}
	if s.Account == nil || s.Account.IsCurrent() {
		return r.serve(ctx, say)
	}
	got := answerReader{collected: collected{records: []summary.NodeRecord{}}, onUnread: say}
	child := as.Child{Program: s.Program, Account: *s.Account, Guard: s.Guard}
	if err := as.AskAll(ctx, child, as.Collect, r, nil, r.maxAnswerBytes(), got.add); err != nil {
		return collected{}, fmt.Errorf("use the collection directory %s: %w", s.Dir, err)
	}
	return got.collected, nil
}

// answerReader collects the answers of a child. The child runs as the account, so its records are validated
// again.
type answerReader struct {
	collected
	lines    int
	onUnread func(string) // takes the first maxLines lines
}

// add takes a valid record or last report; for any other answer it passes a line to onUnread.
func (all *answerReader) add(a answer) error {
	if len(a.LastReport) > 0 {
		all.last = decodeLastReport(a.LastReport)
		return nil
	}
	if len(a.Record) > 0 {
		r, err := decodeNode(a.Record, func(summary.NodeRecord) error { return nil })
		if err == nil {
			all.records = append(all.records, r)
			return nil
		}
		a.Unread = err.Error()
	}
	if all.lines++; all.lines <= maxLines {
		all.onUnread(note.Clean(a.Unread, lineBytes/4))
	}
	return nil
}

// Serve is the main function of the child: it reads one request from to.In, executes it with the rights that
// the process already has, and writes the answers to to.Out.
func Serve(ctx context.Context, to as.Request) error {
	var r request
	if _, err := as.ReadRequest(to.In, &r); err != nil {
		return err
	}
	var lines []string
	found, err := r.serve(ctx, func(line string) {
		if len(lines) < maxLines {
			lines = append(lines, line)
		}
	})
	if err != nil {
		return err
	}
	return writeAnswers(to.Out, found, lines, r.maxAnswerBytes()-2*maxLines*lineBytes)
}

// writeAnswers writes a result and lines as answers, the records in at most room bytes; a record that does not
// fit is left out, and its node is missing.
func writeAnswers(out io.Writer, found collected, lines []string, room int) error {
	w := bufio.NewWriter(out)
	to := json.NewEncoder(w)
	if found.last.Nodes > 0 {
		text, err := json.Marshal(found.last)
		if err == nil {
			err = to.Encode(answer{LastReport: text})
		}
		if err != nil {
			return err
		}
	}
	for _, r := range found.records {
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("internal error, please report it: encode the record of node %s: %w", r.Node, err)
		}
		if len(text) > room-100 {
			lines = append(lines, fmt.Sprintf(
				"record of node %s: left out, so the report lacks this node: it has %d bytes, more than there is room for", r.Node,
				len(text)))
			continue
		}
		room -= len(text) + 100
		if err := to.Encode(answer{Record: text}); err != nil {
			return err
		}
	}
	for _, line := range lines[:min(len(lines), maxLines)] {
		if err := to.Encode(answer{Unread: note.Clean(line, lineBytes/4)}); err != nil {
			return err
		}
	}
	return w.Flush()
}

// serve executes a request with the rights of this process. It calls say with one line for each record that could not
// be used.
func (r request) serve(ctx context.Context, say func(string)) (c collected, err error) {
	switch {
	case r.Put != nil:
		return c, putNodeRecord(r.Dir, *r.Put)
	case r.Gather != nil:
		c.records, err = gatherRecords(ctx, r.Dir, *r.Gather, say)
	case r.LastReport != nil:
		c.last, _, err = findLastReport(r.Dir, *r.LastReport)
	case r.Reported != nil || r.Forget != nil:
		return c, r.finishRun()
	case r.Orphans > 0:
		c.records, err = orphans(r.Dir, r.Orphans, r.Sweeper, say)
	case r.PutJob != nil:
		return c, putJob(r.Dir, *r.PutJob)
	default:
		err = errors.New("internal error, please report it: the request to the collection directory names no action: " +
			"nothing is done")
	}
	return c, err
}

// finishRun writes that a run was reported and then removes its records, each if it is requested. A process that dies
// in between leaves records that the next sweep finds reported.
func (r request) finishRun() error {
	if r.Reported != nil {
		if err := putLastReport(r.Dir, *r.Reported); err != nil {
			return err
		}
	}
	if r.Forget == nil {
		return nil
	}
	return forgetRecords(r.Dir, *r.Forget)
}
