package peek

import (
	"errors"
	"testing"
	"time"
)

// busyReader answers the request after errs.
type busyReader struct{ errs []error }

func (b *busyReader) Ask(ProcRequest) ([]byte, error) {
	if len(b.errs) == 0 {
		return []byte("answer"), nil
	}
	err := b.errs[0]
	b.errs = b.errs[1:]
	return nil, err
}

// TestPatientRepeatsUnansweredRequests checks that only unanswered and unsent requests are repeated, and only until the
// time of the limit.
func TestPatientRepeatsUnansweredRequests(t *testing.T) {
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		errs  []error
		until time.Time
		want  error
	}{
		"late":         {[]error{ErrTimeout, ErrBusy}, time.Now().Add(time.Hour), nil},
		"refused":      {[]error{refused}, time.Now().Add(time.Hour), refused},
		"after a time": {[]error{ErrBusy, ErrBusy}, time.Now().Add(-time.Hour), ErrBusy},
	} {
		text, err := PatientReader{Reader: &busyReader{c.errs}, Until: c.until}.Ask(ProcRequest{})
		if !errors.Is(err, c.want) || (string(text) == "answer") != (c.want == nil) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
