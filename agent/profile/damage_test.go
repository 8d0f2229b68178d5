package profile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile"
	"jobgait/agent/profile/profiletest"
)

// real is a profile as the agent writes it, and what is in it.
func real(t *testing.T, seconds float64) ([]byte, []profile.Block) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	if err := profiletest.Write(path, profiletest.SyntheticRun{Seconds: seconds, PeriodS: 0.8, Seal: true}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, blocksOf(t, data)
}

func blocksOf(t *testing.T, data []byte) []profile.Block {
	t.Helper()
	r, err := profile.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r.ReadAll().Blocks
}

// Cut at every 37th byte, a file gives every block that is whole; with a byte
// flipped there, every other block.
func TestEvery37thByte(t *testing.T) {
	const seconds = 6
	data, want := real(t, seconds)
	if len(want) != seconds {
		t.Fatalf("%d blocks", len(want))
	}
	var starts, ends []int // of the frames of blocks; other frames are between them
	overviews := 0
	for at, next := 0, 0; at < len(data); at = next {
		if next = len(data); bytes.Contains(data[at+1:], []byte("\x8bJGP")) {
			next = at + 1 + bytes.Index(data[at+1:], []byte("\x8bJGP"))
		}
		switch data[at+4] {
		case 'B':
			starts, ends = append(starts, at), append(ends, next)
		case 'O':
			overviews++
		}
	}
	if overviews == 0 || len(ends) != seconds {
		t.Fatalf("%d overviews behind %d blocks", overviews, len(ends))
	}
	for at := 0; at < len(data); at += 37 {
		if at < bytes.Index(data[1:], []byte("\x8bJGP")) {
			continue // in the header
		}
		whole := 0
		for whole < len(ends) && ends[whole] <= at {
			whole++
		}
		if got := blocksOf(t, data[:at]); len(got) != whole || whole > 0 && !reflect.DeepEqual(got, want[:whole]) {
			t.Fatalf("cut at %d: %d blocks, %d are whole", at, len(got), whole)
		}
		bad := bytes.Clone(data)
		bad[at] ^= 1 << (at % 8)
		others := slices.Clone(want)
		if whole < seconds && at >= starts[whole] {
			others = slices.Delete(others, whole, whole+1)
		}
		if got := blocksOf(t, bad); !reflect.DeepEqual(got, others) {
			t.Fatalf("flipped at %d: %d blocks, not %d", at, len(got), len(others))
		}
	}
}

// A disk that becomes full in the middle of a run keeps what was written, and accepts more once there is space.
// The disk is a real one if the test may mount.
func TestRealDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("jobgait-test", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system of our own (TestDiskFull has one in memory): %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	_, blocks := real(t, 60)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 24<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	h := profile.Header{StepNS: 5e6, AddressHz: 1000, Columns: make([]profile.Column, len(blocks[0].Columns))}
	path := filepath.Join(dir, "profile.jgp")
	w, err := profile.Create(path, h, profile.WriterOptions{Lossless: true})
	if err != nil {
		t.Fatal(err)
	}
	var kept []profile.Block
	failures := 0
	for _, b := range blocks {
		switch err := w.Append(b); {
		case err == nil:
			kept = append(kept, b)
		case !errors.Is(err, unix.ENOSPC):
			t.Fatal(err)
		default:
			if failures++; failures == 3 {
				os.Remove(ballast)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(path)
	if err != nil || failures < 4 || p.Damage != (profile.Damage{}) || !reflect.DeepEqual(p.Blocks, kept) {
		t.Errorf("%d blocks of %d, %d failures, %+v, %v", len(p.Blocks), len(kept), failures, p.Damage, err)
	}
}
