package finish

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/job"
)

// FindAgent returns the run directory of a run's agent, by the processes of this
// host: where the settings cannot be used nothing else says where the spool is, and
// an agent that nobody stops stays for days. Only our own account's processes of
// program count, and only where nobody else can write: anybody may start an agent.
func FindAgent(proc, program string, now job.Run) (dir job.RunDir, run job.Run) {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return "", run
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		d, ok := runDirOf(filepath.Join(proc, e.Name()), program)
		if !ok || !strings.HasPrefix(filepath.Base(string(d)), prefixOf(now.Key)) || job.Ours(string(d)) != nil {
			continue
		}
		if r, err := d.ReadRun(); err == nil && r.Key.Sub == now.Key.Sub && r.Node == now.Node && !Ended(d) {
			return d, r
		}
	}
	return "", run
}

// runDirOf returns what the process at path samples if it is an agent of ours. It is
// asked first for what nobody can make hang: exe and cmdline wait for a process's
// memory lock, which its owner can hold for ever.
func runDirOf(path, program string) (job.RunDir, bool) {
	status, err := os.ReadFile(filepath.Join(path, "status"))
	if err != nil || !ownAgent(status) {
		return "", false
	}
	exe, err := os.Readlink(filepath.Join(path, "exe"))
	if err != nil || strings.TrimSuffix(exe, " (deleted)") != program {
		return "", false
	}
	text, err := os.ReadFile(filepath.Join(path, "cmdline"))
	if err != nil {
		return "", false
	}
	args := bytes.Split(text, []byte{0})
	i := slices.IndexFunc(args, func(a []byte) bool { return string(a) == "--run-dir" })
	if i < 0 || i+1 >= len(args) || !filepath.IsAbs(string(args[i+1])) {
		return "", false
	}
	return job.RunDir(filepath.Clean(string(args[i+1]))), true
}

// ownAgent is whether /proc/PID/status is that of an agent that is our account's in
// all of its user ids: real, effective, saved and of files. Who owns /proc/PID would
// not do: root, for any program that keeps others out.
func ownAgent(status []byte) bool {
	named, owned := false, false
	me := strconv.Itoa(os.Geteuid())
	for line := range strings.Lines(string(status)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "Name:":
			named = f[1] == "jobgait-agent"
		case len(f) == 5 && f[0] == "Uid:":
			owned = f[1] == me && f[2] == me && f[3] == me && f[4] == me
		}
	}
	return named && owned
}
