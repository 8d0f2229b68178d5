package names

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// Limits of one request. A run has 83 to 616 places in ten files; the agent counts at most 16,384. A function
// takes some hundred bytes.
const (
	MaxPlaces = 1 << 14
	MaxFiles  = 256
	// killAfter is when the child is killed. It stops by itself after stopAfter, and returns what it has found.
	killAfter = 5 * time.Second
	stopAfter = 4 * time.Second
	// maxStartCPUNS is the CPU time, in ns, after which no further file is opened: the kernel kills the child at 2
	// s, and one hostile file takes half a second.
	maxStartCPUNS = 1e9
	// childNice is the child's nice value. It needs 30 ms of CPU time within 5 s: beside 12 other processes on a
	// CPU it gets them within 1 s at 5, but not at 19.
	childNice = 5
	// memoryBytes is the soft memory limit of the Go runtime.
	memoryBytes = 64 << 20
)

var errQuestions = errors.New(
	"internal error, please report it: a lookup of function names is malformed or has too many addresses: " +
		"functions have no names")

// Serve is the main function of the child that reads program files: it reads lookups and writes their answers.
func Serve(ctx context.Context, r as.Request) error {
	// EACCES: the parent has a lower priority already, and the child keeps that.
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, childNice); err != nil && !errors.Is(err, unix.EACCES) {
		return fmt.Errorf("lower the priority of the child process: %w", err)
	}
	debug.SetMemoryLimit(memoryBytes)
	ctx, stop := context.WithTimeout(ctx, stopAfter)
	defer stop()
	return systemRoots().serve(ctx, r.In, r.Out)
}

// serve reads the lookups from in and writes their answers to out. Lookups after maxStartCPUNS get the reason
// TooMuch.
func (s roots) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	var questions []Lookup
	if err := json.NewDecoder(io.LimitReader(in, 64*MaxPlaces)).Decode(&questions); err != nil ||
		!withinLimits(questions) {
		return errors.Join(errQuestions, err)
	}
	answers := []Answer{}
	for _, q := range questions {
		a := emptyAnswer(len(q.Offsets), TooMuch)
		if rawcall.CPU() < maxStartCPUNS {
			a = s.lookUpSafely(ctx, q)
		}
		answers = append(answers, a)
	}
	b, err := encodeWithinLimit(answers)
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}

// lookUpSafely answers one lookup and recovers from a panic, so that a hostile file does not stop the next
// lookup.
func (s roots) lookUpSafely(ctx context.Context, q Lookup) (a Answer) {
	defer func() {
		if recover() != nil {
			a = emptyAnswer(len(q.Offsets), NoELF)
		}
	}()
	return s.lookUp(ctx, q, MaxSteps)
}

// withinLimits reports whether the lookups have at most MaxFiles files and MaxPlaces places.
func withinLimits(questions []Lookup) bool {
	n := 0
	for _, q := range questions {
		n += len(q.Offsets)
	}
	return len(questions) <= MaxFiles && n <= MaxPlaces
}

// encodeWithinLimit encodes the answers as JSON, emptying the longest until the text is within the limit. It
// changes the answers in place, and returns an error if they are too long even when all are empty.
func encodeWithinLimit(answers []Answer) ([]byte, error) {
	for {
		b, err := json.Marshal(answers)
		if err != nil || len(b) <= as.MaxNamesAnswer {
			return b, err
		}
		largest := 0
		for i, a := range answers {
			if len(a.Functions) > len(answers[largest].Functions) {
				largest = i
			}
		}
		if len(answers[largest].Functions) == 0 {
			return nil, errQuestions
		}
		answers[largest] = emptyAnswer(len(answers[largest].Of), TooMuch)
	}
}

// Ask lets a child of program (jobgait-agent), with the rights of the account, answer the lookups. It takes at
// most 5 s. An error that wraps a context's error means that the child was abandoned and may hang in the
// kernel; callers should then make no further lookups.
func Ask(ctx context.Context, program string, account as.Account, questions []Lookup) ([]Answer, error) {
	if !withinLimits(questions) {
		return nil, errQuestions
	}
	ctx, stop := context.WithTimeout(ctx, killAfter)
	defer stop()
	out, err := as.Ask[json.RawMessage](ctx, as.Child{Program: program, Account: account}, as.Names, questions)
	if err != nil {
		return nil, fmt.Errorf("look up function names in a child process: %w: these functions have no names", err)
	}
	return parseAnswers(out, questions)
}

var errAnswers = errors.New("look up function names in a child process: its answer is malformed: these functions " +
	"have no " +
	"names")

// parseAnswers decodes and validates the answers, because any process of the account may have written them.
func parseAnswers(b []byte, questions []Lookup) ([]Answer, error) {
	var answers []Answer
	if len(b) > as.MaxNamesAnswer || json.Unmarshal(b, &answers) != nil || len(answers) != len(questions) {
		return nil, errAnswers
	}
	for i, a := range answers {
		if !a.answersLookup(questions[i]) {
			return nil, errAnswers
		}
	}
	return answers, nil
}

// answersLookup reports whether the answer is a valid one to the lookup: it has an index for each place, no more
// functions than places, only known reasons and sources, clean names, and functions that overlap the places that they
// are assigned to.
func (a Answer) answersLookup(q Lookup) bool {
	if len(a.Of) != len(q.Offsets) || len(a.Functions) > len(q.Offsets) ||
		!slices.Contains([]Reason{"", NoFile, OtherBuild, NoELF, TooMuch}, a.Why) {
		return false
	}
	for _, f := range a.Functions {
		if f.Start >= f.End || f.End > 1<<62 || len(f.Name) > MaxName || f.Name != note.Clean(f.Name, MaxName) ||
			!slices.Contains([]string{Symtab, Dynsym, MiniDebug, DebugFile, PLT, Frames}, f.Source) {
			return false
		}
	}
	for i, k := range a.Of {
		if k == -1 {
			continue
		}
		if k < 0 || k >= len(a.Functions) || a.Functions[k].Start >= q.Offsets[i]+profile.PlaceBytes ||
			a.Functions[k].End <= q.Offsets[i] {
			return false
		}
	}
	return true
}
