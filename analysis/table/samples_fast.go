package table

import (
	"bytes"
)

// fastRows reads rows of plain decimals straight from the buffer, without dividing them
// into cells first: a day of CSV at 200 Hz in a third of the time. It returns before the
// first line that is anything else.
func (c *sampleTable) fastRows() error {
	if c.time < 0 || c.separator == ' ' || c.decimalComma {
		return nil
	}
	s := c.in
	for {
		b := s.buf[s.lo:s.hi]
		n := c.fastBlock(b)
		s.lo += n
		if err := c.checkSize(); err != nil {
			return err
		}
		if n < len(b) && bytes.IndexByte(s.buf[s.lo:s.hi], '\n') >= 0 || s.ended || s.lo == 0 {
			return nil // a line that is not plain, or longer than the buffer
		}
		if err := s.fill(); err != nil {
			return s.failAt(s.number+1, "read the input: %w", err)
		}
	}
}

// fastBlock reads the plain rows that b begins with and returns their length. Rows of one form follow the layout that
// the row before them gives (samples_layout.go).
func (c *sampleTable) fastBlock(b []byte) (consumed int) {
	scale := c.scale
	for consumed < len(b) {
		if c.layout.length > 0 {
			consumed = c.placedRows(b, consumed)
		}
		var at decimal
		i := consumed
		last := len(c.field) - 1
		for k, to := range c.field {
			if to == skipped {
				for i < len(b) && b[i] != c.separator && b[i] != '\n' && b[i] != '"' {
					i++
				}
			} else {
				d, n := scanDecimal(b[i:])
				if n == 0 {
					return consumed
				}
				if i += n; to == keptTime {
					at = d
				} else {
					if c.units[to] != noUnit {
						return consumed
					}
					c.row[to] = d.float()
				}
			}
			if k == last {
				break
			}
			if i >= len(b) || b[i] != c.separator {
				return consumed
			}
			i++
		}
		if i < len(b) && b[i] == '\r' {
			i++
		}
		if i >= len(b) || b[i] != '\n' {
			return consumed
		}
		c.keepRow(c.t.addDecimal(at, scale))
		c.learnLayout(b[consumed : i+1])
		consumed = i + 1
		c.in.number++
		c.in.open = false
	}
	return consumed
}
