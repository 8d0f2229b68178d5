package profile

import (
	"encoding/json"
	"fmt"
)

// headerReader reads the header of one version into that of ours. Blocks and
// overviews have been the same since version 1; a version that changes them brings
// their reader here, too.
type headerReader struct {
	version int
	read    func(payload []byte) (Header, error)
}

// headers are the readers of this version and of the one before, for an agent may run
// for eight days while its node is upgraded. Nothing was released before version 1.
func headers() []headerReader {
	return []headerReader{{Version, func(payload []byte) (h Header, err error) { return h, json.Unmarshal(payload, &h) }}}
}

// readHeader reads a header with the reader of its version.
func readHeader(payload []byte, readers []headerReader) (Header, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return Header{}, err
	}
	for _, r := range readers {
		if r.version == head.Version {
			h, err := r.read(payload)
			h.Version = Version
			return h, err
		}
	}
	return Header{}, fmt.Errorf("profile version %d, known are %d to %d", head.Version, readers[len(readers)-1].version, readers[0].version)
}
