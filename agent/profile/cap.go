package profile

import "fmt"

// A profile with a size that it may reach goes on at 20 samples a second when 10
// of 16 parts of that are used, at one a second when 14 are, and refuses blocks
// when only the room for an end in order is left. Each time an epoch says so.
// Blocks come once a second all the same, so that no more is lost when the agent
// is killed. With these shares 500 MB, the default, last 192 h with all that the
// synthetic node has (BenchmarkCap).

// sizeCap is how a profile is kept within its size.
type sizeCap struct {
	stages [3]stage
	at     int // stages entered and told
	capped bool
	most   int64
}

// stage is how many slots are merged from a size of the file on.
type stage struct {
	from  int64
	every int
	text  string
}

// footerRoom is kept for the footer, or a 32nd of the size where that is less;
// leastSize is the smallest cap that is heeded.
const (
	footerRoom = 16 << 10
	leastSize  = 64 << 10
)

func newSizeCap(most, stepNS int64) sizeCap {
	if most <= 0 {
		return sizeCap{}
	}
	most = max(most, leastSize)
	c := sizeCap{capped: true, most: most}
	perS := func(hz int64) int { return int(min(max(1e9/hz/stepNS, 2), maxSlots)) }
	for i, s := range []struct {
		sixteenths, hz int64
	}{{10, 20}, {14, 1}} {
		every := perS(s.hz)
		c.stages[i+1] = stage{from: most / 16 * s.sixteenths, every: every,
			text: fmt.Sprintf("the profile has %d of %d MB: from here on every %d samples are one", most/16*s.sixteenths>>20,
				most>>20, every)}
	}
	c.stages[0] = stage{every: 1}
	return c
}

// next returns how many slots are to be merged in a block that comes at this
// size, and the text of an epoch that is to be written before.
func (c *sizeCap) next(size int64) (every int, changed string, err error) {
	if !c.capped {
		return 1, "", nil
	}
	if size > c.most-min(footerRoom, c.most/32) {
		return 0, "", ErrFull
	}
	every = c.stages[c.at].every
	if c.at+1 < len(c.stages) && size >= c.stages[c.at+1].from {
		return c.stages[c.at+1].every, c.stages[c.at+1].text, nil
	}
	return every, "", nil
}

// pages is how many code pages a block keeps that is merged for its size: their
// keys would be two thirds of it.
func (c *sizeCap) pages() int { return 8 >> c.at }

// hottest are the n pages that were hit most. They come in that order.
func hottest(pages []PageCount, n int) []PageCount { return pages[:min(len(pages), n)] }

// tell notes that the epoch was written.
func (c *sizeCap) tell() { c.at++ }
