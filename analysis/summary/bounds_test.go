package summary

import (
	"reflect"
	"testing"
)

// fieldsOf adds the fields of a type and of what is in it, by both of their names, as
// numbers or lists.
func fieldsOf(t reflect.Type, numbers, lists map[string]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		f, of := t.Field(i), numbers
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Slice || kind.Kind() == reflect.Map {
			lists[f.Name], lists[t.Name()+"."+f.Name] = true, true
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct && kind.Kind() != reflect.String && kind.Kind() != reflect.Float32 {
			of[f.Name], of[t.Name()+"."+f.Name] = true, true
		}
		fieldsOf(f.Type, numbers, lists)
	}
}

// Each bound names an existing field: a misspelled name would limit nothing.
func TestBoundsAreOfFields(t *testing.T) {
	numeric, lists := map[string]bool{}, map[string]bool{}
	fieldsOf(reflect.TypeFor[NodeRecord](), numeric, lists)
	fieldsOf(reflect.TypeFor[Summary](), numeric, lists)
	for of, list := range map[*map[string]bool][]bound{&numeric: numbers(1), &lists: lengths(1)} {
		for name := range byField(list) {
			if !(*of)[name] {
				t.Errorf("no field %s", name)
			}
		}
	}
}
