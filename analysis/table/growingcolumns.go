package table

import "math"

// A list that grows by pieces is never copied: appending to one slice would hold every
// list twice while it grows. The values of one piece of times are in one piece of values.
const (
	timesPerPiece  = 1 << 12
	floatsPerPiece = 8 * timesPerPiece
)

// floats is a growing list of values.
type floats struct{ pieces [][]float32 }

// add appends a value.
func (f *floats) add(v float32) {
	k := len(f.pieces) - 1
	if k < 0 || len(f.pieces[k]) == floatsPerPiece {
		f.pieces = append(f.pieces, make([]float32, 0, floatsPerPiece))
		k++
	}
	f.pieces[k] = append(f.pieces[k], v)
}

// room returns the place of the next n values, which extend appends. They must fit into one piece, as the values of
// one piece of times do.
func (f *floats) room(n int) []float32 {
	k := len(f.pieces) - 1
	if k < 0 || len(f.pieces[k]) == floatsPerPiece {
		f.pieces = append(f.pieces, make([]float32, 0, floatsPerPiece))
		k++
	}
	p := f.pieces[k]
	return p[len(p) : len(p)+n]
}

// extend appends the first n values that were stored in the slice that room returned.
func (f *floats) extend(n int) {
	p := &f.pieces[len(f.pieces)-1]
	*p = (*p)[:len(*p)+n]
}

// run returns values [i, i+n), which must be in one piece.
func (f *floats) run(i, n int) []float32 {
	return f.pieces[i/floatsPerPiece][i%floatsPerPiece:][:n]
}

func (f *floats) at(i int) float32 { return f.pieces[i/floatsPerPiece][i%floatsPerPiece] }

// times is a growing list of times in seconds. Times that are decimals of equally many
// places take four bytes each, and are exact.
type times struct {
	pieces []timePiece
	n      int
	spare  []uint32 // memory for the ticks of the next piece, or nil
}

// timePiece holds the times (first + ticks[i]) / scale, or those in exact, or, if count is not 0, that many times
// (first + i * every) / scale.
type timePiece struct {
	scale float64
	first int64
	ticks []uint32
	exact []float64
	every int64
	count int
}

// len returns the number of times in the piece.
func (p *timePiece) len() int { return max(len(p.ticks), len(p.exact), p.count) }

// at returns time i of the piece in seconds.
func (p *timePiece) at(i int) float64 {
	if p.exact != nil {
		return p.exact[i]
	}
	if p.count > 0 {
		return float64(p.first+int64(i)*p.every) / p.scale
	}
	return float64(p.first+int64(p.ticks[i])) / p.scale
}

// step returns the distance, in seconds, of successive times of the piece, which are in order. ok is false if the
// distances differ, if the piece has fewer than two times, or if it holds times that are not decimals.
func (p *timePiece) step() (seconds float64, ok bool) {
	if p.count > 0 {
		return float64(p.every) / p.scale, true
	}
	if len(p.ticks) < 2 || p.exact != nil {
		return 0, false
	}
	step, last := p.ticks[1]-p.ticks[0], p.ticks[0]
	for _, tick := range p.ticks[1:] {
		if tick-last != step {
			return 0, false
		}
		last = tick
	}
	return float64(step) / p.scale, true
}

// last returns the piece to which times are added.
func (t *times) last() *timePiece {
	if k := len(t.pieces); k > 0 && t.pieces[k-1].len() < timesPerPiece {
		return &t.pieces[k-1]
	}
	if k := len(t.pieces); k > 0 {
		t.spare = t.pieces[k-1].shorten()
	}
	t.pieces = append(t.pieces, timePiece{})
	return &t.pieces[len(t.pieces)-1]
}

// shorten stores only the step of times that are equally far apart, and returns the memory of their ticks, or nil. The
// first tick of a piece is 0.
func (p *timePiece) shorten() []uint32 {
	ticks := p.ticks
	if _, ok := p.step(); !ok || uint64(ticks[1])*uint64(len(ticks)-1) != uint64(ticks[len(ticks)-1]) {
		return nil
	}
	p.every, p.count, p.ticks = int64(ticks[1]), len(ticks), nil
	return ticks[:0]
}

// addDecimal adds the time d / scale, in seconds, and returns it. It needs four bytes if the piece holds times with as
// many decimal places; otherwise it is added as by add.
func (t *times) addDecimal(d decimal, scale float64) float64 {
	scale *= exact10[d.places]
	at := float64(d.mantissa) / scale
	p := t.last()
	if p.len() == 0 && scale <= 1e22 {
		if p.first, p.scale, p.ticks, t.spare = d.mantissa, scale, t.spare, nil; p.ticks == nil {
			p.ticks = make([]uint32, 0, timesPerPiece)
		}
	}
	ticks := d.mantissa - p.first
	if p.exact != nil || p.scale != scale || uint64(ticks) > math.MaxUint32 {
		t.add(at)
		return at
	}
	p.ticks = append(p.ticks, uint32(ticks))
	t.n++
	return at
}

// add adds a time in seconds that may be any number. The piece to which it is added then holds all its times as
// float64.
func (t *times) add(at float64) {
	p := t.last()
	if p.exact == nil {
		exact := make([]float64, len(p.ticks), timesPerPiece)
		for i := range exact {
			exact[i] = p.at(i)
		}
		*p = timePiece{exact: exact}
	}
	p.exact = append(p.exact, at)
	t.n++
}

func (t *times) at(i int) float64 { return t.pieces[i/timesPerPiece].at(i % timesPerPiece) }

// eachPiece calls f with all times, a piece at a time; begin is the index of the piece's first time.
func (t *times) eachPiece(f func(begin int, piece *timePiece)) {
	for k := range t.pieces {
		f(k*timesPerPiece, &t.pieces[k])
	}
}

// seconds returns the times of the piece. They are valid until the next call with the same buffer.
func (p *timePiece) seconds(buffer []float64) []float64 {
	if p.exact != nil {
		return p.exact
	}
	out := buffer[:p.len()]
	if p.count > 0 {
		for i := range out {
			out[i] = p.at(i)
		}
		return out
	}
	for i, tick := range p.ticks {
		out[i] = float64(p.first+int64(tick)) / p.scale
	}
	return out
}
