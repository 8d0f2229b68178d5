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
// The directory belongs to a service account: a root process drops to it (package as) to use the directory,
// because many shared file systems map root to an unprivileged user.
package collect

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"jobgait/agent/as"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Store is the collection directory and whose rights it takes.
type Store struct {
	Dir string
	// Account owns the directory; nil uses this process as it is.
	Account *as.Account
	// Program is the epilog program, started as a child for the account.
	Program string
	// Unusable is why the account's rights cannot be had: nothing is tried then.
	Unusable error
	// Unread is called with one line for each record that could not be used; nil
	// drops the lines.
	Unread func(why string)
}

// request is one request to a child; exactly one field is set.
type request struct {
	Dir    string              `json:"dir"`
	Put    *summary.NodeRecord `json:"put,omitempty"`
	Gather *Want               `json:"gather,omitempty"`
	Forget *Want               `json:"forget,omitempty"`
	PutJob *JobRecord          `json:"put_job,omitempty"`
	// Orphans asks for records in directories that are idle for so long.
	Orphans time.Duration `json:"orphans,omitempty"`
	Sweeper Sweeper       `json:"sweeper"`
}

// Put stores the record of one node, replacing an earlier one of the same run.
func (s Store) Put(ctx context.Context, r summary.NodeRecord) error {
	_, err := s.do(ctx, request{Dir: s.Dir, Put: &r})
	return err
}

// Gather returns the records of the run that w describes as soon as every node
// has reported, or those that are there when w's patience ends.
func (s Store) Gather(ctx context.Context, w Want) ([]summary.NodeRecord, error) {
	return s.do(ctx, request{Dir: s.Dir, Gather: &w})
}

// Orphans returns the records of runs that were not collected for the time idle: all runs if w is elected, else
// its own.
func (s Store) Orphans(ctx context.Context, idle time.Duration, w Sweeper) ([]summary.NodeRecord, error) {
	return s.do(ctx, request{Dir: s.Dir, Orphans: idle, Sweeper: w})
}

// Forget removes the records of a run that is finished.
func (s Store) Forget(ctx context.Context, w Want) error {
	_, err := s.do(ctx, request{Dir: s.Dir, Forget: &w})
	return err
}

// PutJob leaves the record of a whole run for the one writer of the history.
func (s Store) PutJob(ctx context.Context, j JobRecord) error {
	_, err := s.do(ctx, request{Dir: s.Dir, PutJob: &j})
	return err
}

// answer is one of a child's answers: a record, or a line about an invalid one. The child answers with any
// number of them.
type answer struct {
	Record json.RawMessage `json:"record,omitempty"`
	Unread string          `json:"unread,omitempty"`
}

// What a child of the service account may answer: a record of a node is 16 KB of
// JSON and that of the first 86 KB, with one pattern; so that there is room for more than any
// honest job needs, and for lines on what could not be read.
const (
	firstBytes = 1 << 20
	nodeBytes  = 64 << 10
	lineBytes  = 1000
	maxLines   = 100
)

// most bounds the answer to a request, in bytes.
func (r request) most() int {
	switch {
	case r.Gather != nil:
		return min(as.CollectAnswer, firstBytes+nodeBytes*len(r.Gather.Nodes))
	case r.Orphans > 0:
		return firstBytes + nodeBytes*maxOrphans
	}
	return firstBytes
}

// do carries out a request here or in a child with the account's rights.
func (s Store) do(ctx context.Context, r request) ([]summary.NodeRecord, error) {
	if s.Unusable != nil {
		return nil, s.Unusable
	}
	say := s.Unread
	if say == nil {
		say = func(string) {}
	}
	if s.Account == nil || s.Account.Current() {
		return r.serve(ctx, say)
	}
	got := answers{records: []summary.NodeRecord{}, say: say}
	child := as.Child{Program: s.Program, Account: *s.Account}
	if err := as.AskAll(ctx, child, as.Collect, r, nil, r.most(), got.add); err != nil {
		return nil, fmt.Errorf("collect in %s: %w", s.Dir, err)
	}
	return got.records, nil
}

// answers are what a child has answered. It runs as the account: its records are checked again.
type answers struct {
	records []summary.NodeRecord
	lines   int
	say     func(string) // takes the first maxLines lines
}

func (all *answers) add(a answer) error {
	if len(a.Record) > 0 {
		r, err := decodeNode(a.Record, func(summary.NodeRecord) error { return nil })
		if err == nil {
			all.records = append(all.records, r)
			return nil
		}
		a.Unread = err.Error()
	}
	if all.lines++; all.lines <= maxLines {
		all.say(note.Clean(a.Unread, lineBytes/4))
	}
	return nil
}

// Serve is the collecting child.
func Serve(ctx context.Context, to as.Request) error {
	var r request
	if _, err := as.ReadQuestion(to.In, &r); err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	var lines []string
	records, err := r.serve(ctx, func(line string) {
		if len(lines) < maxLines {
			lines = append(lines, line)
		}
	})
	if err != nil {
		return err
	}
	return writeAnswers(to.Out, records, lines, r.most()-2*maxLines*lineBytes)
}

// writeAnswers writes records and lines as answers, the records in at most room bytes; a record that does not
// fit is left out, and its node is missing.
func writeAnswers(out io.Writer, records []summary.NodeRecord, lines []string, room int) error {
	w := bufio.NewWriter(out)
	to := json.NewEncoder(w)
	for _, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("collect: encode: %w", err)
		}
		if len(text) > room-100 {
			lines = append(lines, fmt.Sprintf("record of node %s: left out, it has %d bytes", r.Node, len(text)))
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

// serve carries out a request with the rights of this process.
func (r request) serve(ctx context.Context, say func(string)) ([]summary.NodeRecord, error) {
	none := []summary.NodeRecord{}
	switch {
	case r.Put != nil:
		return none, put(r.Dir, *r.Put)
	case r.Gather != nil:
		return gather(ctx, r.Dir, *r.Gather, say)
	case r.Forget != nil:
		return none, forget(r.Dir, *r.Forget)
	case r.Orphans > 0:
		return orphans(r.Dir, r.Orphans, r.Sweeper, say)
	case r.PutJob != nil:
		return none, putJob(r.Dir, *r.PutJob)
	}
	return none, fmt.Errorf("collect: an empty request")
}
