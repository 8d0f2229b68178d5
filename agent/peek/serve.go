package peek

import (
	"context"
	"errors"
	"fmt"
	"io"

	"jobgait/agent/as"
	"jobgait/agent/rawcall"
)

// Serve is the child: it answers questions about processes below proc until its input ends. Files are opened with the
// rights of the job's user, so that root opens none that the user may not.
func Serve(proc string) as.Handler {
	return func(_ context.Context, r as.Request) error { return serve(proc, r.In, r.Out) }
}

func serve(proc string, in io.Reader, out io.Writer) error {
	from, buf := Direct{Proc: proc}, make([]byte, questionBytes)
	for {
		if _, err := io.ReadFull(in, buf); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		q, seq := decodeQuestion(buf)
		text, ok := attempt(from, q)
		if _, err := out.Write(answer{seq: seq, ok: ok, cpuNS: rawcall.CPU(), text: text}.encode()); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// attempt answers one question: whatever a user's file does to its reader, the
// next one is answered.
func attempt(from Direct, q ProcQuestion) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	text, err := from.Ask(q)
	if err != nil || len(text) > maxAnswer {
		return nil, false
	}
	return text, true
}
