package peek

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// Verb is the argument that makes the agent's program the child that asks.
const Verb = "peek"

// Serve is the child: questions on in, answers on out, until in ends. uid and gid
// are those of the job: files are opened with their rights, so that root opens no
// file that the user may not; -1 keeps our own.
func Serve(proc string, uid, gid int, in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // rights belong to a thread
	if err := confine(uid, gid); err != nil {
		return err
	}
	from, buf := Direct{Proc: proc}, make([]byte, questionBytes)
	for {
		if _, err := io.ReadFull(in, buf); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		q, seq := decodeQuestion(buf)
		text, ok := attempt(from, q)
		if _, err := out.Write(answer{seq: seq, ok: ok, cpuNS: rawcall.CPU(), text: text}.encode()); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// attempt answers one question: whatever a user's file does to its reader, the
// next one is answered.
func attempt(from Direct, q Question) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	text, err := from.Ask(q)
	if err != nil || len(text) > maxAnswer {
		return nil, false
	}
	return text, true
}

// confine gives this thread the user's rights to files, beside root's to ask
// about processes: see setfsuid(2), which takes the capabilities of files away.
func confine(uid, gid int) error {
	for what, value := range map[int]uintptr{unix.PR_SET_NO_NEW_PRIVS: 1, unix.PR_SET_DUMPABLE: 0} {
		if err := unix.Prctl(what, value, 0, 0, 0); err != nil {
			return fmt.Errorf("confine the reader of processes: %w", err)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("confine the reader of processes: %w", err)
	}
	if unix.Geteuid() != 0 || uid <= 0 || gid < 0 {
		return nil
	}
	// Of this thread only, which is what setfsuid changes.
	if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); e != 0 {
		return fmt.Errorf("confine the reader of processes: setgroups: %w", e)
	}
	_, _ = unix.SetfsgidRetGid(gid)
	_, _ = unix.SetfsuidRetUid(uid)
	if now, err := unix.SetfsuidRetUid(-1); err != nil || now != uid {
		return fmt.Errorf("confine the reader of processes: rights of uid %d stay, not those of %d", now, uid)
	}
	return nil
}
