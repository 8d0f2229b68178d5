package profile

import (
	"fmt"

	"jobgait/analysis/series"
)

// Chunks reads a profile in pieces of one block each, with the columns of Load but without merging slots, so
// that profiles of any length can be exported in little memory.
type Chunks struct {
	r     *Reader
	f     *filler
	first int64
	slots int64
}

// OpenChunks opens a profile for reading block by block. It first reads all heads once, to choose the code
// pages that get a column.
func OpenChunks(path string) (*Chunks, error) {
	in, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("open the profile: %w", err)
	}
	s, r, err := surveyProfile(in)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("open the profile %s: %w", path, err)
	}
	r.file = in
	l := newLayout(s, columnLimits{defaultLimits().pages, 1 << 62})
	l.merge = 1
	c := &Chunks{r: r, first: l.first, slots: l.slots}
	l.slots = 0
	c.f = newFiller(l)
	for _, l := range c.f.builders() {
		l.merge, l.shift = 1, 0
	}
	return c, nil
}

// Header returns the header of the profile.
func (c *Chunks) Header() Header { return c.r.Header() }

// Slots returns the number of slots between the start of the first block and the end of the last one.
func (c *Chunks) Slots() int64 { return c.slots }

// Damage describes what could not be read so far.
func (c *Chunks) Damage() Damage { return c.r.Damage() }

// Chunk is one block: the columns that Load has in Set, followed by the columns of SlowSet, interpolated
// between their readings.
type Chunk struct {
	// Slot is the first slot, counted from the start of the first block. TimeNS is when it starts, in ns since the
	// run began.
	Slot, TimeNS int64
	Columns      []series.Column
}

// Columns returns the columns that every chunk has, without values.
func (c *Chunks) Columns() []series.Column { return c.chunk(c.first).Columns }

// Next returns the next chunk, io.EOF after the last one. It skips blocks that were written after OpenChunks. The next
// call overwrites the chunk's values.
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
		for _, l := range c.f.builders() {
			l.reset(int64(b.N))
		}
		c.f.add(&b)
		return c.chunk(b.First), nil
	}
}

// chunk returns the values in the filler as the chunk that starts at a slot of the profile, counted from the start of
// the grid.
func (c *Chunks) chunk(slot int64) Chunk {
	h := c.f.header
	out := Chunk{Slot: slot - c.first, TimeNS: h.BaseNS - h.RunNS + slot*h.StepNS}
	out.Columns = append(c.f.buildSet().Columns, c.f.buildSlowSet().Columns...)
	return out
}

// Close closes the profile's file.
func (c *Chunks) Close() error { return c.r.Close() }

// builders returns the builders of all columns, those of code included.
func (f *filler) builders() []*columnBuilder {
	all := append([]*columnBuilder{}, f.pageColumns...)
	for _, l := range []*columnBuilder{f.busy, f.other} {
		if l != nil {
			all = append(all, l)
		}
	}
	return append(all, f.columns...)
}
