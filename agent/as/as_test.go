package as

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// unprivilegedAccount returns an unprivileged account, or skips the test if it cannot be used.
func unprivilegedAccount(t *testing.T) Account {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	return Account{UID: 65534, GID: 65534, Groups: []uint32{65534, 65533}}
}

func output(t *testing.T, a Account, verb string) string {
	t.Helper()
	b, err := rawOutput(context.Background(), Child{Program: self(t), Account: a}, verb, "input", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b)
}

// rawOutput returns the output of a child whose verb is not in the table.
func rawOutput(ctx context.Context, c Child, verb, input string, limit int) (string, error) {
	var out bytes.Buffer
	err := c.run(ctx, verb, strings.NewReader(input), limit, &out)
	return out.String(), err
}

// self is this program, which is the child too.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A child that may start programs has only the rights and the environment of the other account; the programs
// that it starts have the same.
func TestChildHasOnlyTheAccountsRights(t *testing.T) {
	got := output(t, unprivilegedAccount(t), "script")
	want := "65534\n65534\n65534 65533\n/\ninput\n4" // 4: the three streams and ls's own directory
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A hanging child does not block the caller.
func TestHangingChildIsLeftBehind(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := rawOutput(ctx, Child{Program: self(t), Account: Self()}, "hang", "", 1); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestComplaintIsOneBoundedLine(t *testing.T) {
	_, err := rawOutput(context.Background(), Child{Program: self(t), Account: Self()}, "complain", "", 1)
	if err == nil || strings.ContainsAny(err.Error(), "\n\033") || len(err.Error()) > 500 {
		t.Errorf("%q", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	if out, err := rawOutput(context.Background(), Child{Program: self(t), Account: Self()}, "talk", "",
		1<<16); err == nil {
		t.Errorf("%d bytes were taken", len(out))
	}
}

// A child that receives several requests answers each of them.
func TestStartedChildTalks(t *testing.T) {
	in, ask, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Child{Program: self(t), Account: Self()}.Start("echo", in, out)
	if err := errors.Join(err, in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	for range 3 {
		_, err := ask.WriteString("question")
		if n, rerr := answers.Read(buf); err != nil || rerr != nil || string(buf[:n]) != "question" {
			t.Errorf("%q, %v, %v", buf[:n], err, rerr)
		}
	}
	if err := errors.Join(ask.Close(), answers.Close()); err != nil {
		t.Error(err)
	}
	if state, err := p.Wait(); err != nil || !state.Success() {
		t.Errorf("%v, %v", state, err)
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
