package names

import (
	"strings"
	"unicode/utf8"

	"github.com/ianlancetaylor/demangle"

	"jobgait/analysis/note"
)

// MaxName is the longest name in bytes. maxRaw limits what is read of a symbol's name: those of templates have
// some kilobytes.
const (
	MaxName = 200
	maxRaw  = 4096
)

// ReadableName returns the name of a symbol as its author wrote it: C++ without parameters (and without
// template arguments if they are too long), Rust, and Fortran's module::procedure. Other names stay as they
// are, without the version of a library's symbol (pow@@GLIBC_2.29). The result is clean text.
func ReadableName(symbol string) string {
	if i := strings.IndexByte(symbol, '@'); i > 0 {
		symbol = symbol[:i]
	}
	name := symbol
	if s, ok := gfortranName(symbol); ok {
		name = s
	} else if s, ok := demangled(symbol); ok {
		name = s
	}
	name = note.Clean(name, MaxName)
	for len(name) > MaxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return strings.TrimSpace(name)
}

// gfortranName converts gfortran's names, __module_MOD_procedure; false for other names.
func gfortranName(symbol string) (string, bool) {
	rest, ok := strings.CutPrefix(symbol, "__")
	module, procedure, mod := strings.Cut(rest, "_MOD_")
	return module + "::" + procedure, ok && mod && module != "" && procedure != ""
}

// demangled converts mangled names of C++ and Rust; false for other names and for a symbol of maxRaw bytes,
// which is cut off. A name longer than MaxName is returned without its template parameters. It recovers from
// panics and limits the output, because the library is not made for hostile names.
func demangled(symbol string) (name string, ok bool) {
	if len(symbol) == maxRaw { // cut off
		return "", false
	}
	defer func() {
		if recover() != nil {
			name, ok = "", false
		}
	}()
	const twoToThe = 14 // bytes
	name, err := demangle.ToString(symbol, demangle.NoParams, demangle.MaxLength(twoToThe))
	if err != nil {
		return "", false
	}
	if len(name) > MaxName {
		short, err := demangle.ToString(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.MaxLength(twoToThe))
		return short, err == nil
	}
	return name, true
}
