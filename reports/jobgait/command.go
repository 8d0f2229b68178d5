package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/counter/kernel"
	"jobgait/analysis/run"
)

// command is the process of COMMAND, started and waiting just before its exec.
type command struct {
	pid  int
	hold *os.File // one byte written to it releases the command
	// used lists the resources that it used, once it has ended.
	used []run.Counter
}

// startStopped starts COMMAND, the program at path with args (args[0] is its name), in a process of this program, self,
// that waits before its exec, so that counters can be attached to all of it. It does not use ptrace: a traced exec of a
// setuid program loses its privilege, and COMMAND must run as it does without jobgait. The process inherits jobgait's
// streams, directory, process group and descriptors. The pipe keeps the number that the kernel gave it, because a
// chosen number may be in use (make's job server).
func startStopped(self, path string, args, environ []string) (*command, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	argv := append([]string{"jobgait", as.Release, strconv.Itoa(p[0]), path}, args...)
	syscall.ForkLock.Lock()
	_, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETFD, 0)
	syscall.ForkLock.Unlock()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	proc, err := os.StartProcess(self, argv, &os.ProcAttr{Env: environ, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	_ = unix.Close(p[0])
	hold := os.NewFile(uintptr(p[1]), "hold")
	if err != nil {
		_ = hold.Close()
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	return &command{pid: proc.Pid, hold: hold}, nil
}

// release lets the command exec.
func (c *command) release() {
	_, _ = c.hold.Write([]byte{1}) // fails if the process was killed meanwhile
	_ = c.hold.Close()
}

// wait waits for the command's end and passes signals on to it. Then the command's resource usage counts as
// this process's, where the agent reads it.
func (c *command) wait(signals <-chan os.Signal) syscall.WaitStatus {
	ended := make(chan syscall.WaitStatus, 1)
	go func() {
		var w syscall.WaitStatus
		for {
			used := c.account()
			var usage syscall.Rusage
			_, err := syscall.Wait4(c.pid, &w, syscall.WUNTRACED, &usage)
			switch {
			case errors.Is(err, syscall.EINTR):
			case err == nil && w.Stopped():
				c.stopWithCommand()
			default:
				c.used = used
				if bytes := usage.Maxrss << 10; bytes > waitingHalfBytes {
					c.used = append(used, run.Counter{Name: run.MemoryMost, Unit: "bytes", Scope: "job", Total: float64(bytes)})
				}
				ended <- w
				return
			}
		}
	}()
	for {
		select {
		case w := <-ended:
			return w
		case s := <-signals:
			if sig, ok := s.(syscall.Signal); ok && forwarded(s) {
				_ = unix.Kill(c.pid, sig) // it is our child and not waited for: the pid is its own
			}
		}
	}
}

// waitingHalfBytes is an upper limit of the memory of the waiting process before its exec. The kernel keeps the
// peak across the exec, so a smaller peak is not COMMAND's.
const waitingHalfBytes = 64 << 20

// account waits until the command ends or stops and returns the kernel's counts then. The agent's last reading
// is up to a second old, a command may end before the first reading, and nothing can be read once the process
// was reaped.
func (c *command) account() []run.Counter {
	_ = unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
	schedstat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", c.pid))
	io, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", c.pid))
	return kernel.EndedCounters(schedstat, io)
}

// stopWithCommand is called when COMMAND has stopped. If COMMAND has a process group of its own (an interactive
// shell), it stops this process too, because the calling shell waits for this process, and continues COMMAND as soon
// as that shell continues this process. In a shared group it does nothing, because the terminal stops both.
func (c *command) stopWithCommand() {
	if group, err := unix.Getpgid(c.pid); err != nil || group == unix.Getpgrp() {
		return
	}
	_ = unix.Kill(os.Getpid(), unix.SIGSTOP) // until the shell continues us
	_ = unix.Kill(c.pid, unix.SIGCONT)
}

// release runs in the child process: args are the descriptor to wait on, the path of the program and its arguments. It
// execs the program when one byte arrives. If the parent died first, no byte arrives and the program is not started. It
// returns the exit status of this process if it does not exec.
func release(environ, args []string, complain io.Writer) int {
	// Counters are attached to the first thread of a process, and end if another thread execs. In 3 of 9000 starts
	// on a busy machine Go had moved this goroutine to another thread; then the process starts again.
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		_ = syscall.Exec("/proc/self/exe", append([]string{"jobgait", as.Release}, args...), environ)
	}
	if len(args) < 3 {
		return 2
	}
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	hold := os.NewFile(uintptr(fd), "hold")
	if hold == nil {
		return 2
	}
	// What ends COMMAND shall end this half too, and not be printed by Go.
	for _, s := range []syscall.Signal{unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGABRT} {
		defaultAction(s)
	}
	var b [1]byte
	if n, _ := hold.Read(b[:]); n != 1 {
		return 1
	}
	_ = hold.Close()
	path, argv := args[1], args[2:]
	err = execCommand(path, argv, environ)
	fmt.Fprintf(complain, "jobgait: %s: %v\n", argv[0], err)
	return statusOf(err)
}

// execCommand replaces this process by COMMAND; it returns only if that fails. Like execvp it runs a script
// without #! by the shell.
func execCommand(path string, argv, environ []string) error {
	err := syscall.Exec(path, argv, environ)
	if errors.Is(err, syscall.ENOEXEC) {
		err = syscall.Exec("/bin/sh", append([]string{"sh", path}, argv[1:]...), environ)
	}
	return err
}

// statusOf returns the exit status of sh for a command whose exec failed.
func statusOf(err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound
	}
	return notExecutable
}

// The exit statuses of sh for a command that cannot be run.
const (
	notExecutable = 126
	notFound      = 127
)

// searchPath returns PATH, or the shells' default without one.
func searchPath(environ []string) string {
	for _, kv := range environ {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			return path
		}
	}
	return "/usr/local/bin:/usr/bin:/bin"
}

// resolve finds a command as sh does: along the search path, or as a path if it has a slash. Relative entries
// of the search path are used too. On failure code is the exit status of sh.
func resolve(name, path string) (file string, code int, err error) {
	candidates := []string{name}
	if !strings.Contains(name, "/") {
		candidates = nil
		for _, dir := range filepath.SplitList(path) {
			if dir == "" {
				dir = "."
			}
			candidates = append(candidates, dir+"/"+name)
		}
	}
	code, err = notFound, fmt.Errorf("%s: command not found in PATH: correct its name, or give its path", name)
	for _, file := range candidates {
		st, serr := os.Stat(file)
		switch {
		case serr != nil || name == "":
		case st.IsDir() && strings.Contains(name, "/"):
			return "", notExecutable, fmt.Errorf("%s: cannot run a directory: name a command", name)
		case st.IsDir():
		case unix.Access(file, unix.X_OK) == nil:
			return file, 0, nil
		default:
			code, err = notExecutable, fmt.Errorf("%s: permission denied: the file is not executable: type chmod +x %s",
				name, file)
		}
	}
	return "", code, err
}

// shellEnv returns the environment that the shell would have given COMMAND: a shell that sets _ has set it to
// jobgait, so it is set to path.
func shellEnv(environ []string, path string) []string {
	env := append([]string(nil), environ...)
	for i, kv := range env {
		if value, ok := strings.CutPrefix(kv, "_="); ok && filepath.Base(value) == filepath.Base(os.Args[0]) {
			if abs, err := filepath.Abs(path); err == nil {
				env[i] = "_=" + abs
			}
		}
	}
	return env
}
