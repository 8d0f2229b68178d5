package profile

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrVersion is returned for a profile that is whole and of a version that is not
// read here.
var ErrVersion = errors.New("profile version is not supported")

// format converts the frames of one version to the present one: the header, and the payload of every other
// frame of the same kind; nil if that never changed.
type format struct {
	version int
	header  func(payload []byte) (Header, error)
	payload func(kind byte, payload []byte) ([]byte, error)
}

// formats are this version and the one before, for an agent may run for eight days
// while its node is upgraded. Nothing was released before version 1.
func formats() []format {
	return []format{{version: Version, header: func(payload []byte) (h Header, err error) {
		return h, json.Unmarshal(payload, &h)
	}}}
}

// readHeader reads a header with the format of its version.
func readHeader(payload []byte, formats []format) (Header, format, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return Header{}, format{}, fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	for _, f := range formats {
		if f.version != head.Version {
			continue
		}
		h, err := f.header(payload)
		if h.Version = Version; err == nil {
			err = h.check()
		}
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrNoHeader, err)
		}
		return h, f, err
	}
	return Header{}, format{}, fmt.Errorf("%w: %d, known are %d to %d; read it with the jobgait of the node that wrote it",
		ErrVersion, head.Version, formats[len(formats)-1].version, formats[0].version)
}
