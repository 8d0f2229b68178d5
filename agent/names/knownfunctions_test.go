package names

import (
	"reflect"
	"testing"
)

func TestKnownFunctionAtAPlace(t *testing.T) {
	var k KnownFunctions
	a := Function{Start: 0x100, End: 0x128, Name: "a", Source: Symtab}
	b := Function{Start: 0x128, End: 0x200, Name: "b", Source: Symtab}
	inner := Function{Start: 0x180, End: 0x190, Name: "inner", Source: Symtab}
	k.Add(7, Answer{Functions: []Function{b, inner}})
	k.Add(5, Answer{Functions: []Function{}, Why: OtherBuild})
	k.Add(7, Answer{Functions: []Function{a, b}})
	if got := k.OfFile(7).Functions; !reflect.DeepEqual(got, []Function{a, b, inner}) {
		t.Errorf("%+v", got)
	}
	if k.OfFile(5).Why != OtherBuild || k.OfFile(6).Why != "" || len(k.OfFile(6).Functions) != 0 || k.Files[0].Key != 5 {
		t.Errorf("%+v", k)
	}
	for off, want := range map[uint64]string{0x100: "a", 0xf8: "a", 0x110: "a", 0x11c: "a", 0x122: "b", 0x130: "b",
		0x180: "inner", 0x1f8: "b"} {
		if f, ok := k.OfFile(7).FunctionAt(off); !ok || f.Name != want {
			t.Errorf("%#x: %+v, not %s", off, f, want)
		}
	}
	for _, off := range []uint64{0, 0xf0, 0x200, 1 << 60} {
		if f, ok := k.OfFile(7).FunctionAt(off); ok {
			t.Errorf("%#x: %+v", off, f)
		}
	}
}
