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
	// lost is why nothing of the batch will be stored: SQLite may have ended the
	// transaction with it, or a part of a run be written. Each put in a savepoint of its
	// own would take half as long again.
	lost error
}

// Together calls f with a batch and stores what it puts in one transaction: all of it, for
// good, once Together returns nil, and else nothing. f is called again if another process
// held the lock.
func (db *DB) Together(ctx context.Context, f func(*Batch) error) error {
	err := db.put(ctx, func(w *writer) error {
		b := &Batch{db: db, w: w}
		if err := f(b); err != nil {
			return err
		}
		return b.lost
	})
	return explain(db.path, "put runs", unfit(err))
}

// Put is DB.Put. What is no run costs the others of the batch nothing; where SQLite refuses
// one, none of them is stored.
func (b *Batch) Put(_ context.Context, s summary.Summary, at Ingest) error {
	s, body, err := b.db.fitted(s, at)
	if err == nil {
		err = b.write(func() error { return b.w.put(s, body, at) })
	}
	return explain(b.db.path, "put run "+s.Key.String(), unfit(err))
}

// Reference and SetReference are those of DB.
func (b *Batch) Reference(_ context.Context, s summary.Summary) (body []byte, err error) {
	err = b.write(func() (err error) {
		_, body, err = reference(b.w.ctx, b.w.tx, s)
		return err
	})
	return body, explain(b.db.path, "read the reference pattern", err)
}

func (b *Batch) SetReference(_ context.Context, s summary.Summary, body []byte) error {
	err := b.write(func() error { return b.w.setReference(s, body) })
	return explain(b.db.path, "set the reference pattern", err)
}

func (b *Batch) write(f func() error) error {
	if b.lost == nil {
		b.lost = f()
	}
	return b.lost
}
