package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Rights say which rights of an account a child process takes.
type Rights int

const (
	// FullAccount: the child takes all rights of the account (BecomeAccount).
	FullAccount Rights = iota
	// FileRights: the child opens files with the account's rights and keeps its parent's right to read about
	// processes (BecomeForFiles).
	FileRights
	// StarterRights: the child keeps the rights of its parent and gets no account.
	StarterRights
	// TracerRights: the child opens files with the account's rights and keeps CAP_SYS_PTRACE but no other
	// capability (BecomeTracer).
	TracerRights
)

// ChildKind is a row of the table of child processes: the argument that makes one of the programs that child, with
// whose rights it runs, and how large its answers may be.
type ChildKind struct {
	Name      string
	Account   string // whose rights, in words
	Rights    Rights
	Limits    Limits // of a child with FullAccount
	MaxAnswer int    // limit of all answers together, for Peek of one, in bytes; 0 without answers
}

// Names of the verbs. An agent runs for days and then starts children of a newer installed program, so the
// names and questions of its verbs never change.
const (
	Deliver           = "--deliver"
	Collect           = "--collect"
	Archive           = "--archive"
	CompareHistory    = "--consult"
	InspectCollection = "__look"
	Names             = "names"
	Peek              = "peek"
	OnStall           = "on-stall"
	Worker            = "--worker"
	SweepNode         = "--sweep-node"
	Release           = "__release"
	// CopyStacks stops threads and copies their registers and stacks, UnwindStacks reads the copies (package stack).
	CopyStacks   = "copy-stacks"
	UnwindStacks = "unwind-stacks"
)

// Limits of answers that the children also need, in bytes: of all answers together, for Peek of one.
const (
	MaxCollectAnswer = 512 << 20
	MaxNamesAnswer   = 256 << 10
	MaxPeekAnswer    = 8 << 20
	// MaxCopyAnswer holds the encoded stacks of 64 processes of 17 threads with 128 KiB each.
	MaxCopyAnswer   = 256 << 20
	MaxUnwindAnswer = 32 << 20
)

// maxReportBytes limits the size of a file of a child that writes reports and records.
const maxReportBytes = 256 << 20

// Verbs returns the children that run one of jobgait's programs again. Not among them are the agent, which the Prolog
// starts with root's rights (package launch); jobgait-nvml, which has the rights of the agent (agent/counter/gpu); and
// the scheduler's commands, which have the rights of their caller (agent/job/slurm), except the job step of
// `jobgait stack`, which has those of the job's user if root calls.
func Verbs() []ChildKind {
	return []ChildKind{
		{Name: Deliver, Account: "the job's user", Limits: Limits{FileBytes: maxReportBytes}, MaxAnswer: 64 << 10},
		{Name: Collect, Account: "collect.account", Limits: Limits{FileBytes: maxReportBytes}, MaxAnswer: MaxCollectAnswer},
		{Name: Archive, Account: "collect.account", Limits: Limits{FileBytes: 2 << 30}},
		{Name: CompareHistory, Account: "the account that wrote the history", Limits: Limits{FileBytes: maxReportBytes},
			MaxAnswer: 16 << 20},
		{Name: InspectCollection, Account: "collect.account", Limits: Limits{FileBytes: maxReportBytes}, MaxAnswer: 64 << 10},
		{Name: Names, Account: "the job's user", Limits: Limits{CPUSeconds: 2, MemoryBytes: 512 << 20, DieWithParent: true},
			MaxAnswer: MaxNamesAnswer + 1},
		{Name: Peek, Account: "the job's user", Rights: FileRights, MaxAnswer: MaxPeekAnswer},
		{Name: OnStall, Account: "live.account", Limits: Limits{MayStart: true, FileBytes: 64 << 10, CPUSeconds: 10},
			MaxAnswer: 64 << 10},
		{Name: Worker, Account: "root", Rights: StarterRights},
		{Name: SweepNode, Account: "root", Rights: StarterRights},
		{Name: CopyStacks, Account: "the job's user", Rights: TracerRights, MaxAnswer: MaxCopyAnswer},
		{Name: UnwindStacks, Account: "the job's user",
			Limits:    Limits{CPUSeconds: 5, MemoryBytes: 1 << 30, DieWithParent: true},
			MaxAnswer: MaxUnwindAnswer},
		{Name: Release, Account: "the caller of jobgait run", Rights: StarterRights},
	}
}

// ChildKindNamed returns the table row of a verb; false for an unknown name.
func ChildKindNamed(name string) (ChildKind, bool) {
	for _, v := range Verbs() {
		if v.Name == name {
			return v, true
		}
	}
	return ChildKind{}, false
}

// Request is what a child receives. All children that answer use one protocol: In begins with one JSON value
// and a line feed, the question, which bytes may follow; the child writes any number of JSON values, its
// answers, and on failure one line to standard error. Only Peek uses binary frames (package peek), because it
// answers in 30 us.
type Request struct {
	// Args are the arguments after the verb; empty for a child that takes an account.
	Args []string
	In   io.Reader
	Out  io.Writer
}

// Handler does the work of a child, with the rights in the table of verbs.
type Handler func(context.Context, Request) error

// Handlers maps the verbs that one program serves to their handlers.
type Handlers map[string]Handler

// Serve runs the handler of the verb that args (without the program's name) begin with, after taking the
// account's rights; a verb with StarterRights keeps the rights that the process has. It returns false if args
// begin with no verb of h. Only a handler with StarterRights gets arguments, without the verb.
func (h Handlers) Serve(ctx context.Context, args []string, in io.Reader, out io.Writer) (bool, error) {
	if len(args) == 0 || h[args[0]] == nil {
		return false, nil
	}
	v, ok := ChildKindNamed(args[0])
	if !ok {
		return true, fmt.Errorf("internal error, please report it: verb %q is not in the table of child processes", args[0])
	}
	r := Request{Args: args[1:], In: in, Out: out}
	var err error
	switch v.Rights {
	case FullAccount:
		err = BecomeAccount(r.Args, v.Limits)
	case FileRights:
		err = BecomeForFiles(r.Args)
	case TracerRights:
		err = BecomeTracer(r.Args)
	case StarterRights:
		return true, h[v.Name](ctx, r)
	}
	if err != nil {
		return true, err
	}
	r.Args = nil
	return true, h[v.Name](ctx, r)
}

// AnswerOne returns a Handler that reads one question, calls a function with it and writes its one answer.
func AnswerOne[Q, A any](answer func(context.Context, Q) A) Handler {
	return func(ctx context.Context, r Request) error {
		var q Q
		if _, err := ReadRequest(r.In, &q); err != nil {
			return err
		}
		return json.NewEncoder(r.Out).Encode(answer(ctx, q))
	}
}

// maxRequest limits the line that holds a request, in bytes: a summary of a job of ten thousand nodes has 3
// MB.
const maxRequest = 256 << 20

var errRequestTooLarge = fmt.Errorf("the request is larger than %d bytes", maxRequest)

// ReadRequest decodes the request, of at most maxRequest bytes, from in and returns a reader of the bytes
// after the newline that ends it.
func ReadRequest(in io.Reader, question any) (rest io.Reader, err error) {
	bounded := &io.LimitedReader{R: in, N: maxRequest}
	d := json.NewDecoder(bounded)
	if err := d.Decode(question); err != nil {
		if bounded.N <= 0 {
			err = errRequestTooLarge
		}
		return nil, fmt.Errorf("read the request of the parent process: %w: it is not carried out", err)
	}
	bounded.N = 1<<63 - 1
	rest = io.MultiReader(d.Buffered(), bounded)
	var feed [1]byte
	if _, err := io.ReadFull(rest, feed[:]); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the request of the parent process: %w: it is not carried out", err)
	}
	return rest, nil
}
