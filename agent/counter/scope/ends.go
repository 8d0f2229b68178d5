package scope

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// ends is the CPU time that a command's task clocks do not have: what its
// process used before they were opened, and what every process uses after the
// kernel has taken its events away, when it gives back its memory (since Linux
// 6.16; 0.06 ms each, which was 10.6 % of the time of a shell that starts
// /bin/true again and again). A parent's account, /proc/PID/stat, has it once it
// has waited for the process, in ticks of 10 ms whose remainders do not add up.
type ends struct {
	proc string
	root int
	// before is what the process had used when the clocks were opened.
	before uint64
	// account is the least that the command and what it has waited for have
	// used, by its account; counted is what the clocks had then.
	account, counted uint64
	at               int64
	// missing is what was added to the clocks so far.
	missing uint64
	// left is what settle did not add.
	left    uint64
	settled bool
}

// How often the accounts are read: a process costs some 30 us, 0.3 % of a CPU if
// there are many; of more than maxAccounts the rest is left out.
const (
	lookNS      = 250e6
	accountNS   = 10e6
	maxAccounts = 256
)

// maxText bounds what is read of one file.
const maxText = 1 << 16

// begin notes what was used before.
func (e *ends) begin() {
	if e.before == 0 {
		e.before = ranBefore(e.proc, e.root)
	}
}

// look adds up the accounts of the command and of what runs below it. Parents
// are read before their children, so that a child that ends meanwhile is in
// neither rather than in both: the sum is never too large. It tells whether it was
// time for that.
func (e *ends) look(now int64) bool {
	if now < e.at {
		return false
	}
	var sum uint64
	pids := []int{e.root}
	for i := 0; i < len(pids) && i < maxAccounts; i++ {
		if text, err := rawcall.ReadRecord(filepath.Join(e.proc, strconv.Itoa(pids[i]), "stat"), nil, maxText); err == nil {
			if used, err := parseStat(text); err == nil {
				sum += used
			}
		}
		pids = append(pids, children(e.proc, pids[i])...)
	}
	e.account = max(e.account, sum)
	e.at = now + lookNS + int64(len(pids))*accountNS
	return true
}

// children are those of all threads of a process, where the kernel lists them.
func children(proc string, pid int) (pids []int) {
	for _, tid := range threads(proc, pid) {
		text, err := rawcall.ReadList(filepath.Join(proc, strconv.Itoa(pid), "task", strconv.Itoa(tid), "children"), nil, maxText)
		if err != nil {
			return pids
		}
		for _, f := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(f)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// add returns the CPU time for a count of the clocks. The clocks were read after
// the account, so what they are short of is missing for sure. It is added no
// faster than a quarter of what is counted: a child that waited for many of its
// own brings an hour's ends in at once.
func (e *ends) add(clocks uint64) uint64 {
	room := since(clocks, e.counted) / 4
	e.counted = max(e.counted, clocks)
	if now := e.before + clocks + e.missing; e.account > now {
		e.missing += min(e.account-now, room)
	}
	return e.before + clocks + e.missing
}

// settle makes the CPU time what the command's parent was told, once it has
// ended, and returns when that was. A rest of more than 2 % and 0.1 s would be a
// spike that never was; it stays out and is said.
func (t *Task) settle() (endNS int64) {
	if t.p.Dir == "" || t.ends.settled {
		return 0
	}
	used, ok := ReadUsed(t.p.Dir)
	if !ok {
		return 0
	}
	t.ends.settled = true
	rest := since(used.CPUNS, t.totals[0])
	if rest > max(t.totals[0]/50, 100e6) {
		t.ends.left = rest
		return used.EndNS
	}
	t.ends.missing += rest
	t.totals[0] += rest
	return used.EndNS
}

// notes says what stayed out.
func (e *ends) notes() []note.Note {
	if e.left == 0 {
		return nil
	}
	return []note.Note{note.New(note.EndsUncounted, "%.1f s of CPU time, which many short processes used while they ended, are in no sample",
		float64(e.left)/1e9)}
}

// tick is a unit of /proc/PID/stat: USER_HZ is 100 on all architectures that
// Slurm runs on.
const tick = 10_000_000

var errStat = errors.New("malformed stat")

// parseStat returns the CPU time in /proc/PID/stat, in ns: that of the process
// and that of the children it has waited for, fields 14 to 17. The name, in
// parentheses, may hold anything.
func parseStat(text []byte) (uint64, error) {
	i := bytes.LastIndexByte(text, ')')
	if i < 0 {
		return 0, errStat
	}
	f := bytes.Fields(text[i+1:])
	if len(f) < 15 {
		return 0, errStat
	}
	var sum uint64
	for _, field := range f[11:15] {
		n, err := strconv.ParseUint(string(field), 10, 40)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errStat, err)
		}
		sum += n * tick
	}
	return sum, nil
}

// ranBefore is the CPU time of the threads of a process, by schedstat, which is
// exact; 0 where the kernel does not give it.
func ranBefore(proc string, pid int) (sum uint64) {
	for _, tid := range threads(proc, pid) {
		text, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "task", strconv.Itoa(tid), "schedstat"))
		if err != nil {
			continue
		}
		first, _, _ := bytes.Cut(text, []byte(" "))
		if n, err := strconv.ParseUint(string(first), 10, 63); err == nil {
			sum += n
		}
	}
	return sum
}
