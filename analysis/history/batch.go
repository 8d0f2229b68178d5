package history

import (
	"context"

	"jobgait/analysis/summary"
)

// BatchRuns is how many runs who has many puts in one transaction: others wait for the
// lock meanwhile, some tens of milliseconds.
const BatchRuns = 64

// Batch is a transaction in which several runs are put.
type Batch struct {
	db *DB
	w  *writer
	// lost is the history's own failure. SQLite may have ended the transaction with it:
	// no more is put, and nothing will be stored.
	lost error
}

// Together calls f with a batch and stores what it puts in one transaction: all of it, for
// good, once Together returns nil, and else nothing. f is called again if another process
// held the lock.
func (db *DB) Together(ctx context.Context, f func(*Batch) error) error {
	return explain(db.path, "put runs", db.put(ctx, func(w *writer) error {
		b := &Batch{db: db, w: w}
		if err := f(b); err != nil {
			return err
		}
		return b.lost
	}))
}

// Put is DB.Put. A run that is refused costs the others of the batch nothing.
func (b *Batch) Put(_ context.Context, s summary.Summary, at Ingest) error {
	s, body, err := b.db.fitted(s, at)
	if err == nil {
		err = b.one(func() error { return b.w.put(s, body, at) })
	}
	return explain(b.db.path, "put run "+s.Key.String(), err)
}

// Reference and SetReference are those of DB.
func (b *Batch) Reference(_ context.Context, s summary.Summary) ([]byte, error) {
	if b.lost != nil {
		return nil, b.lost
	}
	_, body, err := reference(b.w.ctx, b.w.tx, s)
	return body, explain(b.db.path, "read the reference pattern", err)
}

func (b *Batch) SetReference(_ context.Context, s summary.Summary, body []byte) error {
	err := b.one(func() error { return b.w.setReference(s, body) })
	return explain(b.db.path, "set the reference pattern", err)
}

// one runs f so that nothing is left of it if it fails.
func (b *Batch) one(f func() error) error {
	w := b.w
	if b.lost == nil {
		w.exec("SAVEPOINT one")
		b.lost = w.err
	}
	if b.lost != nil {
		return b.lost
	}
	err := unfit(f())
	if Unavailable(err) {
		b.lost = err
		return err
	}
	if w.err = nil; err != nil {
		clear(w.fresh) // some of it may be of what is undone
		w.exec("ROLLBACK TO one")
	}
	w.exec("RELEASE one")
	b.lost = w.err
	if err == nil {
		err = w.err
	}
	return err
}
