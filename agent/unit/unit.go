// Package unit asks systemd for a cgroup for this process. A process that slurmd has started stays in the
// cgroup of slurmd's service whatever session it is in: it counts there, and a restart of slurmd complains of
// it. A name and a pid come in, a call to the manager goes out; afterwards the process is in a scope, which
// goes when the process does.
//
// Nothing depends on it: a machine without systemd is no error, and callers make the call beside their work and
// log its result.
package unit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// Manager is where systemd listens: Private is the socket that root has for
// itself, which needs no bus daemon, Bus the system's bus. Cgroup is where the
// kernel says which cgroup this process is in, as cgroups(7) has it.
type Manager struct{ Private, Bus, Cgroup string }

// System is the manager of this host.
func System() Manager {
	return Manager{Private: "/run/systemd/private", Bus: "/run/dbus/system_bus_socket", Cgroup: "/proc/self/cgroup"}
}

// limit bounds everything: a manager that reloads its units answers after seconds,
// one that starts a hundred jobs at once too.
const limit = 30 * time.Second

// settle bounds how long a process waits at its end to be in its scope, looking
// every look: systemd does the move after it has answered, within milliseconds
// where it is not busy.
const (
	settle = 5 * time.Second
	look   = 10 * time.Millisecond
)

// property is one of a unit, as the manager takes it: (sv).
type property struct {
	Name  string
	Value dbus.Variant
}

// auxiliary is a further unit of a call: (sa(sv)). The call has none.
type auxiliary struct {
	Name       string
	Properties []property
}

func scopeName(what string) string { return fmt.Sprintf("jobgait-%s-%d.scope", what, os.Getpid()) }

// Scope has this process and its children moved to a scope of their own,
// "jobgait-<what>-<pid>.scope".
func (m Manager) Scope(ctx context.Context, what string) error {
	if os.Geteuid() != 0 {
		return nil // the manager would ask for a password
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := m.connect(ctx)
	if err != nil || conn == nil {
		return err
	}
	defer conn.Close()
	pid, name := os.Getpid(), scopeName(what)
	properties := []property{
		{"PIDs", dbus.MakeVariant(family(pid))},
		{"Description", dbus.MakeVariant("jobgait " + what)},
		{"Slice", dbus.MakeVariant("system.slice")},
		{"CollectMode", dbus.MakeVariant("inactive-or-failed")},
	}
	call := conn.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1").CallWithContext(ctx,
		"org.freedesktop.systemd1.Manager.StartTransientUnit", 0, name, "fail", properties, []auxiliary{})
	if call.Err != nil {
		return fmt.Errorf("ask systemd for %s: %w", name, call.Err)
	}
	return nil
}

// family is this process and its children, as far as the kernel lists those.
func family(pid int) []uint32 {
	pids := []uint32{uint32(pid)}
	lists, _ := filepath.Glob("/proc/self/task/*/children") // none is no error
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for f := range strings.FieldsSeq(string(text)) {
			if n, err := strconv.ParseUint(f, 10, 32); err == nil {
				pids = append(pids, uint32(n))
			}
		}
	}
	return pids
}

// Aside does the same while the caller goes on, and logs why it failed. The
// function returned waits, 5 s at most, until that is over: systemd logs an error
// of a process that has ended before it was moved ("No PIDs left to attach").
func (m Manager) Aside(what string, log func(error)) (settled func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := m.Scope(context.Background(), what); err != nil {
			log(err)
			return
		}
		m.awaitMove(scopeName(what))
	}()
	end := time.Now().Add(settle)
	return func() {
		select {
		case <-over:
		case <-time.After(time.Until(end)):
		}
	}
}

// awaitMove returns once this process is in the scope, at once if no service manager is there to move it, and
// after settle in any case.
func (m Manager) awaitMove(scope string) {
	if os.Geteuid() != 0 || !m.listens() {
		return
	}
	for end := time.Now().Add(settle); time.Now().Before(end); time.Sleep(look) {
		text, err := os.ReadFile(m.Cgroup)
		if err != nil || bytes.Contains(text, []byte("/"+scope+"\n")) {
			return
		}
	}
}

// listens is whether there is a systemd.
func (m Manager) listens() bool {
	return slices.ContainsFunc([]string{m.Private, m.Bus}, func(socket string) bool {
		_, err := os.Lstat(socket)
		return err == nil
	})
}

// connect returns nil without an error where there is no systemd.
func (m Manager) connect(ctx context.Context) (*dbus.Conn, error) {
	for _, socket := range []string{m.Private, m.Bus} {
		conn, err := dbus.Dial("unix:path="+socket, dbus.WithContext(ctx))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Geteuid()))})
		}
		if err == nil && socket == m.Bus { // a bus wants to be greeted, the manager does not
			err = conn.Hello()
		}
		if err == nil {
			return conn, nil
		}
		if conn != nil {
			conn.Close()
		}
		return nil, fmt.Errorf("ask systemd at %s: %w", socket, err)
	}
	return nil, nil
}
