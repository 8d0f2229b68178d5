package summary

import (
	"reflect"

	"jobgait/analysis/note"
)

// visit calls see with every text and number of a record, and with every list and map before its entries; name is
// "Type.Field". It finds fields by reflection, so that no field that is added later is forgotten. It skips truth values
// and nil pointers, and the entries of lists of float32 (series.Values). It stops at the first error of see.
func visit(v reflect.Value, name string, see func(v reflect.Value, name string) error) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return visit(v.Elem(), name, see)
	case reflect.Struct:
		for i := range v.NumField() {
			if err := visit(v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name, see); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice, reflect.Map:
		if err := see(v, name); err != nil || v.Type().Elem().Kind() == reflect.Float32 {
			return err
		}
		if v.Kind() == reflect.Map {
			return visitMap(v, name, see)
		}
		for i := range v.Len() {
			if err := visit(v.Index(i), name, see); err != nil {
				return err
			}
		}
		return nil
	case reflect.Bool:
		return nil
	}
	return see(v, name)
}

// visitMap calls visit for each key and value of a map.
func visitMap(v reflect.Value, name string, see func(v reflect.Value, name string) error) error {
	for entries := v.MapRange(); entries.Next(); {
		for _, x := range []reflect.Value{entries.Key(), entries.Value()} {
			if err := visit(x, name, see); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bounds of the text in a record, in characters.
const (
	maxText     = 4096    // of one text: a path's, PATH_MAX
	maxNodeList = 1 << 16 // hooks drop a longer one
)

// textOf returns the largest length of the text of a field, in characters.
func textOf(name string) int {
	if name == "Job.NodeList" {
		return maxNodeList
	}
	return maxText
}

// clean makes all text of a record printable and limits its length. record is a pointer.
func clean(record any) {
	_ = visit(reflect.ValueOf(record), "", func(v reflect.Value, name string) error {
		switch v.Kind() {
		case reflect.String:
			if s := v.String(); v.CanSet() {
				if c := note.Clean(s, textOf(name)); c != s {
					v.SetString(c)
				}
			}
		case reflect.Map: // its values cannot be set: of what is recorded of a run a new one is made
			if fields, ok := v.Interface().(map[string]string); ok && v.CanSet() && fields != nil {
				v.Set(reflect.ValueOf(cleanFields(fields)))
			}
		}
		return nil
	})
}

// cleanFields returns the fields with clean names and values. It leaves out fields whose clean name is empty.
func cleanFields(fields map[string]string) map[string]string {
	out := make(map[string]string, len(fields))
	for name, value := range fields {
		if name = note.Clean(name, maxText); name != "" {
			out[name] = note.Clean(value, maxText)
		}
	}
	return out
}
