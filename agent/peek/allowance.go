package peek

// Allowance is how much may be spent on what processes make us do: so much a
// second in the long run, and so much at once. A job, or its neighbour on a
// shared node, that starts ten thousand programs a second must not make us read
// ten thousand files a second.
type Allowance struct {
	PerS, Most float64
	spent      float64
	until      int64
}

// May tells, at a time that does not go back, whether more may be spent.
func (a *Allowance) May(at int64) bool { return a.Left(at) > 0 }

// Left is how much may be spent at a time that does not go back; not above 0 is nothing.
func (a *Allowance) Left(at int64) int64 {
	if at > a.until {
		a.spent = max(0, a.spent-float64(at-a.until)/1e9*a.PerS)
		a.until = at
	}
	return int64(a.Most - a.spent)
}

// Spend takes note of what something cost, which is known afterwards only.
func (a *Allowance) Spend(n int64) { a.spent += float64(n) }
