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
	noise tracker
	level int64 // predicted step, with levelBits of fraction
	n     uint  // steps since the last jump
}

// expected is the next step.
func (p *predictor) expected() int64 { return (p.level + 1<<(levelBits-1)) >> levelBits }

// follow tells the predictor a step that was missed by so much, folded. Beyond
// four times the mean it is a jump, after which the level begins anew.
func (p *predictor) follow(step int64, folded uint64, way int) {
	if way == repeated || p.n == 0 || folded > uint64(p.noise>>8)+8 {
		p.level, p.n = step<<levelBits, 1
	} else {
		p.n = min(p.n+1, uint(len(levelShift)-1))
		p.level += (step<<levelBits - p.level) >> levelShift[p.n]
	}
	p.noise.add(folded)
}

// levelShift is the weight of a step, as a shift, by its place since the jump.
var levelShift = [...]uint8{0, 0, 1, 2, 2, 3}

func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// putSteps codes steps in a way.
func putSteps(e *entropyEncoder, steps []int64, way int, noise tracker) {
	p := predictor{noise: noise}
	family := wayFamily(way)
	for _, step := range steps {
		if way > repeated {
			e.number(family, p.noise, uint64(step))
			p.noise.add(uint64(step))
			continue
		}
		u := zigzag(step - p.expected())
		e.number(family, p.noise, u)
		p.follow(step, u, way)
	}
}

// tryWay returns what coding would cost, in 1/256 bit, and the mean of the
// numbers that it would code.
func tryWay(t *tableSet, steps []int64, way int, noise tracker) (cost uint64, mean tracker) {
	p := predictor{noise: noise}
	family := wayFamily(way)
	sum := uint64(0)
	for _, step := range steps {
		u := uint64(step)
		if way <= repeated {
			u = zigzag(step - p.expected())
		}
		cost += t.cost(family, p.noise, u)
		sum += min(u, uint64(p.noise>>7)+2)
		if way <= repeated {
			p.follow(step, u, way)
		} else {
			p.noise.add(u)
		}
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

// getSteps is the inverse of putSteps. It is where reading a profile spends its
// time, and therefore has the decoder's state in variables of its own and its
// common case written out: that took 40 % off.
func getSteps(d *entropyDecoder, steps []int64, way int, noise tracker) {
	p := predictor{noise: noise}
	family := wayFamily(way) * perFamily
	state, in := d.state, d.p
	for i := range steps {
		index, low := p.noise.place()
		t := &d.tables[family+index]
		n := t.symbol[state&(probTotal-1)]
		state = t.next(state, n)
		if state < stateLow && len(in) >= 2 {
			state = state<<wordBits | uint32(in[1])<<8 | uint32(in[0])
			in = in[2:]
		}
		u := uint64(n)
		if n == t.escape || low > 0 || state < stateLow {
			d.state, d.p = state, in
			u = d.rest(n, t.escape, low)
			state, in = d.state, d.p
		}
		if way > repeated {
			p.noise.add(u)
			steps[i] = int64(u)
			continue
		}
		step := unzigzag(u) + p.expected()
		p.follow(step, u, way)
		steps[i] = step
	}
	d.state, d.p = state, in
}
