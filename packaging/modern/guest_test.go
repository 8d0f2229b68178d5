package modern

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// answer is the time limit of a command in a guest that waits for nothing.
const answer = 4 * time.Minute

// guest is a node, reached by ssh.
type guest struct {
	name   string
	config string // of ssh
}

// try runs a script there as root and returns what it printed.
func (g guest) try(limit time.Duration, script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ssh", "-F", g.config, g.name, "bash -s")
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(script), &complaints
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = fmt.Errorf("no end within %v", limit)
	}
	if err != nil {
		err = fmt.Errorf("on %s: %w\n%s%s", g.name, err, out, complaints.String())
	}
	return string(out), err
}

// do runs a script there, whose first failure fails the test.
func (g guest) do(t *testing.T, script string) string {
	t.Helper()
	out, err := g.try(answer, "set -e\n"+script)
	if err != nil {
		t.Fatalf("%v\nof %s", err, script)
	}
	return out
}

// wait waits there until a command succeeds, and reports whether it did. It tries rarely, because a Slurm
// client costs such a machine a second of CPU time.
func (g guest) wait(limit time.Duration, command string) bool {
	script := fmt.Sprintf("end=$((SECONDS + %d)); until %s; do ((SECONDS < end)) || exit 1; sleep 3; done >/dev/null 2>&1",
		int(limit.Seconds()), command)
	_, err := g.try(limit+answer, script)
	return err == nil
}

// unpack unpacks an archive of this machine below the guest's root. The machine sends RUN/archive to any
// client, see machine.sh.
func (g guest) unpack(t *testing.T, archive string) {
	t.Helper()
	shared := filepath.Join(filepath.Dir(archive), "archive")
	if err := os.Remove(shared); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Symlink(archive, shared); err != nil {
		t.Fatal(err)
	}
	g.do(t, "set -o pipefail; cat </dev/tcp/10.0.2.100/99 | tar -C / -xf - --numeric-owner")
}
