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

// Child is a program and the account whose rights its child processes take.
type Child struct {
	Program string
	Account Account
	// Left is called with the id of a child that was killed because its time was over and that is not waited for; nil
	// calls nothing.
	Left func(pid int)
}

// Ask starts a child for one question and returns its one answer.
func Ask[A any](ctx context.Context, c Child, verb string, question any) (answer A, err error) {
	n := 0
	err = AskAll(ctx, c, verb, question, nil, 0, func(a A) error {
		n, answer = n+1, a
		return nil
	})
	if err == nil && n != 1 {
		err = fmt.Errorf("%s as uid %d: %d answers instead of one", verb, c.Account.UID, n)
	}
	return answer, err
}

// AskAll starts a child for one question, followed by the bytes of body unless that is nil, and calls each with its
// answers as they come. The answers together must not be longer than the verb's bound, or limit bytes if that is less
// and not 0: the account can make the child write anything. An error of each ends the child. When ctx ends the child
// is killed and not waited for; body may still be read then.
func AskAll[A any](ctx context.Context, c Child, verb string, question any, body io.Reader, limit int,
	each func(A) error) error {
	v, ok := VerbNamed(verb)
	if !ok || v.Rights == Starters {
		return fmt.Errorf("verb %q: this child returns no answers", verb)
	}
	if limit == 0 || limit > v.Answer {
		limit = v.Answer
	}
	text, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("%s: encode the question: %w", verb, err)
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
		refused = each(a)
		return refused
	})
	_ = out.CloseWithError(err) // never fails; ends a child that writes more
	if failed := cmp.Or(refused, <-ended, err); failed != nil {
		return fmt.Errorf("%s as uid %d: %w", verb, c.Account.UID, failed)
	}
	return nil
}

// ReadAnswers reads a child's answers one after the other.
func ReadAnswers[A any](in io.Reader, each func(A) error) error {
	for d := json.NewDecoder(in); ; {
		var a A
		err := d.Decode(&a)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = each(a)
		}
		if err != nil {
			return fmt.Errorf("its answer: %w", err)
		}
	}
}
