package peek

import (
	"errors"
	"time"
)

// Patient repeats requests that Reader has not answered yet or has not sent, until the time Until. A command that lists
// processes once uses it: on a busy machine a Child answers late, and the process would be taken for one that cannot be
// read.
type Patient struct {
	Reader
	Until time.Time
}

// patientPause is the time between two requests of a Patient.
const patientPause = 20 * time.Millisecond

// Ask implements Reader. Its error is ErrTimeout or ErrBusy only after Until.
func (p Patient) Ask(r ProcRequest) ([]byte, error) {
	for {
		b, err := p.Reader.Ask(r)
		if !errors.Is(err, ErrTimeout) && !errors.Is(err, ErrBusy) || time.Now().After(p.Until) {
			return b, err
		}
		time.Sleep(patientPause)
	}
}
