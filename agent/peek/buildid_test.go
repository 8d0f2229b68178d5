package peek

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// elf64 is an ELF file with one segment of notes.
func elf64(order binary.AppendByteOrder, notes []byte) []byte {
	b := []byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if order.String() == "BigEndian" {
		b[5] = 2
	}
	b = order.AppendUint64(append(b, make([]byte, 16)...), 64) // header table
	b = append(b, make([]byte, 14)...)
	b = order.AppendUint16(b, 56)
	b = order.AppendUint16(b, 2)
	b = append(b, make([]byte, 64-len(b))...)
	b = append(order.AppendUint32(b, 1), make([]byte, 52)...) // PT_LOAD
	b = order.AppendUint64(order.AppendUint32(order.AppendUint32(b, 4), 4), 64+2*56)
	b = order.AppendUint64(append(b, make([]byte, 16)...), uint64(len(notes)))
	return append(append(b, make([]byte, 16)...), notes...)
}

func elf32(notes []byte) []byte {
	order := binary.LittleEndian
	b := append([]byte{0x7f, 'E', 'L', 'F', 1, 1, 1}, make([]byte, 21)...)
	b = append(order.AppendUint32(b, 52), make([]byte, 10)...)
	b = order.AppendUint16(order.AppendUint16(b, 32), 1)
	b = append(b, make([]byte, 52-len(b))...)
	b = order.AppendUint32(order.AppendUint32(b, 4), 84)
	b = order.AppendUint32(append(b, make([]byte, 8)...), uint32(len(notes)))
	return append(append(b, make([]byte, 84-len(b))...), notes...)
}

func aNote(order binary.AppendByteOrder, name string, kind uint32, content []byte) []byte {
	b := order.AppendUint32(nil, uint32(len(name)))
	b = order.AppendUint32(order.AppendUint32(b, uint32(len(content))), kind)
	for _, s := range []string{name, string(content)} {
		b = append(b, s...)
		b = append(b, make([]byte, -len(s)&3)...)
	}
	return b
}

func TestReadBuildID(t *testing.T) {
	id := []byte("01234567890123456789")
	le := binary.LittleEndian
	notes := append(aNote(le, "GNU\x00", 1, make([]byte, 16)), aNote(le, "GNU\x00", 3, id)...)
	for name, file := range map[string][]byte{
		"64 bit": elf64(le, notes), "32 bit": elf32(notes),
		"big endian":     elf64(binary.BigEndian, aNote(binary.BigEndian, "GNU\x00", 3, id)),
		"after odd name": elf64(le, append(aNote(le, "Go\x00", 4, []byte("x")), notes...)),
	} {
		if got, err := BuildID(bytes.NewReader(file)); err != nil || !bytes.Equal(got, id) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, file := range map[string][]byte{
		"empty": nil, "script": []byte("#!/bin/sh\n"), "header only": elf64(le, nil)[:64],
		"no build id": elf64(le, aNote(le, "GNU\x00", 1, id)), "other owner": elf64(le, aNote(le, "Go\x00\x00", 3, id)),
		"cut":        elf64(le, notes)[:64+2*56+20],
		"lying note": elf64(le, []byte{4, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0, 'G', 'N', 'U', 0}),
	} {
		if got, err := BuildID(bytes.NewReader(file)); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzReadBuildID(f *testing.F) {
	f.Add(elf64(binary.LittleEndian, aNote(binary.LittleEndian, "GNU\x00", 3, []byte("01234567"))))
	f.Add(elf32(aNote(binary.LittleEndian, "GNU\x00", 3, []byte("01234567"))))
	f.Add(elf64(binary.BigEndian, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, err := BuildID(bytes.NewReader(b)); err == nil && (len(id) == 0 || len(id) > 64) {
			t.Errorf("build id of %d bytes", len(id))
		}
	})
}
