package history

import (
	"errors"
	"fmt"
	"testing"

	"jobgait/analysis/summary"
)

// TestTogether stores valid and invalid runs in one batch: readers see none of them before all are stored, and
// none of a batch in which one run is rejected while a part of it is written.
func TestTogether(t *testing.T) {
	db := open(t)
	reader, err := OpenReadOnly(t.Context(), db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	err = db.InBatch(t.Context(), func(b *Batch) error {
		for id := range int64(3) {
			if err := b.Put(t.Context(), oneNode(id+1), Ingest{NowS: t0}); err != nil {
				return err
			}
			if err := b.Put(t.Context(), job(func(s *summary.Summary) { s.Key.JobID = 0 }), Ingest{}); !errors.Is(err,
				ErrUnfit) {
				t.Errorf("an invalid one: %v", err)
			}
			if n := count(t, reader, "jobs"); n != 0 {
				t.Errorf("others see %d runs", n)
			}
		}
		if err := b.SetReference(t.Context(), oneNode(1), []byte("{}")); err != nil {
			return err
		}
		body, err := b.Reference(t.Context(), oneNode(4))
		if string(body) != "{}" {
			t.Errorf("the reference of the batch's own application: %q", body)
		}
		return err
	})
	if n := count(t, reader, "jobs"); n != 3 || err != nil {
		t.Errorf("%d runs are there, %v", n, err)
	}
	var word any
	refused := errors.New("refused")
	err = db.InBatch(t.Context(), func(b *Batch) error {
		if err := b.Put(t.Context(), oneNode(4), Ingest{NowS: t0}); err != nil {
			return err
		}
		if err := b.write(func() error { word = b.w.word("a new word"); return refused }); err == nil {
			t.Error("one that is refused is not")
		}
		if err := b.Put(t.Context(), oneNode(5), Ingest{NowS: t0}); !errors.Is(err, refused) {
			t.Errorf("after one that is refused: %v", err)
		}
		return nil
	})
	if n := count(t, reader, "jobs"); n != 3 || !errors.Is(err, refused) {
		t.Errorf("with those of a batch that is lost there are %d runs, %v", n, err)
	}
	if err := db.put(t.Context(), func(w *writer) error {
		w.word("another")
		word = w.word("a new word")
		return w.err
	}); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db.sql, fmt.Sprint("SELECT text FROM internal_word WHERE word_id = ",
		word)); got != "text             a new word\n\n" {
		t.Errorf("what a lost batch had made is known as %q", got)
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
	if err := db.InBatch(t.Context(), many); !Unavailable(err) {
		t.Errorf("error is %v", err)
	}
	if n := count(t, db, "internal_run"); n != 1 {
		t.Errorf("%d runs are left of a batch that was lost", n)
	}
	if _, err := db.sql.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := db.InBatch(t.Context(), many); err != nil {
		t.Error(err)
	}
	if n, users := count(t, db, "jobs"), count(t, db, "internal_hpc_user"); n != 501 || users != 501 {
		t.Errorf("%d runs of %d users", n, users)
	}
}
