package anatomy

import (
	"regexp"
	"strings"
)

// compilerSuffix matches what compilers append to the name of a function that they copy or split, and what
// linkers append for its version: pow@@GLIBC_2.29.
var compilerSuffix = regexp.MustCompile(
	`(\.(isra|constprop|part|cold|lto_priv|llvm|localalias|clone)(\.\d+)?| \[clone [^\]]*\]|@@?[\w.]+)+$`)

// cpuVariantSuffix matches what libraries append to the name of a function that they have for several kinds of
// CPU. OpenBLAS names the CPU; glibc what it uses of it.
var cpuVariantSuffix = regexp.MustCompile(
	`_(HASWELL|SKYLAKEX|COOPERLAKE|SAPPHIRERAPIDS|SANDYBRIDGE|NEHALEM|ZEN|BULLDOZER|PILEDRIVER|STEAMROLLER|EXCAVATOR|` +
		`BARCELONA|PRESCOTT|CORE2|PENRYN|DUNNINGTON|ATOM|NANO|BOBCAT|OPTERON(_SSE3)?|` +
		`ARMV8|ARMV8SVE|NEOVERSEN1|NEOVERSEN2|NEOVERSEV1|THUNDERX|THUNDERX2T99|THUNDERX3T110|CORTEXA\d+|A64FX|POWER\d+|` +
		`avx|avx2|avx512|evex|evex512|sse2|sse3|ssse3|sse4_1|sse4_2|fma|fma4|erms|unaligned|aligned|no_vzeroupper|rtm|vl)$`)

// NormalName returns the name of a function by which runs on different kinds of nodes or with different
// compilers are compared: without compiler suffixes and, in mathematics and C libraries, without the kind of
// CPU. In the user's own code such a suffix, as _avx2, is kept, because it may distinguish two functions.
func NormalName(library, name string) string {
	name = trimmed(name, compilerSuffix)
	if c := ClassOf(library); c != Math && c != CRuntime {
		return name
	}
	for next := trimmed(name, cpuVariantSuffix); next != name; next = trimmed(name, cpuVariantSuffix) {
		name = next
	}
	return name
}

// trimmed returns the name without its end that the expression matches. It returns the name unchanged if only
// underscores would remain.
func trimmed(name string, end *regexp.Regexp) string {
	at := end.FindStringIndex(name)
	if at == nil || strings.Trim(name[:at[0]], "_") == "" {
		return name
	}
	return name[:at[0]]
}
