package names

import (
	"strings"
	"unicode/utf8"

	"github.com/ianlancetaylor/demangle"

	"jobgait/analysis/note"
)

// MaxName is the longest name in bytes. maxRaw is what is read of one in a table:
// templates have some kilobytes.
const (
	MaxName = 200
	maxRaw  = 4096
)

// Readable is the name of a symbol as its author wrote it: of C++ without parameters (and without arguments of
// templates where they are too long), Rust, Fortran's module::procedure. Other names stay as they are, without
// the version of a library's symbol (pow@@GLIBC_2.29). The result is clean text.
func Readable(symbol string) string {
	if i := strings.IndexByte(symbol, '@'); i > 0 {
		symbol = symbol[:i]
	}
	name := symbol
	if s, ok := fortran(symbol); ok {
		name = s
	} else if s, ok := unmangled(symbol); ok {
		name = s
	}
	name = note.Clean(name, MaxName)
	for len(name) > MaxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return strings.TrimSpace(name)
}

// fortran reads gfortran's names: __module_MOD_procedure.
func fortran(symbol string) (string, bool) {
	rest, ok := strings.CutPrefix(symbol, "__")
	module, procedure, mod := strings.Cut(rest, "_MOD_")
	return module + "::" + procedure, ok && mod && module != "" && procedure != ""
}

// unmangled reads names of C++ and Rust. The reader of mangled names was not made
// for hostile ones alone: it may panic, and its output doubles with every repetition.
func unmangled(symbol string) (name string, ok bool) {
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
