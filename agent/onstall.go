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

// onStall starts a program of the site, once a run, when the job has stalled. Sampling never waits for the
// program, and its failure is only logged.
type onStall struct {
	notify   func(context.Context, []byte) error
	notified bool
	ended    chan error
}

// stallReport is what the program reads from its input, in JSON: the state of the loop, and the job's user.
type stallReport struct {
	live.State
	User string `json:"user"`
	UID  int    `json:"uid"`
}

// stallS limits how long the site's program may run, in seconds.
const stallS = 10

// newOnStall returns the starter of the program live.on_stall, which a child runs as live.account, never as
// root. It returns nil if no program is to be started: without a setting, on nodes other than the first, and
// under `jobgait run`.
func newOnStall(c configs.Live, r job.Run, self string) *onStall {
	if c.OnStall == "" || r.RootPID != 0 || !scheduler.OnFirstNode(r) {
		return nil
	}
	return &onStall{ended: make(chan error, 1), notify: func(ctx context.Context, text []byte) error {
		account, err := as.Lookup(ctx, c.Account)
		if err != nil {
			return fmt.Errorf("live.on_stall was not started: use the account of live.account: %w", err)
		}
		if account.UID == 0 {
			return errors.New("live.on_stall was not started: it never runs as root; set live.account to another account")
		}
		child := as.Child{Program: self, Account: account}
		err = as.AskAll(ctx, child, as.OnStall, c.OnStall, bytes.NewReader(text), 0, func(struct{}) error { return nil })
		if err != nil {
			return fmt.Errorf("run the program of live.on_stall: %w: no second try in this run", err)
		}
		return nil
	}}
}

// checkProgram returns an error for a program that accounts other than root could change or that is not an
// executable file. Only the child calls it, because the program's file system may hang.
func checkProgram(program string) error {
	if !filepath.IsAbs(program) || filepath.Clean(program) != program {
		return fmt.Errorf("invalid path %.200q: want an absolute path without . and ..", program)
	}
	for path := program; ; path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err != nil {
			return fmt.Errorf("check the program: %w", err)
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !ok || st.Uid != 0:
			return fmt.Errorf("%.200s does not belong to root: chown root", path)
		case path == program && (!info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0):
			return fmt.Errorf("%.200s is not an executable file: chmod a+x", path)
		case path != program && !info.IsDir():
			return fmt.Errorf("%.200s is not a directory: correct the path", path)
		case info.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("accounts other than root can change %.200s: chown root, chmod go-w",
				path)
		case path == "/":
			return nil
		}
	}
}

// startOnce starts the program with the stall's report as its input; later calls do nothing. It does nothing
// on a nil o.
func (o *onStall) startOnce(s live.State, user string, uid int) {
	if o == nil || o.notified {
		return
	}
	o.notified = true
	text, err := json.Marshal(stallReport{s, user, uid})
	if err != nil {
		o.ended <- fmt.Errorf("internal error, please report it: live.on_stall was not started: encode its input: %w", err)
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), stallS*time.Second)
		defer cancel()
		o.ended <- o.notify(ctx, text)
	}()
}

// takeError returns the program's error if it has ended with one since the last call, else nil.
func (o *onStall) takeError() error {
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

// becomeProgram is the main function of the child: it replaces itself by the program named in the first line of the
// input, and returns only with an error. The program reads the rest of the input; its standard output is dropped. A
// timer ends it after stallS even if the agent has gone.
func becomeProgram(_ context.Context, r as.Request) error {
	line, err := readLine(r.In)
	if err != nil {
		return err
	}
	program := line
	if strings.HasPrefix(line, `"`) { // an agent that was started before an upgrade sends the path alone
		if err := json.Unmarshal([]byte(line), &program); err != nil {
			return fmt.Errorf("decode the path of the program: %w", err)
		}
	}
	if err := checkProgram(program); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		err = unix.Dup3(int(null.Fd()), 1, 0)
	}
	if err != nil {
		return fmt.Errorf("redirect the output of %.200s to /dev/null: %w", program, err)
	}
	if _, err := unix.Setitimer(unix.ITIMER_REAL, unix.Itimerval{Value: unix.Timeval{Sec: stallS}}); err != nil {
		return fmt.Errorf("set the time limit of %.200s: %w", program, err)
	}
	return fmt.Errorf("start %.200s: %w", program, syscall.Exec(program, []string{program}, []string{}))
}

// readLine reads one line and not a byte more, and returns it without its line feed.
func readLine(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); len(line) < unix.PathMax; {
		if _, err := io.ReadFull(in, b); err != nil {
			return "", fmt.Errorf("read the program's path from the agent: %w", err)
		}
		if b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[0])
	}
	return "", errors.New("the program's path has 4096 bytes or more: shorten it")
}
