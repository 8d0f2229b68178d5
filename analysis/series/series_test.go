package series

import (
	"encoding/json"
	"math"
	"testing"
)

func TestColumn(t *testing.T) {
	s := Set{StepS: 0.005, Columns: []Column{{Name: "a", Values: Values{1, 2}}, {Name: "b", Values: Values{3, 4}}}}
	if s.Len() != 2 || (Set{}).Len() != 0 {
		t.Error("Len does not count samples")
	}
	if c, ok := s.Column("b"); !ok || c.Values[0] != 3 {
		t.Error("column b not found")
	}
	if _, ok := s.Column("c"); ok {
		t.Error("found a column that is not there")
	}
}

func TestValuesJSON(t *testing.T) {
	for _, c := range []struct {
		v    Values
		want string
	}{
		{nil, "[]"},
		{Values{1, 0.1, 1e7}, "[1,0.1,1e+07]"},
		{Values{Missing(), float32(math.Inf(1)), 2}, "[null,null,2]"},
	} {
		b, err := json.Marshal(c.v)
		if err != nil || string(b) != c.want {
			t.Errorf("%v: %s, %v; want %s", c.v, b, err, c.want)
		}
		var back Values
		if err := json.Unmarshal(b, &back); err != nil || len(back) != len(c.v) {
			t.Errorf("%s: %v, %v", b, back, err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != c.want {
			t.Errorf("%s became %s, %v", b, again, err)
		}
	}
	for _, text := range []string{`["1"]`, `{}`, `1`, `[1e39]`} {
		if v := (Values{7}); json.Unmarshal([]byte(text), &v) == nil || len(v) != 1 {
			t.Errorf("%s was read as %v", text, v)
		}
	}
}

func FuzzValuesJSON(f *testing.F) {
	f.Add([]byte("[1,null,2.5e3]"))
	f.Add([]byte("[]"))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, w Values
		if json.Unmarshal(b, &v) != nil {
			return
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &w); err != nil || len(w) != len(v) {
			t.Fatalf("%q -> %q: %v", b, out, err)
		}
	})
}
