// Package journal sends lines to the machine's log: systemd's journal by its native protocol, else syslog. A
// level, a line and fields go in; nothing comes out. If neither accepts a line at once, the line is dropped: no
// hook waits for a log, and the node's own log file (package job) has it anyway.
//
// See systemd.io/JOURNAL_NATIVE_PROTOCOL and RFC 3164.
package journal

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Level is a severity of syslog.
type Level int

// The used levels: Error for what prevents a job's report, Warning for what an administrator should look at,
// Info for one line per run.
const (
	Error   Level = 3
	Warning Level = 4
	Info    Level = 6
)

// Field is a searchable field of a journal line: journalctl JOBGAIT_JOB_ID=17.
type Field struct{ Name, Value string }

// Sockets are the socket paths of the journal and of syslog; "" for none.
type Sockets struct{ Journal, Syslog string }

// SystemSockets returns the standard socket paths of a machine.
func SystemSockets() Sockets {
	return Sockets{Journal: "/run/systemd/journal/socket", Syslog: "/dev/log"}
}

// Send sends one line of a program to the journal, or to syslog if that fails. Control characters are
// replaced. It does not wait, and drops the line if both fail.
func (s Sockets) Send(l Level, program, line string, fields ...Field) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if s.Journal != "" && unix.Sendto(fd, journalMessage(l, program, line, fields), 0,
		&unix.SockaddrUnix{Name: s.Journal}) == nil {
		return
	}
	if s.Syslog != "" {
		_ = unix.Sendto(fd, []byte(syslogMessage(l, program, line)), 0, &unix.SockaddrUnix{Name: s.Syslog})
	}
}

// journalMessage returns a line in the journal's native format: one NAME=value per line.
func journalMessage(l Level, program, line string, fields []Field) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\nMESSAGE=%s\n", l, withoutControls(program), withoutControls(line))
	for _, f := range fields {
		fmt.Fprintf(&b, "%s=%s\n", f.Name, withoutControls(f.Value))
	}
	return []byte(b.String())
}

// facilityDaemon is the number of syslog's facility for daemons.
const facilityDaemon = 3

// syslogMessage returns a line in the format of RFC 3164, without a time.
func syslogMessage(l Level, program, line string) string {
	return fmt.Sprintf("<%d>%s: %s", facilityDaemon*8+int(l), withoutControls(program), withoutControls(line))
}

// withoutControls replaces control characters by '?', because a line break would begin a forged field.
func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
