package profile

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrVersion is the error for an intact profile of a version that this program cannot read.
var ErrVersion = errors.New("the format version of the profile is not supported")

// versionFormat converts the frames of one version to the present one: the header, and the payload of every
// other frame of the same kind, nil if payloads did not change.
type versionFormat struct {
	version int
	header  func(payload []byte) (Header, error)
	payload func(kind byte, payload []byte) ([]byte, error)
}

// supportedFormats returns the formats of this version and the one before, because an agent may run for eight
// days while its node is upgraded. There is no version before 1.
func supportedFormats() []versionFormat {
	return []versionFormat{{version: Version, header: func(payload []byte) (h Header, err error) {
		return h, json.Unmarshal(payload, &h)
	}}}
}

// readHeader decodes a header with the format of its version, and returns it, as one of the present version, with that
// format. It returns ErrNoHeader for a malformed header or one out of range, and ErrVersion for an unknown version.
func readHeader(payload []byte, formats []versionFormat) (Header, versionFormat, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return Header{}, versionFormat{}, fmt.Errorf("%w: %w", ErrNoHeader, err)
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
	return Header{}, versionFormat{},
		fmt.Errorf("%w: it is %d, want %d to %d: install the same version of jobgait on all nodes",
			ErrVersion, head.Version, formats[len(formats)-1].version, formats[0].version)
}
