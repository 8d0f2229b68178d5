package as

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// nobody is an account that is not ours, if we may take it.
func nobody(t *testing.T) Account {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	return Account{UID: 65534, GID: 65534, Groups: []uint32{65534, 65533}}
}

func output(t *testing.T, a Account, program string, args ...string) string {
	t.Helper()
	b, err := a.Run(context.Background(), program, args, []byte("input"), 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// The child is the other account in every respect, with nothing of ours.
func TestChildHasOnlyTheAccountsRights(t *testing.T) {
	a := nobody(t)
	script := `id -u; id -g; id -G; pwd; cat; echo; ls /proc/self/fd | wc -l; export -p | grep -v -e PWD -e OLDPWD -e SHLVL; cat /etc/shadow >/dev/null 2>&1 && echo shadow; true`
	got := output(t, a, "/bin/sh", "-c", script)
	want := "65534\n65534\n65534 65533\n/\ninput\n4" // 4: the three streams and ls's own directory
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A child that hangs does not hold us.
func TestHangingChildIsLeftBehind(t *testing.T) {
	me := Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := me.Run(ctx, "/bin/sh", []string{"-c", "sleep 1000"}, nil, 1)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestComplaintIsOneBoundedLine(t *testing.T) {
	me := Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}
	_, err := me.Run(context.Background(), "/bin/sh", []string{"-c", `printf 'a\033[31m\nb' >&2; yes x | head -c 100000 >&2; exit 3`}, nil, 1)
	if err == nil || strings.ContainsAny(err.Error(), "\n\033") || len(err.Error()) > 500 {
		t.Errorf("%q", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	me := Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}
	if out, err := me.Run(context.Background(), "/bin/sh", []string{"-c", "yes | head -c 1000000"}, nil, 1<<16); err == nil {
		t.Errorf("%d bytes were taken", len(out))
	}
}

func TestLookup(t *testing.T) {
	a, err := Lookup(context.Background(), "root")
	if err != nil || a.UID != 0 || a.GID != 0 || len(a.Groups) == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Lookup(context.Background(), "no such account"); err == nil {
		t.Error("an account that is none was found")
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if a := ForJob(gone, 4_000_000, 4_000_001); a.UID != 4_000_000 || a.GID != 4_000_001 || len(a.Groups) != 1 {
		t.Errorf("%+v", a)
	}
}
