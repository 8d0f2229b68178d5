package python

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"jobgait/agent/profile"
	"jobgait/agent/profile/profiletest"
)

// dump prints what the reader makes of a file.
const dump = `import json, sys
sys.dont_write_bytecode = True
import jgp
header, epochs, blocks, footer = jgp.read(sys.argv[1])
json.dump({"header": header, "epochs": epochs, "blocks": [{"slots": s, "columns": c} for s, c in blocks], "footer": footer}, sys.stdout)`

type file struct {
	Header profile.Header
	Epochs []profile.Epoch
	Blocks []struct {
		Slots   []int64
		Columns [][]*int64
	}
	Footer *profile.Footer
}

// python runs the reader.
func python(t *testing.T, path string) (out file, complaint string, err error) {
	t.Helper()
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(exe, "-c", dump, path)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return out, stderr.String(), err
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out, "", nil
}

// compare demands what Go reads.
func compare(t *testing.T, path string, got file) {
	t.Helper()
	want, err := profile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Header.Columns {
		want.Header.Columns[i].Quantum = 0 // found in blocks
	}
	if !reflect.DeepEqual(got.Header, want.Header) || len(got.Epochs) != len(want.Epochs) || (got.Footer == nil) != (want.Footer == nil) {
		t.Errorf("header %+v, %d epochs, footer %v", got.Header, len(got.Epochs), got.Footer)
	}
	if len(got.Blocks) != len(want.Blocks) {
		t.Fatalf("%d blocks, not %d", len(got.Blocks), len(want.Blocks))
	}
	for k, w := range want.Blocks {
		g := got.Blocks[k]
		if w.Every < 2 && len(g.Slots) != w.N || g.Slots[0] != w.First || g.Slots[len(g.Slots)-1] != w.First+int64(w.N)-1 {
			t.Fatalf("block %d: slots %v", k, g.Slots)
		}
		for c, values := range g.Columns {
			for i, v := range values {
				in := w.Columns[c][g.Slots[i]-w.First]
				if v == nil && in != profile.NoValue || v != nil && *v != in {
					t.Fatalf("block %d, column %d, slot %d: %v, not %d", k, c, g.Slots[i], v, in)
				}
			}
		}
	}
}

func TestSynthetic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	if err := profiletest.Write(path, profiletest.Options{Seconds: 8, PeriodS: 0.5, Seal: true}); err != nil {
		t.Fatal(err)
	}
	got, complaint, err := python(t, path)
	if err != nil {
		t.Fatal(complaint)
	}
	compare(t, path, got)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(data) / 3; at < len(data); at += len(data) / 3 { // damaged in two places
		data[at] ^= 1
	}
	if err := os.WriteFile(path, data[:len(data)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	if got, complaint, err = python(t, path); err != nil || len(got.Blocks) != 6 || got.Footer != nil {
		t.Fatal(len(got.Blocks), complaint)
	}
	compare(t, path, got)
}

// odd writes a profile with everything that a block may have.
func odd(t *testing.T, o profile.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	h := profile.Header{StepNS: 5e6, AddressHz: 1000, Columns: make([]profile.Column, 7)}
	for i := range h.Columns {
		h.Columns[i].Name = string(rune('a' + i))
	}
	w, err := profile.Create(path, h, o)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	blocks := 30
	if o.MaxBytes > 0 {
		blocks = 200 // it is to grow too large
	}
	for k := range blocks {
		b := profile.Block{First: int64(k) * 100, N: 1 + rng.IntN(99), Columns: make([][]int64, 7)}
		sum := [7]int64{0, rng.Int64N(1 << 40)}
		for i := range b.N {
			sum[0] = rng.Int64N(1<<50) - rng.Int64N(1<<50) // Python does not wrap
			sum[1] += rng.Int64N(1 << rng.IntN(40))
			sum[2] += rng.Int64N(50) / 48
			sum[3] += 1e6 + rng.Int64N(1e5) + int64(i/20%2)*5e6
			sum[4] = profile.NoValue
			sum[5] = 77
			sum[6] += int64(i) * 1000
			for c, v := range sum {
				if c == 1 && rng.IntN(3) == 0 {
					v = profile.NoValue
				}
				b.Columns[c] = append(b.Columns[c], v)
			}
		}
		if k%3 == 0 {
			b.Ran = []uint16{1, 20, 300, 4000, 10_000, 0, 1}
		}
		if k%2 == 0 {
			b.Samples, b.Pages = make([]uint32, b.N), []profile.PageCount{{Key: rng.Uint64(), Counts: make([]uint16, b.N)}}
			b.Samples[0], b.Pages[0].Counts[0] = 5, 3
		}
		if err := w.Append(b); errors.Is(err, profile.ErrFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Epoch(profile.Epoch{Slot: 3, Kind: "idle", Text: "tea"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEverything(t *testing.T) {
	for name, o := range map[string]profile.Options{
		"packed": {}, "lossless": {Lossless: true}, "plain": {Packing: profile.Plain}, "decimated": {MaxBytes: 1 << 16},
	} {
		path := odd(t, o)
		got, complaint, err := python(t, path)
		if err != nil {
			t.Fatalf("%s: %s", name, complaint)
		}
		compare(t, path, got)
		if merged := len(got.Epochs) > 1; merged != (name == "decimated") {
			t.Errorf("%s: %d epochs", name, len(got.Epochs))
		}
	}
}

// A block that Python cannot read is told in one line.
func TestZstd(t *testing.T) {
	path := odd(t, profile.Options{Packing: profile.Zstd})
	got, complaint, err := python(t, path)
	if err == nil {
		compare(t, path, got)
		return
	}
	lines := strings.Split(strings.TrimSpace(complaint), "\n")
	if !strings.Contains(lines[len(lines)-1], "a block is compressed") {
		t.Error(complaint)
	}
}

func TestShort(t *testing.T) {
	text, err := os.ReadFile("jgp.py")
	if n := bytes.Count(text, []byte("\n")); err != nil || n >= 100 {
		t.Errorf("%d lines", n)
	}
	if _, complaint, err := python(t, "jgp.py"); err == nil || !strings.Contains(complaint, "no jobgait profile") {
		t.Errorf("read itself: %s", complaint)
	}
}
