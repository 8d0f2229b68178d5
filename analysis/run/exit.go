package run

// Exit is a wait status. Slurm gives 0 for cancelled and timed-out jobs too, so
// a zero Code with a zero Signal is not a success.
type Exit struct {
	Code   int `json:"code"`
	Signal int `json:"signal"`
}

// WorseExit returns the worse of two exits. A signal is worse than a non-zero code, that is worse than 0, and that than
// nil. It returns the first of two equally bad ones.
func WorseExit(a, b *Exit) *Exit {
	switch {
	case a == nil:
		return b
	case b == nil, a.Signal != 0:
		return a
	case b.Signal != 0, a.Code == 0 && b.Code != 0:
		return b
	}
	return a
}
