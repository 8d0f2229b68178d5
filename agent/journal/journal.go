// Package journal passes lines on to the machine's log: systemd's journal by its
// native protocol, else syslog. A level, a line and fields go in; nothing comes out.
// Where neither listens, or one does not take a line at once, the line is dropped: no
// hook waits for a log, and the node's own file (package job) has it anyway.
//
// See systemd.io/JOURNAL_NATIVE_PROTOCOL and RFC 3164.
package journal

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Level is syslog's severity.
type Level int

// The levels that are used: what keeps a job from its report, what somebody should
// look at, and one line a run.
const (
	Error   Level = 3
	Warning Level = 4
	Info    Level = 6
)

// Field is what a line is about, for searching: journalctl JOBGAIT_JOB_ID=17.
type Field struct{ Name, Value string }

// Sockets are where the two listen.
type Sockets struct{ Journal, Syslog string }

// System are those of this machine.
func System() Sockets {
	return Sockets{Journal: "/run/systemd/journal/socket", Syslog: "/dev/log"}
}

// Send passes one line of a program on, which must have no line breaks.
func (s Sockets) Send(l Level, program, line string, fields ...Field) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if s.Journal != "" && unix.Sendto(fd, native(l, program, line, fields), 0,
		&unix.SockaddrUnix{Name: s.Journal}) == nil {
		return
	}
	if s.Syslog != "" {
		_ = unix.Sendto(fd, []byte(bsd(l, program, line)), 0, &unix.SockaddrUnix{Name: s.Syslog})
	}
}

// native is a line as the journal takes it: NAME=value, a line each.
func native(l Level, program, line string, fields []Field) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\nMESSAGE=%s\n", l, flat(program), flat(line))
	for _, f := range fields {
		fmt.Fprintf(&b, "%s=%s\n", f.Name, flat(f.Value))
	}
	return []byte(b.String())
}

// daemons is syslog's facility of daemons.
const daemons = 3

func bsd(l Level, program, line string) string {
	return fmt.Sprintf("<%d>%s: %s", daemons*8+int(l), flat(program), flat(line))
}

// flat keeps a value on its line: a break would begin a field of somebody's making.
func flat(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
