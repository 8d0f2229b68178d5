package names

import (
	"bytes"
	"context"
	"io"
	"math"

	"github.com/therootcompany/xz"
)

// Limits for .gnu_debugdata, in which Fedora packs the symbols of functions that are not exported: 1 MB for a
// large program, with xz's usual dictionary of 8 MB.
const (
	maxUnpacked   = 24 << 20
	maxDictionary = 8 << 20
)

// miniDebugFile unpacks and opens the ELF file in .gnu_debugdata; nil if there is no such section or it is
// invalid. It is nil too if the unpacked file is longer than maxUnpacked or ctx ends.
func (f *ELFFile) miniDebugFile(ctx context.Context) *ELFFile {
	for _, s := range f.sections {
		if s.title != ".gnu_debugdata" || s.kind != kindCode || s.off > math.MaxInt64 {
			continue
		}
		packed := io.NewSectionReader(f.r, int64(s.off), int64(min(s.size, maxUnpacked)))
		z, err := xz.NewReader(packed, maxDictionary)
		if err != nil {
			return nil
		}
		var b bytes.Buffer
		for b.Len() < maxUnpacked && ctx.Err() == nil {
			if _, err = io.CopyN(&b, z, 1<<20); err != nil {
				break
			}
		}
		if err != io.EOF {
			return nil // too long, or damaged
		}
		g, err := Open(bytes.NewReader(b.Bytes()))
		if err != nil {
			return nil
		}
		return g
	}
	return nil
}
