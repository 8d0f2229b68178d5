// Package unit asks systemd for a cgroup for this process. A process that slurmd has started stays in the
// cgroup of slurmd's service in any session: its resources count there, and a restart of slurmd warns about it.
// A name comes in, a call to the manager goes out; afterwards the process is in a scope of its own, which ends
// with the process.
//
// Nothing depends on it: a machine without systemd is no error, and callers make the call in the background and
// log its error.
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

// Manager has the paths for reaching systemd: Private is the socket for root, which needs no bus daemon, Bus
// the system bus. Cgroup is the file with the cgroups of this process (cgroups(7)).
type Manager struct{ Private, Bus, Cgroup string }

// SystemManager returns the manager of this host.
func SystemManager() Manager {
	return Manager{Private: "/run/systemd/private", Bus: "/run/dbus/system_bus_socket", Cgroup: "/proc/self/cgroup"}
}

// limit is the time limit of a call: a manager that reloads its units or starts a hundred jobs answers after
// seconds.
const limit = 30 * time.Second

// maxMoveWait limits how long a process waits at its end to be moved into its scope, checking every
// moveCheckInterval: systemd moves it after answering, usually within milliseconds.
const (
	maxMoveWait       = 5 * time.Second
	moveCheckInterval = 10 * time.Millisecond
)

// property is a property of a unit in D-Bus form: (sv).
type property struct {
	Name  string
	Value dbus.Variant
}

// auxiliary is a further unit of a call in D-Bus form: (sa(sv)). The calls here have no such units.
type auxiliary struct {
	Name       string
	Properties []property
}

// scopeName returns the name of the scope of this process.
func scopeName(what string) string { return fmt.Sprintf("jobgait-%s-%d.scope", what, os.Getpid()) }

// Scope asks systemd to move this process and its children into a scope of their own,
// "jobgait-<what>-<pid>.scope". It does nothing without root or systemd.
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
		{"PIDs", dbus.MakeVariant(selfAndChildren(pid))},
		{"Description", dbus.MakeVariant("jobgait " + what)},
		{"Slice", dbus.MakeVariant("system.slice")},
		{"CollectMode", dbus.MakeVariant("inactive-or-failed")},
	}
	call := conn.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1").CallWithContext(ctx,
		"org.freedesktop.systemd1.Manager.StartTransientUnit", 0, name, "fail", properties, []auxiliary{})
	if call.Err != nil {
		return fmt.Errorf("start the systemd scope %s: %w: this program stays in the scheduler's control group", name,
			call.Err)
	}
	return nil
}

// selfAndChildren returns the pids of this process and of its children, as far as the kernel lists them.
func selfAndChildren(pid int) []uint32 {
	pids := []uint32{uint32(pid)}
	lists, _ := filepath.Glob("/proc/self/task/*/children") // no match is not an error
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

// ScopeInBackground calls Scope in a goroutine and logs its error. The returned function waits until the process is
// moved, or until 5 s after the call of ScopeInBackground: systemd logs an error for a process that ends before it is
// moved ("No PIDs left to attach").
func (m Manager) ScopeInBackground(what string, log func(error)) (settled func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := m.Scope(context.Background(), what); err != nil {
			log(err)
			return
		}
		m.awaitMove(scopeName(what))
	}()
	end := time.Now().Add(maxMoveWait)
	return func() {
		select {
		case <-over:
		case <-time.After(time.Until(end)):
		}
	}
}

// awaitMove returns once this process is in the scope, or after maxMoveWait. It returns at once without root or
// systemd, or if the cgroup of this process cannot be read.
func (m Manager) awaitMove(scope string) {
	if os.Geteuid() != 0 || !m.hasSystemd() {
		return
	}
	for end := time.Now().Add(maxMoveWait); time.Now().Before(end); time.Sleep(moveCheckInterval) {
		text, err := os.ReadFile(m.Cgroup)
		if err != nil || bytes.Contains(text, []byte("/"+scope+"\n")) {
			return
		}
	}
}

// hasSystemd reports whether one of systemd's sockets exists.
func (m Manager) hasSystemd() bool {
	return slices.ContainsFunc([]string{m.Private, m.Bus}, func(socket string) bool {
		_, err := os.Lstat(socket)
		return err == nil
	})
}

// connect connects to systemd by its private socket, else by the bus. Without systemd it returns nil and no
// error.
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
		return nil, fmt.Errorf("connect to systemd at %s: %w: this program stays in the scheduler's control group", socket,
			err)
	}
	return nil, nil
}
