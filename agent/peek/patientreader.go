package peek

import (
	"errors"
	"time"
)

// PatientReader repeats a request that Reader has not answered yet or has not sent, until the time Until, which is for
// all requests together; after it, each is sent once. It is for processes that are listed once: on a busy machine a
// Child answers late, and the process would be taken for one that cannot be read. Its waits cannot be cancelled.
type PatientReader struct {
	Reader
	Until time.Time
}

// patientPause is the time between two requests of a PatientReader.
const patientPause = 20 * time.Millisecond

// Ask implements Reader. Its error is ErrTimeout or ErrBusy only after Until.
func (p PatientReader) Ask(r ProcRequest) ([]byte, error) {
	for {
		b, err := p.Reader.Ask(r)
		if !errors.Is(err, ErrTimeout) && !errors.Is(err, ErrBusy) || time.Now().After(p.Until) {
			return b, err
		}
		time.Sleep(patientPause)
	}
}
