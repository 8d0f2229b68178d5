package anatomy

import "fmt"

// PagePart is a part of a page of code that has a column of its own: WholePage, a block of 256 bytes or a place of
// 16 bytes. A block's column has no samples of those of its places that have columns, and WholePage has the
// samples of the page that are in no other column.
type PagePart uint16

// PageBlocks and PagePlaces are how many blocks and places a page of 4096 bytes has; WholePage is the part that
// is the page itself, LastPart the highest.
const (
	PageBlocks          = 16
	PagePlaces          = 256
	WholePage  PagePart = 0
	LastPart   PagePart = PageBlocks + PagePlaces
)

// BlockPart returns the block of 256 bytes in which a place of a page lies.
func BlockPart(place uint8) PagePart { return 1 + PagePart(place>>4) }

// PlacePart returns the part that is the given place, 16 bytes, of a page.
func PlacePart(place uint8) PagePart { return 1 + PageBlocks + PagePart(place) }

// IsPlace reports whether the part is a place.
func (p PagePart) IsPlace() bool { return p > PageBlocks }

// Parent is the part that holds p: the block of a place, else the page.
func (p PagePart) Parent() PagePart {
	if p.IsPlace() {
		return BlockPart(uint8(p - 1 - PageBlocks))
	}
	return WholePage
}

// Suffix returns the suffix of the column's name for the part: "" for the whole page, "+300" for the block from
// byte 0x300 of the page on, "+310-31f" for a place.
func (p PagePart) Suffix() string {
	switch {
	case p == WholePage:
		return ""
	case p.IsPlace():
		at := 16 * (p - 1 - PageBlocks)
		return fmt.Sprintf("+%03x-%03x", at, at+15)
	}
	return fmt.Sprintf("+%x00", p-1)
}
