package peek

// Allowance limits the work that other processes cause: PerS units a second in the long run, and at most Most
// units at once. So a job, or another on a shared node, that starts ten thousand programs a second does not
// cause reads of ten thousand files a second.
type Allowance struct {
	PerS, Most float64
	spent      float64
	until      int64
}

// Allows reports whether anything may be spent at the time at (ns), which must not decrease.
func (a *Allowance) Allows(at int64) bool { return a.Remaining(at) > 0 }

// Remaining returns how much may be spent at the time at (ns), which must not decrease; 0 or less means
// nothing.
func (a *Allowance) Remaining(at int64) int64 {
	if at > a.until {
		a.spent = max(0, a.spent-float64(at-a.until)/1e9*a.PerS)
		a.until = at
	}
	return int64(a.Most - a.spent)
}

// Spend subtracts a cost, which is known only afterwards, so that the remainder may become negative.
func (a *Allowance) Spend(n int64) { a.spent += float64(n) }
