package export

import "encoding/binary"

// thrift appends Thrift's compact protocol, the form of all of Parquet's headers.
// Fields of a struct come in ascending order of their numbers.
type thrift struct {
	b    []byte
	last []int // number of the last field of each struct that is open
}

// The types of the compact protocol that Parquet's headers have.
const (
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// open begins a struct, or an element of a list of them; shut ends it.
func (t *thrift) open() { t.last = append(t.last, 0) }
func (t *thrift) shut() {
	t.b = append(t.b, 0)
	t.last = t.last[:len(t.last)-1]
}

// field begins a field; numbers lie less than 16 apart.
func (t *thrift) field(number, kind int) {
	last := &t.last[len(t.last)-1]
	t.b = append(t.b, byte((number-*last)<<4|kind))
	*last = number
}

func (t *thrift) i32(number, v int) {
	t.field(number, thriftI32)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *thrift) i64(number int, v int64) {
	t.field(number, thriftI64)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thrift) text(number int, s string) {
	t.field(number, thriftBinary)
	t.bytes(s)
}

// bytes is an element of a list of strings.
func (t *thrift) bytes(s string) {
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
}

// list begins a list of n elements, which follow.
func (t *thrift) list(number, kind, n int) {
	t.field(number, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|kind))
		return
	}
	t.b = binary.AppendUvarint(append(t.b, byte(0xf0|kind)), uint64(n))
}

// structure begins a field that is a struct; shut ends it.
func (t *thrift) structure(number int) {
	t.field(number, thriftStruct)
	t.open()
}
