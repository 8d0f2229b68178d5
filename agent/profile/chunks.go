package profile

import (
	"fmt"
	"os"

	"jobgait/analysis/series"
)

// Chunks gives what Load gives in pieces of one block each and without merging
// slots, so that profiles of any length can be exported in little memory.
type Chunks struct {
	r     *Reader
	f     *filler
	first int64
	slots int64
}

// OpenChunks goes through the profile once, to find which code pages get a
// column.
func OpenChunks(path string) (*Chunks, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open profile: %w", err)
	}
	s, r, err := surveyFirst(in)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("open profile %s: %w", path, err)
	}
	r.file = in
	l := newLayout(s, room{usual().pages, 1 << 62})
	l.merge = 1
	c := &Chunks{r: r, first: l.first, slots: l.slots}
	l.slots = 0
	c.f = newFiller(l)
	for _, l := range c.f.lanes() {
		l.merge, l.shift = 1, 0
	}
	return c, nil
}

// Header is the profile's; Slots is how many steps lie between the beginning of
// its first block and the end of its last.
func (c *Chunks) Header() Header { return c.r.Header() }
func (c *Chunks) Slots() int64   { return c.slots }

// Damage is what was not read so far.
func (c *Chunks) Damage() Damage { return c.r.Damage() }

// Chunk is one block: what Load has in Set, and behind it the columns of Slow,
// interpolated between their readings.
type Chunk struct {
	// Slot counts from the beginning of the first block, TimeNS from when
	// the run began.
	Slot, TimeNS int64
	Columns      []series.Column
}

// Columns are those of every chunk, without values.
func (c *Chunks) Columns() []series.Column { return c.chunk(c.first).Columns }

// Next returns the next chunk, io.EOF after the last. Its values are
// overwritten by the next call.
func (c *Chunks) Next() (Chunk, error) {
	for {
		b, err := c.r.Next()
		if err != nil {
			return Chunk{}, err
		}
		if b.First < c.first || b.First+int64(b.N) > c.first+c.slots {
			continue // written since the survey
		}
		c.f.first, c.f.slots = b.First, int64(b.N)
		for _, l := range c.f.lanes() {
			l.reset(int64(b.N))
		}
		c.f.add(&b)
		return c.chunk(b.First), nil
	}
}

func (c *Chunks) chunk(slot int64) Chunk {
	h := c.f.header
	out := Chunk{Slot: slot - c.first, TimeNS: h.BaseNS - h.RunNS + slot*h.StepNS}
	out.Columns = append(c.f.set().Columns, c.f.slowSet().Columns...)
	return out
}

// Close closes the profile.
func (c *Chunks) Close() error { return c.r.Close() }

// lanes are all that the filler has.
func (f *filler) lanes() []*lane {
	all := append([]*lane{}, f.hot...)
	for _, l := range []*lane{f.busy, f.other} {
		if l != nil {
			all = append(all, l)
		}
	}
	return append(all, f.columns...)
}
