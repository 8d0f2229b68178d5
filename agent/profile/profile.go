package profile

import "unsafe"

// Profile is a whole profile in memory. Use Load or Open for long ones: 24 h of 8 columns and 48 pages take 2.9
// GB.
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

// Read reads every readable block of a profile into memory. It fails only if there is no usable header; Damage
// describes everything else that is wrong with the file.
func Read(path string) (*Profile, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.ReadAll(), nil
}

// ReadAll reads the remaining blocks into memory. It stops once they take more than maxDecoded bytes, or more than 64
// MiB plus 256 times the bytes read; the rest then counts as lost, and Damage says so.
func (r *Reader) ReadAll() *Profile {
	p := &Profile{}
	for size := int64(0); ; {
		b, err := r.Next()
		if err != nil {
			break
		}
		r.decoder.releaseMemory() // what the block is made of
		p.Blocks = append(p.Blocks, b)
		if size += b.memoryBytes(); size > min(maxDecoded, 64<<20+256*r.window.at) {
			r.losses.addRemark("only the first %d blocks of the profile were read, because it is too long for memory: the "+
				"later samples are missing", len(p.Blocks))
			r.abandonRest()
			r.losses.finish(r.window.at)
			break
		}
	}
	p.Header, p.Epochs = r.Header(), r.epochs
	p.Footer, p.Damage = r.footer, r.losses.damage()
	return p
}

// memoryBytes returns the memory that the block takes, in bytes.
func (b *Block) memoryBytes() int64 {
	n := int64(b.N)
	return int64(unsafe.Sizeof(*b)) + n*int64(8*len(b.Columns)+4+2*len(b.Pages)) +
		24*int64(len(b.Columns)) + 32*int64(len(b.Pages))
}
