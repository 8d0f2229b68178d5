package peek

import (
	"context"
	"errors"
	"fmt"
	"io"

	"jobgait/agent/as"
	"jobgait/agent/rawcall"
)

// Serve returns the handler of the child: it answers requests about processes below proc until its input ends.
// It opens files with the rights of the job's user, so that root opens no file that the user may not open.
func Serve(proc string) as.Handler {
	return func(_ context.Context, r as.Request) error { return serve(proc, r.In, r.Out) }
}

// serve reads requests from in and writes a reply for each to out, until in ends.
func serve(proc string, in io.Reader, out io.Writer) error {
	from, buf := Direct{Proc: proc}, make([]byte, requestBytes)
	for {
		if _, err := io.ReadFull(in, buf); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request of the parent process: %w", err)
		}
		q, seq := decodeRequest(buf)
		text, ok := answerSafely(from, q)
		answer := reply{seq: seq, ok: ok, cpuNS: rawcall.CPU(), readNS: rawcall.Now(), text: text}
		if _, err := out.Write(answer.encode()); err != nil {
			return fmt.Errorf("write an answer to the parent process: %w", err)
		}
	}
}

// answerSafely answers one request. It returns false after an error or a panic, so that no file of a user can
// end the child.
func answerSafely(from Direct, q ProcRequest) (text []byte, ok bool) {
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
