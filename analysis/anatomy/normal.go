package anatomy

import (
	"regexp"
	"strings"
)

// clones are what compilers add to the name of a function that they have copied or
// cut in parts, and linkers for its version: pow@@GLIBC_2.29.
var clones = regexp.MustCompile(
	`(\.(isra|constprop|part|cold|lto_priv|llvm|localalias|clone)(\.\d+)?| \[clone [^\]]*\]|@@?[\w.]+)+$`)

// dispatched are what libraries add to the name of a function that they have for
// several kinds of CPU. OpenBLAS names the CPU; glibc what it uses of it.
var dispatched = regexp.MustCompile(
	`_(HASWELL|SKYLAKEX|COOPERLAKE|SAPPHIRERAPIDS|SANDYBRIDGE|NEHALEM|ZEN|BULLDOZER|PILEDRIVER|STEAMROLLER|EXCAVATOR|` +
		`BARCELONA|PRESCOTT|CORE2|PENRYN|DUNNINGTON|ATOM|NANO|BOBCAT|OPTERON(_SSE3)?|` +
		`ARMV8|ARMV8SVE|NEOVERSEN1|NEOVERSEN2|NEOVERSEV1|THUNDERX|THUNDERX2T99|THUNDERX3T110|CORTEXA\d+|A64FX|POWER\d+|` +
		`avx|avx2|avx512|evex|evex512|sse2|sse3|ssse3|sse4_1|sse4_2|fma|fma4|erms|unaligned|aligned|no_vzeroupper|rtm|vl)$`)

// Normal is the name of a function by which runs on different kinds of nodes, and of
// programs that another compiler made, are compared: without what says which copy a
// compiler made and, in libraries that choose by CPU, for which they chose it. In the
// user's own code _avx2 may be what tells two functions apart.
func Normal(library, name string) string {
	name = trimmed(name, clones)
	if c := ClassOf(library); c != Math && c != CRuntime {
		return name
	}
	for next := trimmed(name, dispatched); next != name; next = trimmed(name, dispatched) {
		name = next
	}
	return name
}

// trimmed cuts the end off unless nothing, or nothing but underscores, would stay.
func trimmed(name string, end *regexp.Regexp) string {
	at := end.FindStringIndex(name)
	if at == nil || strings.Trim(name[:at[0]], "_") == "" {
		return name
	}
	return name[:at[0]]
}
