package names

import (
	"strings"
	"testing"
	"unicode/utf8"

	"jobgait/analysis/note"
)

func TestReadable(t *testing.T) {
	for symbol, want := range map[string]string{
		"main": "main", "": "", "dgemm_kernel_HASWELL": "dgemm_kernel_HASWELL",
		"_ZN9PairLJCut7computeEii":                       "PairLJCut::compute",
		"_ZL10soundSpeedd.isra.0":                        "soundSpeed",
		"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE": "core::fmt::Formatter::pad",
		"_RNvCs1234_7mycrate3foo":                        "mycrate::foo",
		"__physics_MOD_smooth":                           "physics::smooth",
		"pow@@GLIBC_2.29":                                "pow", "exp@GLIBC_2.2.5": "exp", "@": "@",
		"_MOD_":                         "_MOD_",
		"__ieee754_pow_fma":             "__ieee754_pow_fma",
		"a\x1b[31mred\x07\xff":          "a?[31mred??",
		"_Z" + strings.Repeat("9", 100): "_Z" + strings.Repeat("9", 100),
		strings.Repeat("é", 150):        strings.Repeat("é", 100),
		"_Z3fooI" + strings.Repeat("3Bar", 100) + "EvT_":   "foo",
		"_Z3fooI" + strings.Repeat("3Barn", 2000) + "EvT_": "foo",
	} {
		if got := ReadableName(symbol); got != want {
			t.Errorf("%.60q: %q, not %.60q", symbol, got, want)
		}
	}
}

func FuzzReadable(f *testing.F) {
	for _, s := range []string{"_ZN9PairLJCut7computeEii", "__a_MOD_b", "_RNvCs1234_7mycrate3foo", "\x1b]0;x\x07"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := ReadableName(s); len(n) > MaxName || !utf8.ValidString(n) || n != note.Clean(n, MaxName) {
			t.Errorf("%q: %q", s, n)
		}
	})
}
