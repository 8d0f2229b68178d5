package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/configs"
)

// onStall tells a program of the site, once a run, that the job has stalled. The
// program runs beside sampling, which never waits for it, and whatever becomes of it
// is a line in the agent's log.
type onStall struct {
	tell  func(context.Context, []byte) error
	told  bool
	ended chan error
}

// stallReport is what the program reads: the state, and whose job it is.
type stallReport struct {
	live.State
	User string `json:"user"`
	UID  int    `json:"uid"`
}

// stallS is how long the site's program may take, in seconds.
const stallS = 10

// newOnStall returns nil if no notification is wanted: without a program, on other nodes than the first, and
// under `jobgait run`.
func newOnStall(c configs.Live, r job.Run, self string) *onStall {
	if c.OnStall == "" || r.RootPID != 0 || !scheduler.OnFirstNode(r) {
		return nil
	}
	return &onStall{ended: make(chan error, 1), tell: func(ctx context.Context, text []byte) error {
		account, err := as.Lookup(ctx, c.Account)
		if err != nil {
			return err
		}
		if account.UID == 0 {
			return errors.New("live.on_stall needs live.account: the program is not started as root")
		}
		child := as.Child{Program: self, Account: account}
		return as.AskAll(ctx, child, as.OnStall, c.OnStall, bytes.NewReader(text), 0, func(struct{}) error { return nil })
	}}
}

// startable refuses a program that anybody but root could change. The child asks: the
// file system that has the program may hang, and the agent with it.
func startable(program string) error {
	if !filepath.IsAbs(program) || filepath.Clean(program) != program {
		return fmt.Errorf("live.on_stall: %.200q is not an absolute path", program)
	}
	for path := program; ; path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err != nil {
			return fmt.Errorf("live.on_stall: %w", err)
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !ok || st.Uid != 0:
			return fmt.Errorf("live.on_stall: %.200s does not belong to root", path)
		case path == program && (!info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0):
			return fmt.Errorf("live.on_stall: %.200s is not an executable file", path)
		case path != program && !info.IsDir():
			return fmt.Errorf("live.on_stall: %.200s is not a directory", path)
		case info.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("live.on_stall: not started: accounts other than root can change %.200s (chown root, chmod go-w)",
				path)
		case path == "/":
			return nil
		}
	}
}

// stall starts the program, once a run.
func (o *onStall) stall(s live.State, user string, uid int) {
	if o == nil || o.told {
		return
	}
	o.told = true
	text, err := json.Marshal(stallReport{s, user, uid})
	if err != nil {
		o.ended <- err
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), stallS*time.Second)
		defer cancel()
		o.ended <- o.tell(ctx, text)
	}()
}

// failed returns the program's error since the last call, nil without one.
func (o *onStall) failed() error {
	if o == nil {
		return nil
	}
	select {
	case err := <-o.ended:
		return err
	default:
		return nil
	}
}

// becomeProgram is the child: it becomes the program that the question names, which reads the rest of the input. What
// the program prints is dropped. The alarm ends it even if the agent has gone.
func becomeProgram(_ context.Context, r as.Request) error {
	line, err := lineOf(r.In)
	if err != nil {
		return err
	}
	program := line
	if strings.HasPrefix(line, `"`) { // an agent that was started before an upgrade sends the path alone
		if err := json.Unmarshal([]byte(line), &program); err != nil {
			return fmt.Errorf("live.on_stall: %w", err)
		}
	}
	if err := startable(program); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		err = unix.Dup3(int(null.Fd()), 1, 0)
	}
	if err != nil {
		return fmt.Errorf("drop the output of %.200s: %w", program, err)
	}
	if _, err := unix.Setitimer(unix.ITIMER_REAL, unix.Itimerval{Value: unix.Timeval{Sec: stallS}}); err != nil {
		return fmt.Errorf("bound %.200s: %w", program, err)
	}
	return fmt.Errorf("start %.200s: %w", program, syscall.Exec(program, []string{program}, []string{}))
}

// lineOf reads a line and not a byte more.
func lineOf(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); len(line) < unix.PathMax; {
		if _, err := io.ReadFull(in, b); err != nil {
			return "", fmt.Errorf("no line: %w", err)
		}
		if b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[0])
	}
	return "", errors.New("a line too long")
}
