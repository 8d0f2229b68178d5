package history

import (
	"context"

	"jobgait/analysis/summary"
)

// BatchRuns is the number of runs that importers put in one transaction: other writers wait for the lock
// meanwhile, some tens of milliseconds.
const BatchRuns = 64

// Batch is a transaction in which several runs are put.
type Batch struct {
	db *DB
	w  *writer
	// lost is the error because of which nothing of the batch will be stored: SQLite may have ended the
	// transaction, or a part of a run may be written. A savepoint for each put would take half as long again.
	lost error
}

// InBatch calls f with a batch and stores what it puts in one transaction: all of it once InBatch returns nil,
// and otherwise nothing. f is called again if another process held the lock.
func (db *DB) InBatch(ctx context.Context, f func(*Batch) error) error {
	err := db.put(ctx, func(w *writer) error {
		b := &Batch{db: db, w: w}
		if err := f(b); err != nil {
			return err
		}
		return b.lost
	})
	return explain(db.path, "store runs", markUnfit(err))
}

// Put is like DB.Put. A run that cannot be stored does not affect the others of the batch; if SQLite refuses
// one, none is stored.
func (b *Batch) Put(_ context.Context, s summary.Summary, at Ingest) error {
	s, body, err := b.db.fitted(s, at)
	if err == nil {
		err = b.write(func() error { return b.w.put(s, body, at) })
	}
	return explain(b.db.path, "store run "+s.Key.String(), markUnfit(err))
}

// Reference is like DB.Reference.
func (b *Batch) Reference(_ context.Context, s summary.Summary) (body []byte, err error) {
	err = b.write(func() (err error) {
		_, body, err = reference(b.w.ctx, b.w.tx, s)
		return err
	})
	return body, explain(b.db.path, "read the reference pattern", err)
}

// SetReference is like DB.SetReference.
func (b *Batch) SetReference(_ context.Context, s summary.Summary, body []byte) error {
	err := b.write(func() error { return b.w.setReference(s, body) })
	return explain(b.db.path, "store the reference pattern", err)
}

// write calls f unless an earlier write failed, and returns the first error of the batch. After an error nothing of the
// batch is stored.
func (b *Batch) write(f func() error) error {
	if b.lost == nil {
		b.lost = f()
	}
	return b.lost
}
