package profile

import (
	"math"
	"math/bits"
	"sync"
)

// Numbers in a packed block are coded with tables of probabilities that stand
// in no file: two families of distributions, each for means from 1/256 to 4,
// four to an octave. Which of them holds follows from the numbers before (see
// tracker), so that a block of 200 slots carries no table. Signed numbers are
// folded by zigzag; a family of two-sided distributions for them made files 0.5
// % smaller and readers 10 lines longer.
const (
	// geometric is the distribution of gaps between events, and of what is
	// left of noise after prediction.
	geometric = iota
	// poisson is that of counts of single events.
	poisson
	families
)

const (
	// probBits is the precision of probabilities: one takes at least 1/4096.
	probBits  = 12
	probTotal = 1 << probBits
	// perFamily tables go up to a mean of 4; larger numbers have their low
	// bits written as they are.
	perFamily = 40
	// maxSymbols bounds the symbols of a table; the last one of each is the
	// escape, for numbers that the table does not have.
	maxSymbols = 64
	// meanOne is the fixed-point mean 1.
	meanOne = 1024
)

// table is one distribution: symbol n has the probability freq[n]/probTotal,
// and the slots from start[n] on. (All three in one 32-bit word for each slot
// took a third more time: such tables are 16 kB and leave the fastest cache.)
type table struct {
	symbol [probTotal]uint8
	start  [maxSymbols]uint16
	freq   [maxSymbols]uint16
	// both is freq<<16 | start, to load them at once.
	both   [maxSymbols]uint32
	escape uint8
	// price is what a symbol costs, in 1/256 bit. Only the writer's choice
	// of a way hangs on it.
	price [maxSymbols]uint16
}

// tableSet is all of them.
type tableSet [families * perFamily]table

// tables are made once, in 2 ms; nothing changes them.
var tables = sync.OnceValue(func() *tableSet {
	t := new(tableSet)
	for i := range perFamily {
		// The middle of the means that have this index.
		mean := float64((9+2*(i&3))<<(i>>2)) / (2 * meanOne)
		t[geometric*perFamily+i].fill(mean, geometricWeights(mean/(1+mean)))
		t[poisson*perFamily+i].fill(mean, poissonWeights(mean))
	}
	return t
})

// weights are proportional to probabilities. They are made with nothing but
// products, sums and quotients that are rounded one by one, so that every
// machine, and the reader in Python, makes the same ones.
type weights [maxSymbols]float64

func geometricWeights(ratio float64) weights {
	var w weights
	w[0] = 1
	for n := 1; n < maxSymbols; n++ {
		w[n] = float64(w[n-1] * ratio)
	}
	return w
}

func poissonWeights(mean float64) weights {
	var w weights
	w[0] = 1
	for n := 1; n < maxSymbols; n++ {
		w[n] = float64(float64(w[n-1]*mean) / float64(n))
	}
	return w
}

// fill makes the table of a mean: as many symbols as have some probability, then
// the escape with 1/512, and none less than 1/4096.
func (t *table) fill(mean float64, w weights) {
	n := min(maxSymbols-1, 3+int(float64(9*mean)))
	total := 0.0
	for _, v := range w[:n] {
		total += v
	}
	t.escape = uint8(n)
	const least = probTotal / 512
	room := float64(probTotal - least - n)
	left, top := probTotal-least, 0
	for i := range n {
		t.freq[i] = 1 + uint16(float64(float64(w[i]*room)/total))
		left -= int(t.freq[i])
		if w[i] > w[top] {
			top = i
		}
	}
	t.freq[n] = least
	t.freq[top] += uint16(left)
	at := 0
	for i := range n + 1 {
		t.start[i] = uint16(at)
		t.both[i] = uint32(t.freq[i])<<16 | uint32(at)
		t.price[i] = uint16(256 * (probBits - math.Log2(float64(t.freq[i]))))
		for range t.freq[i] {
			t.symbol[at] = uint8(i)
			at++
		}
	}
}

// tracker is the running mean of some numbers, in units of 1/meanOne, over
// about the last 16 of them.
type tracker uint64

// place returns which table of a family suits the mean, and how many low bits
// are written as they are.
func (m tracker) place() (index int, low uint) {
	v := max(uint64(m), 4)
	n := uint(bits.Len64(v)-3) & 63
	low = max(n, perFamily/4-1) - (perFamily/4 - 1)
	return int((n-low)<<2 | uint(v>>n)&3), low
}

// jumped is whether a number is beyond four times the mean: behind it a level
// begins anew.
func (m tracker) jumped(v uint64) uint8 {
	if v > uint64(m>>8)+8 {
		return 1
	}
	return 0
}

// coarse is the mean as a byte of a block, trackerAt the way back.
func (m tracker) coarse() byte {
	v := max(uint64(m), 4)
	n := bits.Len64(v) - 3
	return byte(n<<2 | int(v>>n)&3)
}

func trackerAt(coarse byte) tracker {
	return tracker(9+2*(coarse&3)) << min(coarse>>2, 45) >> 1
}

// add tells the tracker a number. A single large one, where the job goes from one
// part of its loop to the next, counts as no more than eight times the mean; one
// that is next to nothing against it ends a burst, and the mean falls faster.
func (m *tracker) add(v uint64) {
	const most = 1 << 48
	v = min(v, uint64(*m>>7)+2, most)
	if (v+1)<<14 < uint64(*m) {
		*m -= *m >> 2
		return
	}
	*m += tracker(v<<6) - *m>>4
}

// trackerOf is a tracker that begins with a mean: sum over n numbers.
func trackerOf(sum, n uint64) tracker {
	if n == 0 || sum >= 1<<53 {
		return meanOne
	}
	return tracker(sum * meanOne / n)
}

// cost is that of a number of a family, in 1/256 bit.
func (t *tableSet) cost(family int, m tracker, v uint64) uint64 {
	i, low := m.place()
	d := &t[family*perFamily+i]
	if v>>low < uint64(d.escape) {
		return uint64(d.price[v>>low]) + uint64(low)<<8
	}
	return uint64(d.price[d.escape]) + uint64(6+bits.Len64(v))<<8
}
