package job

import (
	"bytes"
	"strings"

	"jobgait/agent/peek"
)

// maxEnviron bounds what is read of /proc/PID/environ: 1 MiB holds any
// environment met in practice, and the user decides on its size.
const maxEnviron = 1 << 20

// environ returns the SLURM_ variables a process was started with, and
// SLURMD_NODENAME. Nothing else of a user's environment is looked at: it holds
// tokens and passwords.
func (l *look) environ(pid int) map[string]string {
	return parseEnviron(l.asked(peek.Question{File: peek.Environ, PID: pid, Max: maxEnviron}))
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
