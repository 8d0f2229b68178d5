package names

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// Where a made file has its code, in file and memory, the names and the symbols.
const (
	codeAt, codeAddr, codeBytes = 0x1000, 0x401000, 1 << 18
	stringsAt, tableAt          = 0x400, 0x1800
)

// headers are those of a file with code, names and a table of n symbols.
func headers(symbols uint64) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0x400)
	copy(b, "\x7fELF\x02\x01\x01")
	for at, v := range map[int]uint64{32: 64, 40: 0x200} {
		le.PutUint64(b[at:], v)
	}
	for at, v := range map[int]uint16{54: 56, 56: 1, 58: 64, 60: 3} {
		le.PutUint16(b[at:], v)
	}
	le.PutUint32(b[64:], segLoad)
	for at, v := range map[int]uint64{72: codeAt, 80: codeAddr, 96: codeBytes,
		0x240 + 24: tableAt, 0x240 + 32: symbolBytes * symbols, 0x240 + 56: symbolBytes, 0x280 + 24: stringsAt, 0x280 +
			32: tableAt - stringsAt} {
		le.PutUint64(b[at:], v)
	}
	le.PutUint32(b[0x240+4:], kindSymbols)
	le.PutUint32(b[0x240+40:], 2)
	return b
}

// made is a file with symbols of one name.
func made(name string, symbols ...[2]uint64) []byte {
	b := append(headers(uint64(len(symbols))), make([]byte, tableAt-0x400)...)
	copy(b[stringsAt+1:], name)
	for _, s := range symbols {
		b = append(binary.LittleEndian.AppendUint32(b, 1), 1<<4|2, 0, 1, 0)
		b = binary.LittleEndian.AppendUint64(b, s[0])
		b = binary.LittleEndian.AppendUint64(b, s[1])
	}
	return b
}

// everywhere returns offsets throughout the code.
func everywhere() []uint64 {
	var out []uint64
	for at := uint64(codeAt); at < codeAt+codeBytes; at += profile.PlaceBytes {
		out = append(out, at)
	}
	return out
}

// A million symbols, each over all code: 16,000 places are answered within the
// steps, and what is over is left.
func TestAMillionSymbolsOverlap(t *testing.T) {
	symbols := make([][2]uint64, 1<<20)
	for i := range symbols {
		symbols[i] = [2]uint64{codeAddr, codeBytes}
	}
	f, err := Open(bytes.NewReader(made(strings.Repeat("x", maxRaw+10), symbols...)))
	must(t, err)
	q := &query{ctx: t.Context(), file: f, steps: MaxSteps, width: profile.PlaceBytes, names: map[nameKey]string{}}
	for i, at := range everywhere() {
		a, _ := f.Address(at)
		q.places = append(q.places, place{from: a, index: i})
	}
	q.coverTables(f, kindSymbols, Symtab)
	if q.steps > 0 || q.steps < -2 {
		t.Errorf("%d steps are left", q.steps)
	}
	for i := range q.places {
		if n := q.function(&q.places[i]); n.Name != strings.Repeat("x", MaxName) || len(q.places[i].names) > maxAliases {
			t.Fatalf("%+v", n)
		}
	}
}

// A table of a gigabyte, with nothing in it: memory stays small, and reading ends
// after MaxSteps symbols.
func TestATableOfAGigabyte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "giant")
	w, err := os.Create(path)
	must(t, err)
	defer w.Close()
	_, err = w.Write(headers(1 << 30 / symbolBytes))
	must(t, err)
	must(t, w.Truncate(tableAt+1<<30))
	counted := &reads{ReaderAt: w}
	f, err := Open(counted)
	must(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := f.Name(t.Context(), everywhere(), nil, MaxSteps)
	runtime.ReadMemStats(&after)
	if got[0] != (Function{}) {
		t.Errorf("%+v", got[0])
	}
	if limit := int64(symbolBytes*MaxSteps + 1<<20); counted.bytes > limit {
		t.Errorf("%d bytes were read", counted.bytes)
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
		t.Errorf("%d bytes were allocated", made)
	}
}

// reads counts the bytes that are read.
type reads struct {
	io.ReaderAt
	bytes int64
}

func (r *reads) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, at)
	r.bytes += int64(n)
	return n, err
}

// When time is over, asking is.
func TestTimeEnds(t *testing.T) {
	symbols := make([][2]uint64, 1<<16)
	for i := range symbols {
		symbols[i] = [2]uint64{codeAddr, codeBytes}
	}
	f, err := Open(bytes.NewReader(made("x", symbols...)))
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q := &query{ctx: ctx, file: f, steps: MaxSteps, places: []place{{from: codeAddr}}}
	q.coverTables(f, kindSymbols, Symtab)
	if used := MaxSteps - q.steps; used > 4097 {
		t.Errorf("%d steps after the end", used)
	}
}

func TestOneOfSeveralSymbols(t *testing.T) {
	for name, c := range map[string]struct {
		symbols [][2]uint64
		want    [2]uint64 // of place 0
	}{
		"the one that covers more": {[][2]uint64{{codeAddr - 16, 20}, {codeAddr + 4, 60}},
			[2]uint64{codeAt + 4, codeAt + 64}},
		"the shorter of two around it": {[][2]uint64{{codeAddr, 4096}, {codeAddr, 64}, {codeAddr, 128}},
			[2]uint64{codeAt, codeAt + 64}},
		"no range beside it":       {[][2]uint64{{codeAddr + 16, 64}}, [2]uint64{}},
		"no range without an end":  {[][2]uint64{{codeAddr, 0}, {codeAddr, ^uint64(0)}}, [2]uint64{}},
		"no range beyond the file": {[][2]uint64{{codeAddr, codeBytes + 1}}, [2]uint64{}},
	} {
		f, err := Open(bytes.NewReader(made("f", c.symbols...)))
		must(t, err)
		if got := f.Name(t.Context(), []uint64{codeAt}, nil, MaxSteps)[0]; got.Start != c.want[0] || got.End != c.want[1] {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// For any bytes: no panic, no unclean name, no invalid bounds.
func FuzzName(f *testing.F) {
	f.Add(made("_Z3foov", [2]uint64{codeAddr, 64}), uint64(codeAt))
	f.Add(headers(1<<40), uint64(codeAt))
	if b, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(b, uint64(0x2000))
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint64) {
		if got := unfit(t.Context(), b, at); got != nil {
			t.Errorf("%+v", got)
		}
	})
}

// unfit is what is wrong among the functions of a file, nil if nothing is.
func unfit(ctx context.Context, b []byte, at uint64) *Function {
	file, err := Open(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	for _, got := range file.Name(ctx, []uint64{at, 0x1000, ^uint64(0)}, file, 1<<16) {
		if got != (Function{}) && (got.Start >= got.End || got.Source == "") || len(got.Name) > MaxName ||
			got.Name != note.Clean(got.Name, MaxName) {
			return &got
		}
	}
	return nil
}

// TestDamagedFiles reads JOBGAIT_INPUTS randomly damaged files. It is faster than the fuzzer, which must detect
// new inputs. Half of the damage is in the headers.
func TestDamagedFiles(t *testing.T) {
	inputs := 20_000
	if text := os.Getenv("JOBGAIT_INPUTS"); text != "" {
		if _, err := fmt.Sscan(text, &inputs); err != nil {
			t.Fatal(err)
		}
	}
	seeds := [][]byte{made("_Z3foov", [2]uint64{codeAddr, 64}, [2]uint64{codeAddr + 32, 640}), headers(1 << 40)}
	var all sync.WaitGroup
	var opened atomic.Int64
	for worker := range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 5))
			for range inputs / runtime.GOMAXPROCS(0) {
				b := bytes.Clone(seeds[r.IntN(len(seeds))])
				for range 1 + r.IntN(6) {
					i := r.IntN(len(b))
					if r.IntN(2) == 0 {
						i = r.IntN(min(len(b), 512))
					}
					switch r.IntN(4) {
					case 0:
						b[i] = byte(r.Uint32())
					case 1:
						b[i] ^= 1 << r.IntN(8)
					case 2:
						b = b[:i+1]
					default:
						if i+8 <= len(b) {
							binary.LittleEndian.PutUint64(b[i&^7:], r.Uint64()>>r.IntN(64))
						}
					}
				}
				if _, err := Open(bytes.NewReader(b)); err == nil {
					opened.Add(1)
				}
				if got := unfit(t.Context(), b, uint64(codeAt)+16*r.Uint64N(64)); got != nil {
					t.Errorf("%x: %+v", b, got)
					return
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d inputs, %d of them opened", inputs, opened.Load())
}
