package profile

import "fmt"

// A profile with a maximum size is reduced to 20 samples a second when 10/16 of the size are used, and to one a
// second when 14/16 are. It refuses blocks when only the room for sealing it is left. An epoch reports each of
// these stages. Blocks are still written once a second, so that no more is lost when the agent is killed. With
// these shares 500 MB, the default, last 192 h with all that the synthetic node has (BenchmarkCap).

// sizeCap decides how much a profile is thinned out so that it stays within its maximum size.
type sizeCap struct {
	stages     [3]stage
	stageIndex int // number of stages that were entered and reported
	capped     bool
	maxBytes   int64
}

// stage says from which file size (bytes) on how many slots are merged into one, and the text of the epoch that
// reports it.
type stage struct {
	fromBytes   int64
	mergedSlots int
	text        string
}

// footerRoom is the number of bytes reserved for the footer, or 1/32 of the maximum size if that is less;
// minSizeCap is the smallest maximum size (bytes) that is applied.
const (
	footerRoom = 16 << 10
	minSizeCap = 64 << 10
)

// newSizeCap returns the limits for a maximum file size of maxBytes and a step of the grid in ns. The size is
// unlimited if maxBytes is 0 or less; a size below minSizeCap is raised to that.
func newSizeCap(maxBytes, stepNS int64) sizeCap {
	if maxBytes <= 0 {
		return sizeCap{}
	}
	maxBytes = max(maxBytes, minSizeCap)
	c := sizeCap{capped: true, maxBytes: maxBytes}
	perS := func(hz int64) int { return int(min(max(1e9/hz/stepNS, 2), maxSlots)) }
	for i, s := range []struct {
		sixteenths, hz int64
	}{{10, 20}, {14, 1}} {
		every := perS(s.hz)
		c.stages[i+1] = stage{fromBytes: maxBytes / 16 * s.sixteenths, mergedSlots: every,
			text: fmt.Sprintf("the profile has %d of the %d MB of agent.profile_mb: from here on %d samples are merged into one",
				maxBytes/16*s.sixteenths>>20,
				maxBytes>>20, every)}
	}
	c.stages[0] = stage{mergedSlots: 1}
	return c
}

// mergeAt returns how many slots to merge (1 for none) in a block that is written when the file has size bytes. If
// that size begins the next stage, changed is the text of an epoch to write before the block, else "". It returns
// ErrFull if only the room for the footer is left. The caller enters the stage by advance.
func (c *sizeCap) mergeAt(size int64) (every int, changed string, err error) {
	if !c.capped {
		return 1, "", nil
	}
	if size > c.maxBytes-min(footerRoom, c.maxBytes/32) {
		return 0, "", ErrFull
	}
	every = c.stages[c.stageIndex].mergedSlots
	if c.stageIndex+1 < len(c.stages) && size >= c.stages[c.stageIndex+1].fromBytes {
		return c.stages[c.stageIndex+1].mergedSlots, c.stages[c.stageIndex+1].text, nil
	}
	return every, "", nil
}

// pageLimit returns how many code pages a block with merged slots keeps: 4 in the first stage and 2 in the
// second, because their keys would be two thirds of the block.
func (c *sizeCap) pageLimit() int { return 8 >> c.stageIndex }

// hottest returns the first n pages, or all if there are fewer. Pages come sorted by hits, most first.
func hottest(pages []PageCount, n int) []PageCount { return pages[:min(len(pages), n)] }

// advance enters the next stage, after its epoch was written.
func (c *sizeCap) advance() { c.stageIndex++ }
