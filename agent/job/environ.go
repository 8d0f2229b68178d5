package job

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxEnviron bounds what is read of /proc/PID/environ: 1 MiB holds any
// environment met in practice, and the user decides on its size.
const maxEnviron = 1 << 20

// environ returns the SLURM_ variables a process was started with, and
// SLURMD_NODENAME. Nothing else of a user's environment is looked at: it holds
// tokens and passwords.
func environ(proc string, pid int) map[string]string {
	b, _ := readBounded(filepath.Join(proc, strconv.Itoa(pid), "environ"), maxEnviron)
	return parseEnviron(b)
}

func parseEnviron(b []byte) map[string]string {
	env := map[string]string{}
	for len(b) > 0 {
		var v []byte
		v, b, _ = bytes.Cut(b, []byte{0})
		if !bytes.HasPrefix(v, []byte("SLURM")) {
			continue
		}
		name, value, ok := strings.Cut(string(v), "=")
		if !ok || !strings.HasPrefix(name, "SLURM_") && name != "SLURMD_NODENAME" {
			continue
		}
		if _, ok := env[name]; !ok { // getenv takes the first
			env[name] = value
		}
	}
	return env
}

// readBounded reads at most max bytes of a file. Files of /proc have no size
// beforehand; what was read before an error is returned with it.
func readBounded(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, max))
}
