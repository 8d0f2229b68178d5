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

// Bounds of one asking. A run has 83 to 616 places in ten files; the agent counts
// 16,384 at most. Functions take some hundred bytes each.
const (
	MaxPlaces = 1 << 14
	MaxFiles  = 256
	// wall is when the child is killed. It stops a little earlier by itself, so that it returns what it has found.
	wall   = 5 * time.Second
	enough = 4 * time.Second
	// enoughCPU is the CPU time in nanoseconds after which no further file is opened: the kernel ends the child at
	// 2 s, and one hostile file takes half a second.
	enoughCPU = 1e9
	// behind is its nice value. It needs 30 ms of CPU time in the 5 s: at 19 it would
	// not get them beside 12 others on a CPU, at 5 it gets them in one.
	behind = 5
	// memoryBytes is from where on Go tidies up whatever it costs.
	memoryBytes = 64 << 20
)

var errQuestions = errors.New("name lookup: too many questions, or malformed ones")

// Serve is the child that reads program files.
func Serve(ctx context.Context, r as.Request) error {
	// EACCES: the parent has a lower priority already, and the child keeps that.
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, behind); err != nil && !errors.Is(err, unix.EACCES) {
		return err
	}
	debug.SetMemoryLimit(memoryBytes)
	ctx, stop := context.WithTimeout(ctx, enough)
	defer stop()
	return system().serve(ctx, r.In, r.Out)
}

func (s roots) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	var questions []Lookup
	if err := json.NewDecoder(io.LimitReader(in, 64*MaxPlaces)).Decode(&questions); err != nil || !fit(questions) {
		return errors.Join(errQuestions, err)
	}
	answers := []Answer{}
	for _, q := range questions {
		a := nothing(len(q.Offsets), TooMuch)
		if rawcall.CPU() < enoughCPU {
			a = s.attempt(ctx, q)
		}
		answers = append(answers, a)
	}
	b, err := shorten(answers)
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}

// attempt answers one question and recovers from a panic, so that a hostile file does not stop the next
// question.
func (s roots) attempt(ctx context.Context, q Lookup) (a Answer) {
	defer func() {
		if recover() != nil {
			a = nothing(len(q.Offsets), NoELF)
		}
	}()
	return s.answer(ctx, q, MaxSteps)
}

func fit(questions []Lookup) bool {
	n := 0
	for _, q := range questions {
		n += len(q.Offsets)
	}
	return len(questions) <= MaxFiles && n <= MaxPlaces
}

// shorten encodes the answers, and leaves out the longest until they fit.
func shorten(answers []Answer) ([]byte, error) {
	for {
		b, err := json.Marshal(answers)
		if err != nil || len(b) <= as.NamesAnswer {
			return b, err
		}
		most := 0
		for i, a := range answers {
			if len(a.Functions) > len(answers[most].Functions) {
				most = i
			}
		}
		if len(answers[most].Functions) == 0 {
			return nil, errQuestions
		}
		answers[most] = nothing(len(answers[most].Of), TooMuch)
	}
}

// Ask has the questions answered by a child of program, which has the verb
// (jobgait-agent), with the rights of the account. It takes 5 s at most. An error
// that is a context's is a child that had to be given up, which may hang in the
// kernel: no more should be asked then.
func Ask(ctx context.Context, program string, account as.Account, questions []Lookup) ([]Answer, error) {
	if !fit(questions) {
		return nil, errQuestions
	}
	ctx, stop := context.WithTimeout(ctx, wall)
	defer stop()
	out, err := as.Ask[json.RawMessage](ctx, as.Child{Program: program, Account: account}, as.Names, questions)
	if err != nil {
		return nil, fmt.Errorf("ask for names: %w", err)
	}
	return parseAnswers(out, questions)
}

var errAnswers = errors.New("name lookup: malformed answer")

// parseAnswers validates everything: any process of the account may have written the answers.
func parseAnswers(b []byte, questions []Lookup) ([]Answer, error) {
	var answers []Answer
	if len(b) > as.NamesAnswer || json.Unmarshal(b, &answers) != nil || len(answers) != len(questions) {
		return nil, errAnswers
	}
	for i, a := range answers {
		if !a.of(questions[i]) {
			return nil, errAnswers
		}
	}
	return answers, nil
}

// of is whether the answer can be one of the question.
func (a Answer) of(q Lookup) bool {
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
