package history

import (
	"errors"
	"fmt"
	"testing"

	"jobgait/analysis/summary"
)

// TestTogether puts runs of which one is refused: others see none of them before all are
// there, and nothing of the one.
func TestTogether(t *testing.T) {
	db := open(t)
	reader, err := OpenReadOnly(t.Context(), db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	refused := errors.New("refused")
	var word int64
	err = db.Together(t.Context(), func(b *Batch) error {
		for id := range int64(3) {
			if err := b.Put(t.Context(), oneNode(id+1), Ingest{NowS: t0}); err != nil {
				return err
			}
			if err := b.Put(t.Context(), job(func(s *summary.Summary) { s.Key.JobID = 0 }), Ingest{}); !errors.Is(err, ErrUnfit) {
				t.Errorf("one that is none: %v", err)
			}
			if err := b.one(func() error { b.w.word("a new word"); return refused }); !errors.Is(err, refused) {
				t.Errorf("one that is refused: %v", err)
			}
		}
		return b.one(func() error { word, _ = b.w.word("a new word").(int64); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db.sql, fmt.Sprint("SELECT text FROM word WHERE word_id = ", word)); got != "text             a new word\n\n" {
		t.Errorf("what a refused run had made is known as %q", got)
	}
	err = db.Together(t.Context(), func(b *Batch) error {
		if err := b.Put(t.Context(), oneNode(4), Ingest{NowS: t0}); err != nil {
			return err
		}
		if err := b.SetReference(t.Context(), oneNode(4), []byte("{}")); err != nil {
			return err
		}
		if body, err := b.Reference(t.Context(), oneNode(5)); string(body) != "{}" || err != nil {
			t.Errorf("the reference of the batch's own application: %q, %v", body, err)
		}
		if n := count(t, reader, "jobs"); n != 3 {
			t.Errorf("others see %d runs", n)
		}
		return refused
	})
	if n := count(t, reader, "jobs"); n != 3 || !errors.Is(err, refused) {
		t.Errorf("of a batch that was given up there are %d runs, %v", n, err)
	}
}

// TestTogetherOnAFullDisk checks that a batch is stored whole or not at all, and that what
// was known in one that is lost is forgotten.
func TestTogetherOnAFullDisk(t *testing.T) {
	db := open(t)
	mustPut(t, db, oneNode(1), Ingest{})
	var pages int
	if err := db.sql.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	many := func(b *Batch) error {
		for id := range int64(500) {
			s := oneNode(id + 2)
			s.Job.User = fmt.Sprint("user", id)
			if err := b.Put(t.Context(), s, Ingest{}); err != nil && !Unavailable(err) {
				t.Error(err)
			}
		}
		return nil
	}
	if _, err := db.sql.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+4)); err != nil {
		t.Fatal(err)
	}
	if err := db.Together(t.Context(), many); !Unavailable(err) {
		t.Errorf("error is %v", err)
	}
	if n := count(t, db, "run"); n != 1 {
		t.Errorf("%d runs are left of a batch that was lost", n)
	}
	if _, err := db.sql.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := db.Together(t.Context(), many); err != nil {
		t.Error(err)
	}
	if n, users := count(t, db, "jobs"), count(t, db, "hpc_user"); n != 501 || users != 501 {
		t.Errorf("%d runs of %d users", n, users)
	}
}
