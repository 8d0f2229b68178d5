package unit

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// manager records the requests to a fake systemd, and its answers.
type manager struct {
	asked   chan *dbus.Message
	refuses bool
	silent  bool // after the greeting
}

// listen makes a manager listen until the test ends.
func (m *manager) listen(t *testing.T, socket string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root asks systemd")
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	m.asked = make(chan *dbus.Message, 8)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if err := m.serve(c); err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("manager: %v", err)
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
}

// serve greets as a bus does, then answers calls.
func (m *manager) serve(c net.Conn) error {
	in := bufio.NewReader(c)
	if b, err := in.ReadByte(); err != nil || b != 0 {
		return fmt.Errorf("first byte %d, %w", b, err)
	}
	for greeted := false; !greeted; {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		answer := map[string]string{"AUTH": "REJECTED EXTERNAL", "AUTH EXTERNAL": "DATA",
			"DATA": "OK 0123456789abcdef0123456789abcdef", "NEGOTIATE_UNIX_FD": "ERROR"}[strings.TrimSpace(line)]
		if greeted = strings.TrimSpace(line) == "BEGIN"; greeted {
			break
		}
		if answer == "" {
			return fmt.Errorf("greeted with %q", line)
		}
		if _, err := c.Write([]byte(answer + "\r\n")); err != nil {
			return err
		}
	}
	for {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return nil // closed
		}
		m.asked <- call
		if m.silent {
			continue
		}
		if err := m.answer(call).EncodeTo(c, binary.LittleEndian); err != nil {
			return err
		}
	}
}

func (m *manager) answer(call *dbus.Message) *dbus.Message {
	reply := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(call.Serial())}}
	body := any(dbus.ObjectPath("/org/freedesktop/systemd1/job/7"))
	switch {
	case call.Headers[dbus.FieldMember].Value() == "Hello":
		body = ":1.7"
	case m.refuses:
		reply.Type = dbus.TypeError
		reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant("org.freedesktop.DBus.Error.InvalidArgs")
		body = "Unit jobgait was already loaded"
	}
	reply.Body = []any{body}
	reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body))
	return reply
}

// member is the method of the next call.
func (m *manager) next(t *testing.T) (member string, call *dbus.Message) {
	t.Helper()
	select {
	case call = <-m.asked:
		return call.Headers[dbus.FieldMember].Value().(string), call
	case <-time.After(30 * time.Second):
		t.Fatal("systemd was not called")
		return "", nil
	}
}

// The call is the one that systemd documents, over its private socket and over the bus.
func TestScope(t *testing.T) {
	for name, private := range map[string]bool{"private": true, "bus": false} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "socket")
			at := Manager{Private: socket + ".none", Bus: socket}
			if private {
				at = Manager{Private: socket, Bus: socket + ".none"}
			}
			var m manager
			m.listen(t, socket)
			if err := at.Scope(t.Context(), "agent-17"); err != nil {
				t.Fatal(err)
			}
			member, call := m.next(t)
			if !private {
				if member != "Hello" {
					t.Errorf("the bus got no greeting but the call %s", member)
				}
				member, call = m.next(t)
			}
			header := fmt.Sprint(call.Headers[dbus.FieldDestination], call.Headers[dbus.FieldPath],
				call.Headers[dbus.FieldInterface],
				call.Headers[dbus.FieldSignature])
			if member != "StartTransientUnit" ||
				header != `"org.freedesktop.systemd1" @o "/org/freedesktop/systemd1" "org.freedesktop.systemd1.Manager" @g `+
					`"ssa(sv)a(sa(sv))"` {
				t.Errorf("%s of %s", member, header)
			}
			want := []any{fmt.Sprintf("jobgait-agent-17-%d.scope", os.Getpid()), "fail", [][]any{
				{"PIDs", dbus.MakeVariant([]uint32{uint32(os.Getpid())})}, {"Description", dbus.MakeVariant("jobgait agent-17")},
				{"Slice", dbus.MakeVariant("system.slice")}, {"CollectMode", dbus.MakeVariant("inactive-or-failed")}}, [][]any{}}
			if !reflect.DeepEqual(call.Body, want) {
				t.Errorf("queried\n%v, want\n%v", call.Body, want)
			}
		})
	}
}

func TestNoScope(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	if err := (Manager{Private: socket, Bus: socket}).Scope(t.Context(), "agent-1"); err != nil {
		t.Errorf("without systemd: %v", err)
	}
	refusing := manager{refuses: true}
	refusing.listen(t, socket)
	if err := (Manager{Private: socket}).Scope(t.Context(), "agent-1"); err == nil ||
		!strings.Contains(err.Error(), "already loaded") {
		t.Errorf("refused: %v", err)
	}
	silent := manager{silent: true}
	silent.listen(t, socket+"2")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-silent.asked; cancel() }()
	if err := (Manager{Private: socket + "2"}).Scope(ctx, "agent-1"); err == nil {
		t.Error("without an answer no error")
	}
	mute, err := net.Listen("unix", socket+"3") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (Manager{Private: socket + "3"}).Scope(ctx, "agent-1"); err == nil {
		t.Error("without a greeting no error")
	}
}

// A process that ends at once waits until systemd has moved it, and no longer. Without systemd, or if it
// refuses, it does not wait.
func TestSettled(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	cgroup := filepath.Join(t.TempDir(), "cgroup")
	in := func(scope string) {
		t.Helper()
		if err := os.WriteFile(cgroup, []byte("0::/system.slice/"+scope+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in("slurmd.service")
	said := make(chan error, 1)
	at := Manager{Private: socket, Bus: socket + ".none", Cgroup: cgroup}
	at.ScopeInBackground("sweep", func(err error) { said <- err })() // returns although nothing receives
	var m manager
	m.listen(t, socket)
	over := make(chan struct{})
	settled := at.ScopeInBackground("sweep", func(err error) { said <- err })
	go func() { settled(); close(over) }()
	m.next(t)
	select {
	case <-over:
		t.Error("over before the process was moved")
	case <-time.After(10 * moveCheckInterval):
	}
	in(scopeName("sweep"))
	<-over
	in("slurmd.service")
	m.refuses = true
	at.ScopeInBackground("sweep", func(err error) { said <- err })()
	if err := <-said; !strings.Contains(err.Error(), "already loaded") {
		t.Errorf("refused: %v", err)
	}
}

// A child that was started before goes along.
func TestFamily(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err != nil {
		t.Skip("this kernel lists no children")
	}
	if got := selfAndChildren(os.Getpid()); got[0] != uint32(os.Getpid()) ||
		!slices.Contains(got, uint32(child.Process.Pid)) {
		t.Errorf("%v lacks %d", got, child.Process.Pid)
	}
}
