package profile

// Steps are the differences of a column's quanta. A way is how they are
// predicted and with which family they are coded; the writer takes the cheapest
// for each column of a block.
const (
	// levelled predicts the mean of up to about eight steps since the last
	// jump: within a part of the job's loop a counter has one rate and noise.
	levelled = iota
	// repeated predicts the last step: rates that drift.
	repeated
	// rare predicts nothing: steps of 0 and 1 from time to time. No step is
	// negative.
	rare
	// counted is the same for single events: hits of code pages.
	counted
)

// wayFamily is the family of a way.
func wayFamily(way int) int {
	if way == counted {
		return poisson
	}
	return geometric
}

// levelBits are the fractional bits of a level.
const levelBits = 8

// predictor follows the steps of a column; all arithmetic wraps.
type predictor struct {
	level int64 // predicted step, with levelBits of fraction
	n     uint  // steps since the last jump
}

// expected is the next step.
func (p *predictor) expected() int64 { return (p.level + 1<<(levelBits-1)) >> levelBits }

// follow tells the predictor a step. With a jump the level begins anew.
func (p *predictor) follow(step int64, jumped uint8, way int) {
	if way == repeated || jumped != 0 {
		p.n = 0
	}
	p.n = min(p.n+1, uint(len(levelShift)-1))
	p.level += (step<<levelBits - p.level) >> levelShift[p.n]
}

// levelShift is the weight of a step, as a shift, by its place since the jump.
var levelShift = [...]uint8{0, 0, 1, 2, 2, 3}

func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// putSteps codes steps in a way.
func putSteps(e *entropyEncoder, steps []int64, way int, noise tracker) {
	p := predictor{}
	family := wayFamily(way)
	for _, step := range steps {
		u := uint64(step)
		if way <= repeated {
			u = zigzag(step - p.expected())
			p.follow(step, noise.jumped(u), way)
		}
		e.number(family, noise, u)
		noise.add(u)
	}
}

// tryWay returns what coding would cost, in 1/256 bit, and the mean of the
// numbers that it would code.
func tryWay(t *tableSet, steps []int64, way int, noise tracker) (cost uint64, mean tracker) {
	p := predictor{}
	family := wayFamily(way)
	sum := uint64(0)
	for _, step := range steps {
		u := uint64(step)
		if way <= repeated {
			u = zigzag(step - p.expected())
			p.follow(step, noise.jumped(u), way)
		}
		cost += t.cost(family, noise, u)
		sum += min(u, uint64(noise>>7)+2)
		noise.add(u)
	}
	return cost, trackerOf(sum, uint64(len(steps)))
}

// chooseWay returns the cheapest way up to most, and the mean to begin with.
func chooseWay(t *tableSet, steps []int64, most int) (way int, noise tracker) {
	for _, s := range steps {
		if s < 0 {
			most = repeated
			break
		}
	}
	least := ^uint64(0)
	for w := range most + 1 {
		_, mean := tryWay(t, steps, w, meanOne)
		mean = trackerAt(mean.coarse())
		if cost, _ := tryWay(t, steps, w, mean); cost < least {
			way, noise, least = w, mean, cost
		}
	}
	return way, noise
}

// predicted makes steps of the numbers that were read, in their place.
func predicted(numbers []int64, jumps []uint8, way int) {
	p := predictor{}
	jumps = jumps[:len(numbers)]
	for i, u := range numbers {
		step := unzigzag(uint64(u)) + p.expected()
		p.follow(step, jumps[i], way)
		numbers[i] = step
	}
}
