package scaling

import (
	"math"
	"strconv"
	"strings"

	"jobgait/analysis/quantity"
)

// At returns the model's value at p.
func (m Model) At(p float64) float64 {
	f := m.Constant
	for _, t := range m.Terms {
		f += t.Coefficient * t.Shape(p)
	}
	return f
}

// Shape returns p^I * log2(p)^J, the term without its coefficient.
func (t Term) Shape(p float64) float64 {
	x := 1.0
	if t.I != 0 {
		x = math.Pow(p, t.I)
	}
	switch t.J {
	case 0:
	case 1:
		x *= math.Log2(p)
	case 2:
		l := math.Log2(p)
		x *= l * l
	default:
		x *= math.Pow(math.Log2(p), t.J)
	}
	return x
}

// roundingShare: a constant this small beside every value is what is left of differences of larger numbers.
const roundingShare = 1e-9

// withErrors returns m with its formula in the given parameter and its errors on the points; nil if a number
// overflows. A constant that is a rounding error beside the values becomes 0.
func (m Model) withErrors(parameter string, p, y []float64) *Model {
	if m.Terms == nil {
		m.Terms = []Term{}
	}
	smallest := math.Inf(1)
	for _, v := range y {
		smallest = min(smallest, math.Abs(v))
	}
	if math.Abs(m.Constant) < roundingShare*smallest {
		m.Constant = 0
	}
	m.Formula = m.formula(parameter)
	mean := 0.0
	m.RSS, m.SMAPE = 0, 0
	for k := range p {
		f := m.At(p[k])
		m.RSS += (y[k] - f) * (y[k] - f)
		if d := math.Abs(f) + math.Abs(y[k]); d > 0 {
			m.SMAPE += 200 * math.Abs(f-y[k]) / d
		}
		mean += y[k]
	}
	n := float64(len(p))
	m.SMAPE /= n
	m.NRSS = 0
	// The mean of values of both signs may be 0: then there is nothing to
	// normalise by, and the RSS stands for itself.
	if mean = math.Abs(mean / n); mean > 0 {
		m.NRSS = math.Sqrt(m.RSS) / mean
	}
	if !finite(m.Constant, m.RSS, m.NRSS, m.SMAPE) || !m.finiteTerms() {
		return nil
	}
	return &m
}

// finiteTerms reports whether all coefficients are finite.
func (m Model) finiteTerms() bool {
	for _, t := range m.Terms {
		if !finite(t.Coefficient) {
			return false
		}
	}
	return true
}

// formula writes the model as Extra-P does: 1.649 + 3.971 * log2(p)^(2).
func (m Model) formula(parameter string) string {
	parameter = Symbol(parameter)
	var b strings.Builder
	b.WriteString(fourDigits(m.Constant))
	for _, t := range m.Terms {
		c := t.Coefficient
		if c < 0 {
			b.WriteString(" - ")
			c = -c
		} else {
			b.WriteString(" + ")
		}
		b.WriteString(fourDigits(c))
		b.WriteString(t.factors(parameter))
	}
	return b.String()
}

// factors writes " * p^(1/2) * log2(p)^(1)".
func (t Term) factors(parameter string) string {
	s := ""
	if t.I != 0 {
		s += " * " + parameter + "^(" + fraction(t.I) + ")"
	}
	if t.J != 0 {
		s += " * log2(" + parameter + ")^(" + fraction(t.J) + ")"
	}
	return s
}

// fourDigits formats x with four significant digits, more than any measurement supports.
func fourDigits(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Ratio returns an exponent as a ratio of whole numbers; the denominator is 0 if it is no such ratio.
func Ratio(x float64) (num, den float64) {
	for _, den := range []float64{1, 2, 3, 4, 5, 8, 16} {
		if num := math.Round(x * den); math.Abs(num-x*den) < 1e-9 {
			return num, den
		}
	}
	return x, 0
}

// fraction writes an exponent.
func fraction(x float64) string {
	switch num, den := Ratio(x); den {
	case 0:
		return fourDigits(x)
	case 1:
		return quantity.Exact(num)
	default:
		return quantity.Exact(num) + "/" + quantity.Exact(den)
	}
}

// Symbol returns the symbol of a parameter in formulas: its name if that is an identifier, else "p".
func Symbol(parameter string) string {
	for i, r := range parameter {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return "p"
		}
	}
	if parameter == "" {
		return "p"
	}
	return parameter
}
