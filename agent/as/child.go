package as

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Child is a program that runs as a child process, and the account whose rights it has.
type Child struct {
	Program string
	Account Account
	Guard
}

// Guard keeps processes that wait for the same file system, which hangs, from accumulating. Its zero value does
// nothing.
type Guard struct {
	// MayStart is called before a child starts; the child is not started if it returns an error.
	MayStart func() error
	// OnAbandoned is called with the pid of a child that was killed at its time limit and is not waited for.
	OnAbandoned func(pid int)
}

// Ask starts a child with one question and returns its one answer. Any other number of answers is an error.
func Ask[A any](ctx context.Context, c Child, verb string, question any) (answer A, err error) {
	n := 0
	err = AskAll(ctx, c, verb, question, nil, 0, func(a A) error {
		n, answer = n+1, a
		return nil
	})
	if err == nil && n != 1 {
		err = fmt.Errorf("as uid %d: internal error, please report it: the child process %s returned %d answers, want one: "+
			"they are discarded", c.Account.UID, verb, n)
	}
	return answer, err
}

// AskAll starts a child with one question, followed by the bytes of body unless it is nil, and calls handle with every
// answer as it arrives. The answers together must not exceed the verb's limit, or limit bytes if that is less and not
// 0, because the account can make the child write anything. An error of handle ends the child. When ctx ends, the child
// is killed and not waited for; body may still be read then. The error of handle takes precedence over that of the
// child.
func AskAll[A any](ctx context.Context, c Child, verb string, question any, body io.Reader, limit int,
	handle func(A) error) error {
	v, ok := ChildKindNamed(verb)
	if !ok || v.Rights == StarterRights {
		return fmt.Errorf("internal error, please report it: the child process %s returns no answers, but one was "+
			"requested: it is not started", verb)
	}
	if limit == 0 || limit > v.MaxAnswer {
		limit = v.MaxAnswer
	}
	text, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("internal error, please report it: encode the request to the child process %s: %w", verb, err)
	}
	var input io.Reader = bytes.NewReader(append(text, '\n'))
	if body != nil {
		input = io.MultiReader(input, body)
	}
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := c.run(ctx, verb, input, limit, in)
		_ = in.CloseWithError(cmp.Or(err, io.EOF)) // never fails
		ended <- err
	}()
	var refused error
	err = ReadAnswers(out, func(a A) error {
		refused = handle(a)
		return refused
	})
	_ = out.CloseWithError(err) // never fails; ends a child that writes more
	failed := cmp.Or(<-ended, err)
	switch {
	case refused != nil:
		return fmt.Errorf("use an answer of the child process %s of uid %d: %w", verb, c.Account.UID, refused)
	case failed != nil:
		return fmt.Errorf("as uid %d: %w", c.Account.UID, failed)
	}
	return nil
}

// ReadAnswers decodes a child's answers from in and calls handle with every one, until the input ends, an
// answer cannot be decoded, or handle fails, whose error it returns as it is.
func ReadAnswers[A any](in io.Reader, handle func(A) error) error {
	for d := json.NewDecoder(in); ; {
		var a A
		err := d.Decode(&a)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the answer of the child process is malformed and is discarded: %w", err)
		}
		if err := handle(a); err != nil {
			return err
		}
	}
}
