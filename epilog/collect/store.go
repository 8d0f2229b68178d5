// Package collect brings the records of all nodes of a run together. Each node
// puts its record into one directory that all nodes share, by temporary name
// and rename; the node that collects waits for the others with one directory
// read a poll, so that the cost grows with the nodes and not with their square.
// Node records go in, the records of one run come out, in the order of the
// job's nodes.
//
// It refuses to wait beyond its deadline and to invent a record: a node that
// has not reported is simply not among what it returns.
//
// The directory belongs to a service account: a root process drops to it
// (package as) to use the directory, because root is nobody on many shared
// file systems.
package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"jobgait/analysis/summary"
	"jobgait/epilog/as"
)

// Store is the collection directory and whose rights it takes.
type Store struct {
	Dir string
	// Account owns the directory; nil uses this process as it is.
	Account *as.Account
	// Program is the epilog program, started as a child for the account.
	Program string
}

// ChildVerb is the argument that makes the epilog program a collecting child.
const ChildVerb = "--collect"

// request is what a child is asked: exactly one thing.
type request struct {
	Dir    string              `json:"dir"`
	Put    *summary.NodeRecord `json:"put,omitempty"`
	Gather *Want               `json:"gather,omitempty"`
	Forget *Want               `json:"forget,omitempty"`
	PutJob *JobRecord          `json:"put_job,omitempty"`
	// Orphans asks for records in directories that are idle for so long.
	Orphans time.Duration `json:"orphans,omitempty"`
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

// Orphans returns the records of runs that nobody has collected for so long.
func (s Store) Orphans(ctx context.Context, idle time.Duration) ([]summary.NodeRecord, error) {
	return s.do(ctx, request{Dir: s.Dir, Orphans: idle})
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

// maxAnswer bounds what a child of the service account answers: a job of 100,000
// nodes gathers records of some 15 KB each.
const maxAnswer = 2 << 30

// do carries out a request here or in a child with the account's rights.
func (s Store) do(ctx context.Context, r request) ([]summary.NodeRecord, error) {
	if s.Account == nil || s.Account.Current() {
		return r.serve(ctx)
	}
	input, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("collect: encode: %w", err)
	}
	output, err := s.Account.Run(ctx, s.Program, []string{ChildVerb}, input, maxAnswer)
	if err != nil {
		return nil, fmt.Errorf("collect in %s: %w", s.Dir, err)
	}
	var records []summary.NodeRecord
	if err := json.NewDecoder(bytes.NewReader(output)).Decode(&records); err != nil {
		return nil, fmt.Errorf("collect in %s: the child's answer: %w", s.Dir, err)
	}
	return records, nil
}

// Child is the collecting child: a request on in, records on out.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := as.Confine(); err != nil {
		return err
	}
	var r request
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("collect: read the request: %w", err)
	}
	records, err := r.serve(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(records)
}

// serve carries out a request with the rights of this process.
func (r request) serve(ctx context.Context) ([]summary.NodeRecord, error) {
	none := []summary.NodeRecord{}
	switch {
	case r.Put != nil:
		return none, put(r.Dir, *r.Put)
	case r.Gather != nil:
		return gather(ctx, r.Dir, *r.Gather)
	case r.Forget != nil:
		return none, forget(r.Dir, *r.Forget)
	case r.Orphans > 0:
		return orphans(r.Dir, r.Orphans)
	case r.PutJob != nil:
		return none, putJob(r.Dir, *r.PutJob)
	}
	return none, fmt.Errorf("collect: an empty request")
}
