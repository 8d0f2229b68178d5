package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// before is a made-up version 0: its headers called the step of the grid otherwise,
// and its blocks and epochs had a byte more in front.
func before() versionFormat {
	return versionFormat{version: Version - 1,
		header: func(payload []byte) (Header, error) {
			var h struct {
				Header
				Step int64 `json:"step"`
			}
			err := json.Unmarshal(payload, &h)
			h.StepNS = h.Step
			return h.Header, err
		},
		payload: func(kind byte, payload []byte) ([]byte, error) {
			if kind == footerFrame {
				return payload, nil
			}
			if len(payload) == 0 || payload[0] != kind {
				return nil, errPayload
			}
			return payload[1:], nil
		}}
}

func TestHeaderOfAnyVersion(t *testing.T) {
	table := append(supportedFormats(), before())
	for text, want := range map[string]string{
		`{"version":1,"step_ns":5000000}`: "",
		`{"version":0,"step":5000000}`:    "",
		`{"version":0,"step_ns":5000000}`: "step of 0 ns",
		`{"version":2,"step_ns":5000000}`: ": it is 2, want 0 to 1: install the same version of jobgait on all nodes",
		`{"version":-1}`:                  ": it is -1, want",
		`{`:                               "JSON",
	} {
		h, _, err := readHeader([]byte(text), table)
		if want == "" && (err != nil || h.StepNS != 5_000_000 || h.Version != Version) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", text, h, err)
		}
	}
	if _, _, err := readHeader([]byte(`{"version":0,"step":5000000}`), supportedFormats()); !errors.Is(err, ErrVersion) {
		t.Errorf("a version without a reader is read: %v", err)
	}
}

// A profile of the version before is read whole, by what is said of it in one place.
func TestVersionBefore(t *testing.T) {
	data, _, want := image(t, 4)
	earlier := frameOf(headerFrame, `{"version":0,"step":5000000,"columns":[{"name":"a"},{"name":"b","gauge":true}]}`)
	for at := frameSize + len(headerOf(data)); at < len(data); {
		n, _ := frameLength(data[at:])
		kind, payload := data[at+4], string(data[at+frameSize:at+n])
		if kind != footerFrame {
			payload = string(kind) + payload
		}
		earlier = append(earlier, frameOf(kind, payload)...)
		at += n
	}
	earlier = append(earlier[:len(earlier):len(earlier)], frameOf(footerFrame, "{}")...)
	r, err := newReader(bytes.NewReader(earlier), append(supportedFormats(), before()))
	if err != nil {
		t.Fatal(err)
	}
	p := r.ReadAll()
	for i := range want { // its header has other clocks
		want[i].RealNS, want[i].MonoNS = 0, 0
		p.Blocks[i].RealNS, p.Blocks[i].MonoNS = 0, 0
	}
	if !reflect.DeepEqual(p.Blocks, want) || p.Footer == nil || p.Damage.BlocksBad != 1 { // the second footer
		t.Errorf("%d blocks, footer %v, %+v", len(p.Blocks), p.Footer, p.Damage)
	}
}

func headerOf(data []byte) []byte {
	n, _ := frameLength(data)
	return data[frameSize:n]
}

// Frames of kinds that are not known are passed over and counted, and are no damage,
// wherever they are and however long.
func TestUnknownFramesAreCounted(t *testing.T) {
	data, ends, blocks := image(t, 3)
	small, large := frameOf('Z', "of a later version"), frameOf('~', strings.Repeat(magic+"B\x01\x00\x00\x00", 1<<17))
	r, err := NewReader(bytes.NewReader(join(data[:ends[0]], small, data[ends[0]:ends[1]], large, frameOf('Y', ""),
		data[ends[1]:])))
	if err != nil {
		t.Fatal(err)
	}
	p := r.ReadAll()
	if len(p.Blocks) != len(blocks) || r.unknownFrames != 3 || p.Damage != (Damage{}) || p.Footer == nil {
		t.Errorf("%d of %d blocks, %d unknown, %+v", len(p.Blocks), len(blocks), r.unknownFrames, p.Damage)
	}
}
