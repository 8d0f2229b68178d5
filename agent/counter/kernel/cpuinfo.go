package kernel

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// CPUModel returns the model name of the first CPU in /proc/cpuinfo, or its implementer and part numbers on
// arm64, which lists no model; "" if the file has neither.
func CPUModel(proc string) string {
	f, err := os.Open(filepath.Join(proc, "cpuinfo"))
	if err != nil {
		return ""
	}
	defer f.Close()
	return parseCPUModel(f)
}

// parseCPUModel returns the model name in the first paragraph of /proc/cpuinfo, that of one CPU; on arm64 the
// implementer and part numbers. It returns "" without these lines.
func parseCPUModel(r io.Reader) string {
	var implementer, part string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if !ok {
			break
		}
		switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
		case "model name", "cpu": // x86, POWER
			return value
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		}
	}
	if implementer == "" && part == "" {
		return ""
	}
	return "implementer " + implementer + " part " + part
}
