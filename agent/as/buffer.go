package as

import "bytes"

// LimitedBuffer keeps the first bytes written to it, as many as Remaining, and drops the rest.
type LimitedBuffer struct {
	bytes.Buffer
	Remaining int
}

// Write keeps what fits, drops the rest and reports success.
func (l *LimitedBuffer) Write(b []byte) (int, error) {
	keep := b[:min(len(b), l.Remaining)]
	l.Remaining -= len(keep)
	_, _ = l.Buffer.Write(keep)
	return len(b), nil
}
