package peek

import (
	"errors"
	"fmt"
	"io"

	"jobgait/agent/as"
	"jobgait/agent/rawcall"
)

// Verb is the argument that makes the agent's program the child that asks.
const Verb = "peek"

// Serve is the child, with its arguments (package as): questions on in, answers on out,
// until in ends. Files are opened with the rights of the job's user, so that root opens
// none that the user may not.
func Serve(proc string, args []string, in io.Reader, out io.Writer) error {
	if err := as.TakeFiles(args); err != nil {
		return err
	}
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
func attempt(from Direct, q Question) (text []byte, ok bool) {
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
