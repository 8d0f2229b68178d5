package kernel

import (
	"path/filepath"
	"strconv"
	"strings"

	"jobgait/agent/rawcall"
)

// NoProgram is the name of a program that could not be found out.
const NoProgram = "?"

// Program returns the base name of a process's executable.
func Program(proc string, pid int) string {
	path, err := rawcall.Readlink(filepath.Join(proc, strconv.Itoa(pid), "exe"))
	if err != nil {
		return NoProgram
	}
	return filepath.Base(strings.TrimSuffix(path, " (deleted)"))
}
