package table

import "math"

// A list that grows by pieces is never copied: appending to one slice would hold every
// list twice while it grows.
const (
	floatsPerPiece = 1 << 15
	timesPerPiece  = 1 << 12
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

func (f *floats) at(i int) float32 { return f.pieces[i/floatsPerPiece][i%floatsPerPiece] }

// times is a growing list of times in seconds. Times that are decimals of equally many
// places take four bytes each, and are exact.
type times struct {
	pieces []timePiece
	n      int
}

// timePiece holds the times (first + ticks[i]) / scale, or those in exact.
type timePiece struct {
	scale float64
	first int64
	ticks []uint32
	exact []float64
}

// len returns the number of times in the piece.
func (p *timePiece) len() int { return max(len(p.ticks), len(p.exact)) }

// at returns time i of the piece in seconds.
func (p *timePiece) at(i int) float64 {
	if p.exact != nil {
		return p.exact[i]
	}
	return float64(p.first+int64(p.ticks[i])) / p.scale
}

// last returns the piece to which times are added.
func (t *times) last() *timePiece {
	if k := len(t.pieces); k > 0 && t.pieces[k-1].len() < timesPerPiece {
		return &t.pieces[k-1]
	}
	t.pieces = append(t.pieces, timePiece{})
	return &t.pieces[len(t.pieces)-1]
}

// addDecimal adds the time d / scale and returns it.
func (t *times) addDecimal(d decimal, scale float64) float64 {
	scale *= exact10[d.places]
	at := float64(d.mantissa) / scale
	p := t.last()
	if p.len() == 0 && scale <= 1e22 {
		p.first, p.scale, p.ticks = d.mantissa, scale, make([]uint32, 0, timesPerPiece)
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

// add adds any time.
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

// each calls f with all times, a piece at a time; first is the index of the piece's first time. f must not keep
// the piece, whose memory is reused.
func (t *times) each(f func(first int, piece []float64)) {
	buf := make([]float64, timesPerPiece)
	for k := range t.pieces {
		p := &t.pieces[k]
		piece := p.exact
		if piece == nil {
			piece = buf[:len(p.ticks)]
			for i, tick := range p.ticks {
				piece[i] = float64(p.first+int64(tick)) / p.scale
			}
		}
		f(k*timesPerPiece, piece)
	}
}
