package address

// allowance is how much may be spent on what processes make us do: so much a
// second in the long run, and so much at once. A job, or its neighbour on a
// shared node, that starts ten thousand programs a second must not make us read
// ten thousand files a second.
type allowance struct {
	perS, most, spent float64
	until             int64
}

// may tells, at a time that does not go back, whether more may be spent.
func (a *allowance) may(at int64) bool {
	if at > a.until {
		a.spent = max(0, a.spent-float64(at-a.until)/1e9*a.perS)
		a.until = at
	}
	return a.spent < a.most
}

// spend takes note of what something cost, which is known afterwards only.
func (a *allowance) spend(n int64) { a.spent += float64(n) }
