package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
)

// writer executes statements of one transaction and keeps the first error, so
// that rows can be written one after the other.
type writer struct {
	ctx   context.Context // without cancellation: with it, the driver starts a goroutine for each statement
	ended func() error    // returns the error of the caller's context; checked before each statement
	tx    *sql.Conn
	pack  *packer
	known *idCache
	fresh map[string]int64 // what is known of this transaction
	err   error
}

// writer returns a writer for a transaction.
func (db *DB) writer(ctx context.Context, tx *sql.Conn) *writer {
	return &writer{ctx: context.WithoutCancel(ctx), ended: ctx.Err, tx: tx, pack: &db.pack, known: db.known,
		fresh: map[string]int64{}}
}

// put runs f in one transaction, again if another process held the lock. Once it is committed, the ids that f used are
// cached for later transactions.
func (db *DB) put(ctx context.Context, f func(*writer) error) error {
	var w *writer
	err := db.write(ctx, func(tx *sql.Conn) error {
		w = db.writer(ctx, tx)
		return f(w)
	})
	if err == nil {
		db.known.add(w.fresh)
	}
	return err
}

// exec executes a statement and returns the id of the row it inserted; 0 if it or an earlier statement failed.
func (w *writer) exec(query string, args ...any) int64 {
	return w.do(sql.Result.LastInsertId, query, args)
}

// count executes a statement and returns the number of rows it changed.
func (w *writer) count(query string, args ...any) int64 {
	return w.do(sql.Result.RowsAffected, query, args)
}

// do executes a statement unless an earlier one failed or the caller's context ended. It returns the number that what
// takes from the result; after an error, which it keeps in w.err, 0.
func (w *writer) do(what func(sql.Result) (int64, error), query string, args []any) int64 {
	if w.err == nil {
		w.err = w.ended()
	}
	if w.err != nil {
		return 0
	}
	r, err := w.tx.ExecContext(w.ctx, query, args...)
	if err != nil {
		w.err = err
		return 0
	}
	n, err := what(r)
	w.err = err
	return n
}

// insert inserts a row and returns its id.
func (w *writer) insert(table string, columns []column) int64 {
	names, values := unzip(columns)
	return w.exec(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(names, ", "), marks(len(names))),
		values...)
}

// id returns the id of the row of a table that has these values in these columns, and inserts the row if it
// does not exist. Such rows never change. An error is kept in w.err.
func (w *writer) id(table, idColumn string, columns []string, values ...any) int64 {
	return w.once(func() (id int64) {
		err := w.tx.QueryRowContext(w.ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s = ?",
			idColumn, table, strings.Join(columns, " = ? AND ")), values...).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return w.exec(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)",
				table, strings.Join(columns, ", "), marks(len(columns))), values...)
		}
		w.err = err
		return id
	}, table, values...)
}

// once returns the cached id for a kind and values, or calls find to look it up or create it; 0 after an error. No
// stored text has a zero byte, which separates the values in the key.
func (w *writer) once(find func() int64, kind string, values ...any) int64 {
	if w.err != nil {
		return 0
	}
	key := keyOf(kind, values)
	if id, ok := w.fresh[key]; ok {
		return id
	}
	id, ok := w.known.get(key)
	if !ok {
		id = find()
	}
	if w.err == nil {
		w.fresh[key] = id
	}
	return id
}

// keyOf returns the key of a kind and values in the cache.
func keyOf(kind string, values []any) string {
	for _, v := range values {
		kind += "\x00" + fmt.Sprint(v)
	}
	return kind
}

// forget removes an id from the cache, because its row has changed.
func (w *writer) forget(kind string, values ...any) {
	key := keyOf(kind, values)
	delete(w.fresh, key)
	w.known.remove(key)
}

// marks returns n question marks for values.
func marks(n int) string {
	return strings.TrimSuffix(strings.Repeat("?, ", n), ", ")
}

// idCache caches the ids of rows that are never deleted: words, nodes, users, series. It avoids most queries
// when many runs are put.
type idCache struct {
	lock sync.Mutex
	ids  map[string]int64
}

// mostKnown is the most ids in the cache; a key has about a hundred bytes, at most 4 KB.
const mostKnown = 20_000

// remove removes the id of a key.
func (k *idCache) remove(key string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	delete(k.ids, key)
}

// get returns the id of a key; false if it is not cached.
func (k *idCache) get(key string) (int64, bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	id, ok := k.ids[key]
	return id, ok
}

// add adds committed ids; above the limit it empties the cache first.
func (k *idCache) add(ids map[string]int64) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.ids == nil || len(k.ids)+len(ids) > mostKnown {
		k.ids = map[string]int64{}
	}
	maps.Copy(k.ids, ids)
}
