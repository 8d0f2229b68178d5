package history

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"jobgait/analysis/summary"
)

// maxBody is the largest summary in bytes of JSON: 10,000 nodes and their notes
// are 3 MB. More is refused when written, and not unpacked when read.
const maxBody = 64 << 20

// bodyDict is the compression dictionary: the keys and usual values of summaries. It must never change, because
// stored summaries were packed with it; another dictionary needs another number.
//
//go:embed body.dict
var bodyDict []byte

const bodyDictID = 0x6A67_0001

// packer encodes summaries for storage. It reuses its compressor.
type packer struct {
	once sync.Once
	zstd *zstd.Encoder
	err  error
}

// encode returns the summary as it is stored: JSON packed by zstd. The dictionary shortens mainly summaries
// without a timeline: see MEASURED.md. More than maxBody bytes of JSON are an error. The Epilog's time is left
// out: it is known only after the summary was stored, and has a column of its own.
func (p *packer) encode(s summary.Summary) ([]byte, error) {
	s.Quality.EpilogS = nil
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("internal error, please report it: encode the summary of the run: %w", err)
	}
	if len(text) > maxBody {
		return nil, fmt.Errorf("its summary has %d bytes, more than the limit of %d: internal error, please report it",
			len(text), maxBody)
	}
	p.once.Do(func() {
		// The fastest level is a sixth of all that a run takes cheaper than the next (.30 to
		// .26 ms), and 3 % longer.
		p.zstd, p.err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<18),
			zstd.WithEncoderCRC(false), zstd.WithEncoderDictRaw(bodyDictID, bodyDict))
	})
	if p.err != nil {
		return nil, p.err
	}
	return p.zstd.EncodeAll(text, nil), nil
}

// decode returns the summary that encode stored.
func decode(body []byte) (s summary.Summary, err error) {
	text, err := unpack(body)
	if err != nil {
		return s, fmt.Errorf("the stored summary of a run is damaged (unpack: %w): jobgait reanalyse stores it again "+
			"if its profile was kept", err)
	}
	if len(text) > maxBody {
		return s, fmt.Errorf("the stored summary of a run is damaged (more than %d bytes): jobgait reanalyse stores it "+
			"again if its profile was kept", maxBody)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("the stored summary of a run is damaged (decode: %w): jobgait reanalyse stores it again "+
			"if its profile was kept", err)
	}
	return s, nil
}

// unpack returns the JSON of a stored body. A body that needs more than maxBody bytes is an error.
func unpack(body []byte) ([]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderDictRaw(bodyDictID, bodyDict))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(body, nil)
}
