package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Rights say what a child process takes of an account.
type Rights int

const (
	// Whole: the child becomes the account in every respect (Take).
	Whole Rights = iota
	// Files: the child opens files as the account and keeps the starter's right to look at processes (TakeFiles).
	Files
	// Starters: the child keeps the rights of its starter and gets no account.
	Starters
	// Tracer: the child opens files as the account and keeps CAP_SYS_PTRACE, no other capability (TakeTracer).
	Tracer
)

// Verb is a row of the table of child processes: the argument that makes one of the programs that child, with whose
// rights it runs, and how large its answers may be.
type Verb struct {
	Name    string
	Account string // whose rights, in words
	Rights  Rights
	Limits  Limits // of a child with Whole rights
	Answer  int    // bytes that a starter reads of all answers together, of Peek of one; 0 if it has none
}

// Names of the verbs. An agent runs for days and starts the program that is installed then: the names and questions of
// its verbs stay as they are.
const (
	Deliver   = "--deliver"
	Collect   = "--collect"
	Archive   = "--archive"
	Consult   = "--consult"
	Look      = "__look"
	Names     = "names"
	Peek      = "peek"
	OnStall   = "on-stall"
	Worker    = "--worker"
	SweepNode = "--sweep-node"
	Release   = "__release"
	// CopyStacks stops threads and copies their registers and stacks, UnwindStacks reads the copies (package stack).
	CopyStacks   = "copy-stacks"
	UnwindStacks = "unwind-stacks"
)

// Bounds that the children themselves need: of all answers together, of Peek of one.
const (
	CollectAnswer = 512 << 20
	NamesAnswer   = 256 << 10
	PeekAnswer    = 8 << 20
	// CopyAnswer holds the stacks of 512 processes of three threads with 100 KiB each.
	CopyAnswer   = 256 << 20
	UnwindAnswer = 32 << 20
)

// reportBytes bounds the files of a child that writes reports and records.
const reportBytes = 256 << 20

// Verbs is the table of all child processes of all programs.
func Verbs() []Verb {
	return []Verb{
		{Name: Deliver, Account: "the job's user", Limits: Limits{FileBytes: reportBytes}, Answer: 64 << 10},
		{Name: Collect, Account: "collect.account", Limits: Limits{FileBytes: reportBytes}, Answer: CollectAnswer},
		{Name: Archive, Account: "collect.account", Limits: Limits{FileBytes: 2 << 30}},
		{Name: Consult, Account: "the account that wrote the history", Limits: Limits{FileBytes: reportBytes},
			Answer: 16 << 20},
		{Name: Look, Account: "collect.account", Limits: Limits{FileBytes: reportBytes}, Answer: 64 << 10},
		{Name: Names, Account: "the job's user", Limits: Limits{CPUSeconds: 2, MemoryBytes: 512 << 20, Bound: true},
			Answer: NamesAnswer + 1},
		{Name: Peek, Account: "the job's user", Rights: Files, Answer: PeekAnswer},
		{Name: OnStall, Account: "live.account", Limits: Limits{Starts: true, FileBytes: 64 << 10, CPUSeconds: 10},
			Answer: 64 << 10},
		{Name: Worker, Account: "root", Rights: Starters},
		{Name: SweepNode, Account: "root", Rights: Starters},
		{Name: CopyStacks, Account: "the job's user", Rights: Tracer, Answer: CopyAnswer},
		{Name: UnwindStacks, Account: "the job's user", Limits: Limits{CPUSeconds: 5, MemoryBytes: 1 << 30, Bound: true},
			Answer: UnwindAnswer},
		{Name: Release, Account: "the caller of jobgait run", Rights: Starters},
	}
}

// VerbNamed returns the row of a verb.
func VerbNamed(name string) (Verb, bool) {
	for _, v := range Verbs() {
		if v.Name == name {
			return v, true
		}
	}
	return Verb{}, false
}

// Request is what a child gets. The protocol is one for all children that answer: In begins with one JSON value and a
// line feed, the question, and may go on with bytes; the child writes any number of JSON values, its answers, and on
// failure one line on standard error. Peek alone exchanges frames of its own (package peek): it answers in 30 us.
type Request struct {
	// Args follow the verb; of a child that takes an account none are left.
	Args []string
	In   io.Reader
	Out  io.Writer
}

// Handler is the work of a child, done with the rights that the table says.
type Handler func(context.Context, Request) error

// Handlers are the verbs that one program serves.
type Handlers map[string]Handler

// Serve runs the child that args (without the program's name) ask for. It returns false if they ask for none. The
// account is taken before anything is read.
func (h Handlers) Serve(ctx context.Context, args []string, in io.Reader, out io.Writer) (bool, error) {
	if len(args) == 0 || h[args[0]] == nil {
		return false, nil
	}
	v, ok := VerbNamed(args[0])
	if !ok {
		return true, fmt.Errorf("verb %q is not in the table of children", args[0])
	}
	r := Request{Args: args[1:], In: in, Out: out}
	var err error
	switch v.Rights {
	case Whole:
		err = Take(r.Args, v.Limits)
	case Files:
		err = TakeFiles(r.Args)
	case Tracer:
		err = TakeTracer(r.Args)
	case Starters:
		return true, h[v.Name](ctx, r)
	}
	if err != nil {
		return true, err
	}
	r.Args = nil
	return true, h[v.Name](ctx, r)
}

// Answer is the Handler of a function from one question to one answer.
func Answer[Q, A any](answer func(context.Context, Q) A) Handler {
	return func(ctx context.Context, r Request) error {
		var q Q
		if _, err := ReadQuestion(r.In, &q); err != nil {
			return err
		}
		return json.NewEncoder(r.Out).Encode(answer(ctx, q))
	}
}

// maxQuestion bounds the line that holds a question: a summary of a job of ten thousand nodes has 3 MB.
const maxQuestion = 256 << 20

var errQuestion = errors.New("the question is too large")

// ReadQuestion reads the question and returns the bytes that follow it.
func ReadQuestion(in io.Reader, question any) (rest io.Reader, err error) {
	bounded := &io.LimitedReader{R: in, N: maxQuestion}
	d := json.NewDecoder(bounded)
	if err := d.Decode(question); err != nil {
		if bounded.N <= 0 {
			err = errQuestion
		}
		return nil, fmt.Errorf("read the question: %w", err)
	}
	bounded.N = 1<<63 - 1
	rest = io.MultiReader(d.Buffered(), bounded)
	var feed [1]byte
	if _, err := io.ReadFull(rest, feed[:]); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the question: %w", err)
	}
	return rest, nil
}
