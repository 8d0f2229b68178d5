package job

import (
	"cmp"
	"encoding/json"
	"reflect"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Word is text that may be unknown: unknown is "" here, null in JSON and "-" in print.
type Word string

// MarshalJSON writes null for unknown text.
func (w Word) MarshalJSON() ([]byte, error) {
	if w == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(w))
}

// String returns the text, or "-".
func (w Word) String() string { return cmp.Or(string(w), "-") }

// cleanSummary returns s with text that can be printed and numbers that JSON can hold: an invalid number
// becomes 0, or nil if it may be missing. Texts in s.Code are not cleaned here but where they are used, because
// anatomy.NormalName needs names that are not cut. The caller's summary stays as it is.
func cleanSummary(s summary.Summary) summary.Summary {
	code := s.Code
	s.Code = nil
	cleanAll(reflect.ValueOf(&s).Elem(), text.Clean)
	cleanAll(reflect.ValueOf(&code).Elem(), func(name string) string { return name })
	s.Code = code
	return s
}

// cleanAll makes every field of v safe to print: it applies text to strings, and replaces numbers that are not
// finite by 0, or by nil where they are pointers. It works by reflection, so that fields added later are
// cleaned too. Lists and pointed-to values are copied before they are changed. Maps stay as they are, because
// only the numbers of the recorded fields are read. Samples stay too: a missing sample is NaN.
func cleanAll(v reflect.Value, text func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(v.String()))
	case reflect.Float64:
		v.SetFloat(quantity.OrZero(v.Float()))
	case reflect.Struct:
		for i := range v.NumField() {
			cleanAll(v.Field(i), text)
		}
	case reflect.Pointer:
		if f, ok := v.Interface().(*float64); ok {
			v.Set(reflect.ValueOf(quantity.FiniteOf(f)))
		} else if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			cleanAll(own.Elem(), text)
			v.Set(own)
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Float32 {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			cleanAll(own.Index(i), text)
		}
		v.Set(own)
	}
}
