package address

import "math/bits"

// MaxHz is the highest rate at which a CPU is sampled.
const MaxHz = 10_000

// Rate is the sampling period and rate of each CPU.
type Rate struct {
	PeriodNS int64
	Hz       float64
}

// ChooseRate returns the highest rate that fits the grid, whose step is stepNS, and is not above wanted, in Hz, nor
// above MaxHz. If wanted is 0, the limit of each CPU is 1 kHz for up to 8 CPUs, and for more 12.8 kHz divided by
// their number, but not below 100 Hz. A rate below 10 Hz becomes 10 Hz.
// 1 kHz slowed a melt of LAMMPS by about 1 to 2 % in a virtual
// machine, 2 kHz by 5 %; the periods were found as well at 1 kHz (the package
// comment of analysis/periodicity has the figures).
//
// The period divides the step of the grid or is a multiple of it. That is
// against the rule to sample at an odd rate, and on purpose: with an odd
// period, say 0.997 ms, a slot of 5 ms has 5 samples and every 66th or 67th has
// 6, so that a CPU which is simply busy has a period of 0.33 s (measured:
// autocorrelation 0.63 at twice that, in a loop without any period). With a
// divisor, and timers that start at a chosen phase inside the slot (see phase),
// 990 of 1000 slots of a busy CPU had exactly 5, and no such comb. Locking to the
// 4 ms tick does no harm then: the tick is on the multiples of 4 ms (Linux 6.3
// and later; earlier anywhere, but constant) and the phases keep away from
// those. A program that is itself locked to the millisecond is seen at one
// phase only; real loops are not.
func ChooseRate(wanted, cpus int, stepNS int64) Rate {
	switch {
	case wanted > 0:
	case cpus <= 8:
		wanted = 1000
	default:
		wanted = min(1000, max(100, 12_800/cpus))
	}
	wanted = min(wanted, MaxHz)
	period := stepNS
	if perStep := int64(wanted) * stepNS / 1e9; perStep > 1 {
		period = stepNS / divisor(stepNS, perStep)
	} else if slow := (1e9 + int64(wanted)*stepNS - 1) / (int64(wanted) * stepNS); slow > 1 {
		// No slower than 10 Hz.
		period = min(stepNS*slow, max(stepNS, 100_000_000/stepNS*stepNS))
	}
	return Rate{PeriodNS: period, Hz: 1e9 / float64(period)}
}

// divisor returns the largest divisor of step that is at most limit.
func divisor(step, limit int64) int64 {
	for n := limit; n > 1; n-- {
		if step%n == 0 {
			return n
		}
	}
	return 1
}

// timerPhase returns how long after a multiple of its period the timer of the i-th CPU fires, in ns. Phases are
// spread by the van der Corput sequence, so that any set of CPUs is spread evenly, over 15 to 65 % of the
// period (of the step where the period is longer, and over the steps): a sample that is taken a little late
// must not fall into the next slot.
func timerPhase(i int, periodNS, stepNS int64) int64 {
	spread := float64(bits.Reverse32(uint32(i))) / (1 << 32)
	if periodNS <= stepNS {
		return int64((0.15 + 0.5*spread) * float64(periodNS))
	}
	steps := float64(periodNS / stepNS)
	slot := float64(int64(spread * steps))
	return int64((slot + 0.15 + 0.5*(spread*steps-slot)) * float64(stepNS))
}
