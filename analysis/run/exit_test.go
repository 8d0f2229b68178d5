package run

import "testing"

func TestWorseExit(t *testing.T) {
	ok, code, signal := &Exit{}, &Exit{Code: 3}, &Exit{Signal: 15}
	for _, c := range []struct{ a, b, want *Exit }{
		{nil, nil, nil}, {ok, nil, ok}, {nil, code, code}, {ok, code, code}, {code, ok, code}, {code, signal, signal},
		{signal, code, signal},
	} {
		if got := WorseExit(c.a, c.b); got != c.want {
			t.Errorf("WorseExit(%v, %v) = %v", c.a, c.b, got)
		}
	}
}
