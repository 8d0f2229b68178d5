package forecast

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/internal/robust"
)

// Tuning holds the parameters of a forecast; Default returns those used for MEASURED.md.
type Tuning struct {
	// Least is the smallest number of runs.
	Least int
	// Window is the number of newest runs of a regime from which the level is computed.
	Window int
	// Spread is the largest ratio of the ends of the 95 % interval: runs that differ more had other inputs.
	Spread float64
	// Scatter is the least standard deviation of the logarithm of a value; Drift is that of the level's
	// movement from one run to the next, relative to the scatter.
	Scatter, Drift float64
	// Few widens the interval of few runs, by Few divided by their number: a change of level may come at any run, and
	// few runs show no earlier one.
	Few float64
	// Doubt is how many of the newest runs may be the first of a level that the detector has not reported yet.
	Doubt int
	// Before is the number of runs whose mean a run is compared with, Surprises the least number of comparisons,
	// Memory the number of newest runs that are compared.
	Before, Surprises, Memory int
	// Level is the level of the interval.
	Level float64
}

// Default returns the parameters of all callers.
func Default() Tuning {
	return Tuning{Least: 3, Window: 20, Spread: 4, Scatter: 0.003, Drift: 0.1, Few: 0.75, Doubt: 4, Before: 5,
		Surprises: 10, Memory: 60, Level: 0.95}
}

// Errors of Next.
var (
	ErrFewRuns = errors.New("no forecast: it needs more completed runs of this size")
	ErrInputs  = errors.New("no forecast: the runs differ too much, probably because their inputs differ: name the " +
		"inputs (size=)")
)

// Forecast is the distribution of the next value: exp of a t distribution.
type Forecast struct {
	Mu, Sigma, Dof float64
	// Runs is the number of runs, all of the newest regime, from which the level is computed.
	Runs int
	// Largest is the largest value among them.
	Largest float64
}

// Quantile returns the value that the next run exceeds with probability 1-p.
func (f Forecast) Quantile(p float64) float64 { return math.Exp(f.law().Quantile(p)) }

// Median returns the value that half of the next runs exceed.
func (f Forecast) Median() float64 { return math.Exp(f.Mu) }

// Interval returns the interval that holds the next value with a probability.
func (f Forecast) Interval(level float64) (lo, hi float64) {
	return f.Quantile((1 - level) / 2), f.Quantile((1 + level) / 2)
}

// ChanceAbove returns the probability that the next value is larger than a limit; 1 if the limit is not positive.
func (f Forecast) ChanceAbove(limit float64) float64 {
	if !(limit > 0) {
		return 1
	}
	return 1 - f.law().CDF(math.Log(limit))
}

// law returns the distribution of the logarithm of the next value.
func (f Forecast) law() distuv.StudentsT {
	return distuv.StudentsT{Mu: f.Mu, Sigma: f.Sigma, Nu: f.Dof}
}

// Next predicts the value that follows values (oldest first; values that are not positive and finite are
// skipped). starts lists the first indexes of the regimes after the first, ascending, as known by now. The
// error is ErrFewRuns for too few values, and ErrInputs if the upper end of the interval is more than p.Spread
// times the lower one.
func Next(values []float64, starts []int, p Tuning) (Forecast, error) {
	f, err := fromRegimes(values, starts, p)
	if err != nil {
		return f, err
	}
	f = f.inDoubt(values, starts, p)
	if lo, hi := f.Interval(p.Level); hi > p.Spread*lo {
		return f, ErrInputs
	}
	return f, nil
}

// inDoubt widens a forecast where the newest runs, p.Doubt at most, all lie on one side of what the runs before them
// let expect, so far that 1-p.Level of such runs would: the next run may be of either level, and so the interval
// holds both.
func (f Forecast) inDoubt(values []float64, starts []int, p Tuning) Forecast {
	first := 0
	if len(starts) > 0 {
		first = starts[len(starts)-1]
	}
	for k := min(p.Doubt, len(values)-first-1); k > 0; k-- {
		tail := logs(values[len(values)-k:])
		before, err := fromRegimes(values[:len(values)-k], starts, p)
		if err != nil || len(tail) == 0 {
			continue
		}
		one := distuv.StudentsT{Sigma: 1, Nu: before.Dof}
		usual := before.Sigma * one.Quantile(1-math.Pow(1-p.Level, 1/float64(k))/2)
		if slices.Min(tail) <= before.Mu+usual && slices.Max(tail) >= before.Mu-usual {
			continue
		}
		q := one.Quantile((1 + p.Level) / 2)
		f.Mu = (before.Mu + mean(tail)) / 2
		f.Sigma = max(f.Sigma, before.Sigma+math.Abs(before.Mu-mean(tail))/2/q)
		return f
	}
	return f
}

// fromRegimes predicts from the newest p.Window values of the newest regime. Earlier regimes count half for
// the scatter. The error is ErrFewRuns for fewer than p.Least values, and if no regime has two.
func fromRegimes(values []float64, starts []int, p Tuning) (Forecast, error) {
	var regimes [][]float64
	bounds := append(append([]int{0}, starts...), len(values))
	n := 0
	for i := range len(bounds) - 1 {
		if r := logs(values[min(bounds[i], len(values)):min(bounds[i+1], len(values))]); len(r) > 0 {
			regimes, n = append(regimes, r), n+len(r)
		}
	}
	if n < p.Least {
		return Forecast{}, ErrFewRuns
	}
	newest := regimes[len(regimes)-1]
	if len(newest) > p.Window {
		newest = newest[len(newest)-p.Window:]
	}
	squares, dof := 0.0, 0.0
	for i, r := range regimes {
		s := squaresOf(r)
		if i < len(regimes)-1 { // earlier regimes say how noisy it is, but less surely
			s, r = s/2, r[:(len(r)+1)/2]
		}
		squares, dof = squares+s, dof+float64(len(r)-1)
	}
	if dof < 1 {
		return Forecast{}, ErrFewRuns
	}
	sd := max(math.Sqrt(squares/dof), p.Scatter)
	f := Forecast{Runs: len(newest), Dof: dof, Mu: mean(newest), Largest: math.Exp(largest(newest))}
	f.Sigma = sd * math.Sqrt(1+1/float64(len(newest))+p.Drift*p.Drift*float64(len(newest)))
	if q, known := typicalDistance(regimes, p); known {
		f.Sigma = max(f.Sigma, q/distuv.StudentsT{Sigma: 1, Nu: f.Dof}.Quantile((1+p.Level)/2))
	}
	f.Sigma *= 1 + p.Few/float64(n)
	return f, nil
}

// typicalDistance returns the distance within which the share p.Level of the runs lie from the mean of the few runs
// before each. A moving level, and changes that are not detected yet, make it larger than the scatter within
// regimes. It returns false for too few runs.
func typicalDistance(regimes [][]float64, p Tuning) (float64, bool) {
	var far []float64
	for _, x := range regimes {
		for k := p.Least; k < len(x); k++ {
			far = append(far, math.Abs(x[k]-mean(x[max(0, k-p.Before):k])))
		}
	}
	if len(far) < p.Surprises {
		return 0, false
	}
	return robust.Quantile(far[max(0, len(far)-p.Memory):], p.Level), true
}

// Starts returns the first runs of regimes that the changes of a series begin, as far as they
// were detected by one of its first known runs, ascending.
func Starts(changes []changepoint.Change, known int) []int {
	var starts []int
	for _, c := range changes {
		if c.DetectedIndex < known && c.Index > 0 && c.Index < known {
			starts = append(starts, c.Index)
		}
	}
	return starts
}

// logs returns the logarithms of the values that are positive and finite.
func logs(values []float64) []float64 {
	var out []float64
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			out = append(out, math.Log(v))
		}
	}
	return out
}

// mean returns the mean of x.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// squaresOf returns the sum of squared deviations of x from its mean.
func squaresOf(x []float64) float64 {
	m, s := mean(x), 0.0
	for _, v := range x {
		s += (v - m) * (v - m)
	}
	return s
}

// largest returns the largest element of x.
func largest(x []float64) float64 {
	maximum := x[0]
	for _, v := range x {
		maximum = max(maximum, v)
	}
	return maximum
}
