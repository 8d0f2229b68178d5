package stack

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// gdbStack is a stop of a program under gdb.
type gdbStack struct {
	PID       int      `json:"pid"`
	Registers []uint64 `json:"registers"`
	Stack     string   `json:"stack"`
	StackAt   uint64   `json:"stack_at"` // the address of its first byte
	Frames    [][3]any `json:"frames"`   // program counter, name, kind
	Code      []string `json:"code"`     // the executable mappings of the process
}

// agreement counts frames of both.
type agreement struct{ stacks, whole, frames, same, invented, names, equal, unnamed int }

// The stacks of real programs at random moments are those of gdb. By hand: JOBGAIT_GDB is the number of stops of each.
func TestAgainstGDB(t *testing.T) {
	n := os.Getenv("JOBGAIT_GDB")
	if n == "" {
		t.Skip("by hand: JOBGAIT_GDB=400")
	}
	for name, command := range map[string][]string{
		"gawk": {"gawk", "BEGIN{while(1){for(i=0;i<3000;i++){a[i%97]=a[i%97] sprintf(\"%d\",i); " +
			"if(gsub(/1+/,\"x\",a[i%97])>50)a[i%97]=\"\"}; n=asort(a,b)}}"},
		"sqlite3": {"sqlite3", ":memory:",
			"with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from (select x, " +
				"hex(randomblob(9)) h from c order by h)"},
		"perl": {"perl", "-e", "while(1){my %h; $h{$_ % 977}.=sprintf('%.3f',sqrt($_)) for 1..20000; my @s=sort values " +
			"%h; join('',@s)=~s/1+/x/gr}"},
		"openssl": {"openssl", "speed", "-seconds", "600", "rsa2048"},
		"lmp":     {"lmp", "-in", "testdata/melt.in", "-log", "none"},
	} {
		t.Run(name, func(t *testing.T) { compareWithGDB(t, n, command) })
	}
}

func compareWithGDB(t *testing.T, n string, command []string) {
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skip(err)
	}
	out := filepath.Join(t.TempDir(), "stacks")
	cmd := exec.Command("gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off",
		"-ex", "handle SIGINT stop print nopass", "-ex", "starti", "-ex", "source testdata/stacks.py", "--args", command[0])
	cmd.Args = append(cmd.Args, command[1:]...)
	cmd.Env = append(os.Environ(), "STACKS_OUT="+out, "STACKS_N="+n)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	defer func() {
		_ = cmd.Process.Kill()
		<-ended
	}()
	taken := awaitStacks(t, out, ended, &said)
	u := newUnwinder(t.Context(), "/proc", Functions)
	u.cpuNS = math.MaxInt64
	var a agreement
	loaded := 0
	for _, g := range taken {
		// The unwinder reads the mappings that the process has now.
		if !slices.Equal(g.Code, taken[len(taken)-1].Code) {
			loaded++
			continue
		}
		a.add(t, u, g)
	}
	t.Logf("%d stacks, %d whole, left out %d from before a library was loaded; "+
		"%d frames of gdb, %d equal (%.2f %%), %d invented; "+
		"of %d named by both %d equal (%.2f %%), %d without a name",
		a.stacks, a.whole, loaded, a.frames, a.same, 100*float64(a.same)/float64(a.frames), a.invented, a.names, a.equal,
		100*float64(a.equal)/float64(a.names), a.unnamed)
	if a.stacks == 0 || a.invented > 0 || 100*a.same < 99*a.frames || 100*a.equal < 99*a.names {
		t.Error("too few agree")
	}
}

// awaitStacks returns the stacks in a file when gdb has written all. It fails if gdb ends before; only the limit of all
// tests ends the wait, since a loaded machine needs minutes.
func awaitStacks(t *testing.T, path string, ended <-chan struct{}, said *bytes.Buffer) (taken []gdbStack) {
	t.Helper()
	for {
		text, err := os.ReadFile(path)
		if bytes.HasSuffix(text, []byte("{}\n")) {
			break
		}
		select {
		case <-ended:
			t.Fatalf("gdb ended: %v, %s", err, said)
		case <-time.After(time.Second):
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var g gdbStack
		if err := json.Unmarshal(in.Bytes(), &g); err == nil && g.PID != 0 {
			taken = append(taken, g)
		}
	}
	return taken
}

// add compares one stack frame by frame, by program counters and names.
func (a *agreement) add(t *testing.T, u *unwinder, g gdbStack) {
	stack, err := hex.DecodeString(g.Stack)
	if err != nil {
		t.Fatal(err)
	}
	c := ThreadCopy{PID: g.PID, TID: g.PID, Registers: g.Registers, Known: 1<<len(g.Registers) - 1, Stack: stack,
		StackAt: g.StackAt}
	got := u.unwind([]ThreadCopy{c})[0]
	a.stacks++
	if got.Ending == Whole {
		a.whole++
	}
	maps := u.mappings[g.PID]
	a.frames += len(g.Frames)
	for i, f := range got.Frames {
		if i >= len(g.Frames) {
			a.invented++
			t.Logf("frame %d is not gdb's: %s+%#x %s; %v", i, f.Library, f.Offset, f.Function, g.Frames)
			return
		}
		pc := uint64(g.Frames[i][0].(float64))
		m := mappingAt(maps, pc)
		off := uint64(0)
		if m != nil {
			off = pc - m.start + m.offset
		}
		if f.Offset != off && f.Offset+1 != off {
			a.invented++
			t.Logf("frame %d is at %s+%#x %s instead of %v", i, f.Library, f.Offset, f.Function, g.Frames[i])
			return
		}
		a.same++
		name, _, _ := strings.Cut(g.Frames[i][1].(string), "(")
		switch {
		case f.Function == "" || name == "":
			a.unnamed++
		default:
			a.names++
			if plain(f.Function) == plain(name) {
				a.equal++
			} else {
				t.Log("names: ", f.Function, " is of gdb ", name, fmt.Sprintf(" at %s+%#x", f.Library, f.Offset))
			}
		}
	}
	if len(got.Frames) < len(g.Frames) {
		t.Logf("ends with %s after %d of %d frames: %v", got.Ending, len(got.Frames), len(g.Frames),
			g.Frames[max(0, len(got.Frames)-1):])
	}
}

// plain takes away how the C library marks its aliases of one function, and the compiler its copies of one.
func plain(name string) string {
	name, _, _ = strings.Cut(name, ".")
	name = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(name, "_impl"), "64"), "__GI_")
	return strings.TrimPrefix(strings.Trim(name, "_"), "libc_")
}
