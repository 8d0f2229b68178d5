package table

import (
	"encoding/binary"
	"math"
)

// rowLayout is the form of a row of plain decimals without a sign: where each number begins, has its point and ends.
// Most programs print the rows of a file in one form for a long time; numbers at known places are converted eight
// digits at a time.
type rowLayout struct {
	length int // bytes of the row with its line end; 0 for none
	words  []wordPattern
	time   placedNumber
	values []placedNumber
}

// wordPattern is what eight characters of a row must be.
type wordPattern struct {
	offset  int    // of the first character, from the beginning of the row
	compare uint64 // 0xff for each character that belongs to the row
	want    uint64 // the characters, 0 instead of each digit
	// carry is added to the bits in which a character differs from the wanted one. The highest bit is then set unless
	// they are at most 9 for a digit, 0 for another character.
	carry uint64
}

// placedNumber is a number at a known place of a row.
type placedNumber struct {
	to      int    // column of kept values
	end     int    // offset behind its last digit
	point   int    // offset behind the last digit before the decimal point
	whole   uint64 // masks of the digits before and behind the point, as maskOf returns them
	part    uint64
	power   uint64 // 10 to the number of digits behind the point
	divisor float64
	// offset is subtracted from the value, and room is where the next values are stored.
	offset float64
	room   []float32
}

// Words of eight equal characters: the digit 0, and the highest bit of each.
const (
	zeros    = 0x3030303030303030
	highBits = 0x8080808080808080
)

const (
	wordBytes = 8 // bytes that are converted at once, and that must precede a row
	// maxDigits is the most digits of a placed number: a mantissa of 15 digits is below 2^53.
	maxDigits = 15
	// maxLearnWait is the most rows between two attempts to learn a layout where rows have many forms, and
	// leastLayoutRows the rows that a layout must hold for to be worth learning the next at once.
	maxLearnWait, leastLayoutRows = 1024, 16
)

// newRowLayout returns the layout of a row that consists of plain decimals, one number for each of the fields. Its
// length is 0 if the row has another form: a skipped field, a sign, or a number with too many digits.
func newRowLayout(row []byte, fields []int) rowLayout {
	l := rowLayout{length: len(row)}
	at := 0
	for _, to := range fields {
		d, n := scanDecimal(row[at:])
		if n == 0 || to == skipped || row[at] == '-' {
			return rowLayout{}
		}
		p := placedNumber{to: to, end: at + n, point: at + n, power: uint64(exact10[d.places]), divisor: exact10[d.places]}
		if d.places > 0 {
			p.point -= d.places + 1
		}
		before := p.point - at
		if before > wordBytes || d.places > wordBytes || before+d.places > maxDigits || row[p.end-1] == '.' {
			return rowLayout{}
		}
		p.whole, p.part = maskOf(before), maskOf(d.places)
		if to == keptTime {
			l.time = p
		} else {
			l.values = append(l.values, p)
		}
		at = p.end + 1
	}
	for begin := len(row) - wordBytes; begin > -wordBytes; begin -= wordBytes {
		l.words = append(l.words, newWordPattern(row, begin))
	}
	return l
}

// newWordPattern returns the pattern of the eight characters of a row that begin at the offset begin. With a negative
// offset the characters before the row are not compared.
func newWordPattern(row []byte, begin int) wordPattern {
	w := wordPattern{offset: begin}
	for i := max(0, -begin); i < wordBytes; i++ {
		shift := 8 * i
		w.compare |= 0xff << shift
		if c := row[begin+i]; c-'0' <= 9 {
			w.want |= '0' << shift
			w.carry |= (0x7f - 9) << shift
		} else {
			w.want |= uint64(c) << shift
			w.carry |= 0x7f << shift
		}
	}
	return w
}

// maskOf returns the mask of the last n characters of a word.
func maskOf(n int) uint64 {
	if n == 0 {
		return 0
	}
	return ^uint64(0) << (8 * (wordBytes - n))
}

// fits reports whether a row has the form of the layout. row begins with the wordBytes bytes that precede the row.
func (l *rowLayout) fits(row []byte) bool {
	odd := uint64(0)
	for i := range l.words {
		w := &l.words[i]
		differs := (binary.LittleEndian.Uint64(row[wordBytes+w.offset:]) ^ w.want) & w.compare
		odd |= differs&^highBits + w.carry | differs
	}
	return odd&highBits == 0
}

// convert returns the number that the last digits before an offset of the row form: those of the eight bytes before end
// that the mask covers. row begins with the wordBytes bytes that precede the row.
func convert(row []byte, end int, mask uint64) uint64 {
	x := (binary.LittleEndian.Uint64(row[end:]) ^ zeros) & mask // the word before end, as the row is preceded by one
	x = x*10 + x>>8                                             // pairs of digits in every second byte
	return (x&0x000000ff000000ff*0x000f424000000064 + x>>16&0x000000ff000000ff*0x0000271000000001) >> 32
}

// mantissa returns the number in a row without its point.
func (p *placedNumber) mantissa(row []byte) uint64 {
	m := convert(row, p.point, p.whole)
	if p.part != 0 {
		m = m*p.power + convert(row, p.end, p.part)
	}
	return m
}

// placedRows reads rows that have the known layout, from an offset of b on, and returns the offset behind them. It then
// forgets the layout.
func (c *sampleTable) placedRows(b []byte, from int) int {
	length := c.placedPiece(b, from)
	if length < leastLayoutRows*c.layout.length {
		c.layoutWait = min(2*c.layoutWait+1, maxLearnWait)
	} else {
		c.layoutWait = 0
	}
	c.layout.length, c.unlike = 0, 0
	return from + length
}

// placedPiece reads rows that have the known layout, from an offset of b on, as many as the newest piece of times has
// room for, and returns their length in bytes. It stops at a row of another form, and at a time that is earlier than
// the one before.
func (c *sampleTable) placedPiece(b []byte, from int) (length int) {
	l, piece := &c.layout, c.t.last()
	rows := len(piece.ticks)
	if rows == 0 || piece.exact != nil || from < wordBytes || piece.scale != c.scale*l.time.divisor {
		return 0
	}
	for i := range l.values {
		p := &l.values[i]
		p.room, p.offset = c.v[p.to].room(timesPerPiece-rows), c.offset[p.to]
	}
	begin, times, added := from, piece.ticks[rows:timesPerPiece], 0
	for last := piece.ticks[rows-1]; added < len(times) && from+l.length <= len(b); from += l.length {
		row := b[from-wordBytes : from+l.length]
		if !l.fits(row) {
			break
		}
		ticks := int64(l.time.mantissa(row)) - piece.first
		if ticks < int64(last) || ticks > math.MaxUint32 {
			break
		}
		last = uint32(ticks)
		times[added] = last
		for i := range l.values {
			p := &l.values[i]
			p.room[added] = float32(float64(p.mantissa(row))/p.divisor - p.offset)
		}
		added++
	}
	if added > 0 {
		piece.ticks = piece.ticks[:rows+added]
		for _, p := range l.values {
			c.v[p.to].extend(added)
		}
		c.last = piece.at(len(piece.ticks) - 1)
		c.n, c.t.n, c.in.number = c.n+added, c.t.n+added, c.in.number+added
		c.in.open = false
	}
	return from - begin
}

// learnLayout learns the layout of rows from one that was read, unless rows had many forms lately.
func (c *sampleTable) learnLayout(row []byte) {
	if c.unlike++; c.unlike <= c.layoutWait {
		return
	}
	for _, o := range c.offset {
		if math.IsNaN(o) {
			return // the first value of each column decides how it is stored
		}
	}
	if c.layout = newRowLayout(row, c.field); c.layout.length == 0 {
		c.layoutWait, c.unlike = maxLearnWait, 0
	}
}
