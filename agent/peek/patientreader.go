package peek

import (
	"errors"
	"time"
)

// PatientReader repeats a request until Reader answers it, or until the time Until. A command that lists processes once
// uses it: on a busy machine a Child answers late, and the process would be taken for one that cannot be read.
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
