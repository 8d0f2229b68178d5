package profile

import "unsafe"

// Profile is a whole profile in memory. For long ones use Load or Open:
// 24 h of 8 columns and 48 pages are 2.9 GB.
type Profile struct {
	Header Header
	// Blocks are in the order of their slots and do not overlap; there may
	// be gaps between them.
	Blocks []Block
	// Footer is nil if the profile was not sealed.
	Footer *Footer
	// Epochs are in the order in which they were written.
	Epochs []Epoch
	Damage Damage
}

// Read reads every readable block of a profile. It fails only if there is no
// usable header; everything else that is wrong with the file stands in Damage.
func Read(path string) (*Profile, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.All(), nil
}

// All reads the rest of the blocks into memory, up to 4 GiB of them and not out
// of all proportion to what was read.
func (r *Reader) All() *Profile {
	p := &Profile{}
	for size := int64(0); ; {
		b, err := r.Next()
		if err != nil {
			break
		}
		r.decoder.forget() // what the block is made of
		p.Blocks = append(p.Blocks, b)
		if size += b.size(); size > min(maxDecoded, 64<<20+256*r.window.at) {
			r.salvage.also("only the first %d blocks were read, the rest is too long for memory", len(p.Blocks))
			r.quit()
			r.salvage.finish(r.window.at)
			break
		}
	}
	p.Header, p.Epochs = r.Header(), r.epochs
	p.Footer, p.Damage = r.footer, r.salvage.damage()
	return p
}

// size is the memory that the block holds, in bytes.
func (b *Block) size() int64 {
	n := int64(b.N)
	return int64(unsafe.Sizeof(*b)) + n*int64(8*len(b.Columns)+4+2*len(b.Pages)) +
		24*int64(len(b.Columns)) + 32*int64(len(b.Pages))
}
