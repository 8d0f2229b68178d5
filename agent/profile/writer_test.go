package profile

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/analysis/note"
)

// disk is a file in memory on a disk that is full at some size.
type disk struct {
	data     []byte
	room     int  // bytes in all; a write beyond writes what fits
	stuck    bool // truncating fails too
	syncs    chan struct{}
	syncFail error
}

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), max(0, d.room-len(d.data)))
	d.data = append(d.data, p[:n]...)
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (d *disk) Truncate(size int64) error {
	if d.stuck {
		return syscall.EIO
	}
	d.data = d.data[:size]
	return nil
}

func (d *disk) Datasync() error {
	if d.syncs != nil {
		d.syncs <- struct{}{}
	}
	return d.syncFail
}

func (d *disk) Close() error { return nil }

// exact writes what it is given.
var exact = WriterOptions{Lossless: true}

func testHeader(columns ...Column) Header {
	return Header{Node: "n1", StepNS: 5e6, BaseNS: 2e9, RunNS: 1e9, CPUs: 2, Scope: "job", AddressHz: 1000,
		Columns: columns}
}

// blocks makes n blocks that follow each other.
func blocks(n, columns int) []Block {
	rng := rand.New(rand.NewPCG(uint64(n), 9))
	out := make([]Block, n)
	next := int64(0)
	for i := range out {
		out[i] = randomBlock(rng, columns)
		out[i].First = next
		next += int64(out[i].N)
	}
	return out
}

func readBytes(t *testing.T, data []byte) *Profile {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r.ReadAll()
}

func TestWriteRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	h := testHeader(Column{Name: "a", Unit: "1", Scope: "job"},
		Column{Name: "b", Unit: "bytes", Scope: "node", Gauge: true})
	w, err := Create(path, h, exact)
	if err != nil {
		t.Fatal(err)
	}
	want := blocks(5, 2)
	for _, b := range want {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Append(want[4]); err == nil {
		t.Error("the same slots twice")
	}
	if p, err := Read(path); err != nil || len(p.Blocks) != 5 || p.Footer != nil || p.Damage != (Damage{}) {
		t.Fatalf("a profile that is being written: %+v, %v", p, err)
	}
	foot := Footer{Reason: "stopped", Executable: "lmp", Notes: []note.Note{note.New(note.SpoolFull, "full")}}
	if err := w.Seal(foot); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(want[0]); !errors.Is(err, ErrSealed) {
		t.Errorf("Append after Seal: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Blocks, want) || !reflect.DeepEqual(*p.Footer, foot) || p.Damage != (Damage{}) {
		t.Errorf("came back as %+v", p)
	}
	if p.Header.Node != "n1" || !reflect.DeepEqual(p.Header.Columns, h.Columns) || p.Header.Notes == nil {
		t.Errorf("header came back as %+v", p.Header)
	}
	if info, _ := os.Stat(path); info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if _, err := Create(path, h); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create over a profile: %v", err)
	}
	if head, _ := os.ReadFile(path); !IsProfile(head) || IsProfile([]byte("t_s,a\n0,1\n")) {
		t.Error("IsProfile")
	}
}

func TestCreateRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Header){
		"step":      func(h *Header) { h.StepNS = 0 },
		"columns":   func(h *Header) { h.Columns = make([]Column, maxColumns+1) },
		"addresses": func(h *Header) { h.AddressHz = -1 },
		"size":      func(h *Header) { h.Node = strings.Repeat("n", maxJSON) },
	} {
		path := filepath.Join(t.TempDir(), "profile.jgp")
		h := testHeader()
		spoil(&h)
		if _, err := Create(path, h); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: left a file behind", name)
		}
	}
}

// The disk is full at every possible byte; later there is room again. What was
// acknowledged is there, what was not is not, and nothing is damaged.
func TestDiskFull(t *testing.T) {
	want := blocks(3, 1)
	full := &disk{room: 1 << 20}
	w, err := newWriter(full, "p", testHeader(Column{Name: "a"}), exact)
	if err != nil {
		t.Fatal(err)
	}
	start := len(full.data)
	for _, b := range want {
		w.Append(b)
	}
	for room := start; room < len(full.data); room++ {
		for _, stuck := range []bool{false, true} {
			d := &disk{room: room, stuck: stuck}
			w, err := newWriter(d, "p", testHeader(Column{Name: "a"}), exact)
			if err != nil {
				t.Fatal(err)
			}
			var kept []Block
			for _, b := range want {
				err := w.Append(b)
				if err == nil {
					kept = append(kept, b)
				} else if !errors.Is(err, syscall.ENOSPC) {
					t.Fatal(err)
				}
				if err != nil {
					d.room = 1 << 20
				}
			}
			d.stuck = false
			if err := w.Seal(Footer{Reason: "stopped"}); err != nil {
				t.Fatal(err)
			}
			p := readBytes(t, d.data)
			if !reflect.DeepEqual(p.Blocks, kept) || len(kept) != 2 || p.Footer == nil {
				t.Fatalf("full at %d, stuck %v: %d blocks of %d", room, stuck, len(p.Blocks), len(kept))
			}
			if !stuck && p.Damage != (Damage{}) {
				t.Fatalf("full at %d: %+v", room, p.Damage)
			}
		}
	}
}

// syncing makes a writer whose clock advances by a second with every block.
func syncing(t *testing.T, d *disk) func(n int) *Writer {
	t.Helper()
	w, err := newWriter(d, "p", testHeader(Column{Name: "a"}), exact)
	if err != nil {
		t.Fatal(err)
	}
	now := w.synced
	w.now = func() time.Time { return now }
	return func(n int) *Writer {
		for _, b := range blocks(n, 1) {
			b.First = w.nextSlot
			now = now.Add(time.Second)
			if err := w.Append(b); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
}

func TestSyncEvery(t *testing.T) {
	d := &disk{room: 1 << 20, syncs: make(chan struct{}, 100)}
	write := syncing(t, d)
	for seconds := 1; seconds <= 35; seconds++ {
		write(1).wait.Wait()
		if len(d.syncs) != seconds/10 {
			t.Fatalf("%d syncs in %d seconds", len(d.syncs), seconds)
		}
	}
}

// A disk that syncs slowly does not delay the sampler, and only one sync runs at a time. Its failures are
// reported at the end.
func TestSlowSync(t *testing.T) {
	d := &disk{room: 1 << 20, syncs: make(chan struct{}), syncFail: syscall.EIO}
	w := syncing(t, d)(35) // would hang if it waited
	<-d.syncs
	w.wait.Wait()
	select {
	case <-d.syncs:
		t.Error("synced twice at once")
	default:
	}
	if err := w.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("Close after a failed sync: %v", err)
	}
}
