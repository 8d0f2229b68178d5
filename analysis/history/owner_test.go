package history

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Root opens no history that another account can change: SQLite would write into a file of root that the account
// linked as the log's index, and give it to the account.
func TestRootOpensNoHistoryOfAnotherAccount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to another account")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	top := t.TempDir()
	dir, own := filepath.Join(top, "account"), filepath.Join(top, "own")
	path, secret := filepath.Join(dir, "history.db"), filepath.Join(top, "secret")
	must(os.Mkdir(own, 0o700))
	db, err := Open(t.Context(), path)
	must(err)
	must(db.Close())
	must(os.WriteFile(secret, []byte("root:secret"), 0o600))
	must(os.Link(secret, path+"-shm"))
	link := filepath.Join(own, "link.db")
	must(os.Symlink(path, link))
	for name, change := range map[string]func(){
		"directory of another account": func() { must(os.Chown(dir, 65534, 65534)) },
		"database of another account":  func() { must(os.Chown(path, 65534, 65534)) },
		"directory that all can write": func() { must(os.Chmod(dir, 0o777)) },
		"directory that a group can":   func() { must(os.Chmod(dir, 0o775)) },
	} {
		must(os.Chown(dir, 0, 0))
		must(os.Chmod(dir, 0o755))
		must(os.Chown(path, 0, 0))
		change()
		for _, p := range []string{path, link} {
			_, write := Open(t.Context(), p)
			_, read := OpenReadOnly(t.Context(), p)
			_, unlocked := OpenUnlocked(t.Context(), p)
			for _, err := range []error{write, read, unlocked} {
				if !errors.Is(err, ErrForeign) {
					t.Errorf("%s, %s: %v", name, filepath.Base(p), err)
				}
			}
		}
	}
	must(os.Chown(dir, 65534, 65534))
	if _, err := Open(t.Context(), filepath.Join(dir, "other.db")); !errors.Is(err, ErrForeign) {
		t.Errorf("a new history in a directory of another account: %v", err)
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != "root:secret" {
		t.Errorf("root's file has %.20q, %v", b, err)
	}
}
