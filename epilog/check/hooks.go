package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// add is the line that adds one to slurm.conf.
func (n Node) add(s answers, text string) string {
	return fmt.Sprintf("echo '%s' >>%s   # on the controller and all nodes, then: scontrol reconfigure", text, n.conf(s))
}

// hook judges the Prolog or the Epilog: paths, or patterns of a site that keeps
// several.
func (n Node) hook(s answers, name string, paths []string) Finding {
	subject := strings.ToLower(name)
	mine := filepath.Join(n.dir(), subject)
	if len(paths) == 0 {
		return fail(subject, n.add(s, name+"="+mine), "slurm.conf has no %s, so nothing is called", name)
	}
	for _, p := range paths {
		files, err := filepath.Glob(p)
		if err != nil || files == nil {
			files = []string{p}
		}
		for _, f := range files {
			if !strings.Contains(f, "jobgait") && !n.calls(f) {
				continue
			}
			if err := runnable(f); err != nil {
				return fail(subject, "make install", "%s=%s is no program for root on this node: %v", name, f, err)
			}
			if at := filepath.Dir(f); strings.Contains(f, "jobgait") && at != n.dir() &&
				exists(filepath.Join(at, "jobgait-"+subject)) {
				return warn(subject, n.add(s, name+"="+mine), "%s=%s is of another installation than %s", name, f, n.dir())
			}
			return ok(subject, "%s=%s", name, f)
		}
	}
	return fail(subject, fmt.Sprintf("echo '%s || true' >>%s", mine, paths[0]),
		"%s=%s: nothing there names jobgait; it has to call %s", name, strings.Join(paths, ", "), mine)
}

// calls is whether a site's own hook names us.
func (n Node) calls(path string) bool {
	text, err := read(path)
	return err == nil && bytes.Contains(text, []byte("jobgait"))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// prologFlags are the PrologFlags, in small letters.
func (s answers) prologFlags() []string {
	return strings.Split(strings.ToLower(strings.Join(s.config["PrologFlags"], ",")), ",")
}

// flags judges when the Prolog runs.
func (n Node) flags(s answers) Finding {
	const subject = "flags"
	have := s.prologFlags()
	for _, f := range []string{"alloc", "contain", "runinjob", "x11"} { // the others imply Alloc
		if slices.Contains(have, f) {
			return ok(subject, "PrologFlags=%s", strings.Join(s.config["PrologFlags"], ","))
		}
	}
	return fail(subject, n.add(s, "PrologFlags=Alloc"),
		"PrologFlags=%s has neither Alloc nor Contain: nodes that only mpirun uses have no agent",
		strings.Join(s.config["PrologFlags"], ","))
}

// What hooks take at most: the Prolog ends by itself after 2 s.
const prologS = 2

// timeouts judges Slurm's limits of hooks: it drains the node of one that it has to
// end.
func (n Node) timeouts(s answers) Finding {
	const subject = "timeout"
	epilogS := n.Config.Epilog.DeadlineS
	for _, l := range []struct {
		name  string
		takes float64
	}{{"PrologEpilogTimeout", max(prologS, epilogS)}, {"PrologTimeout", prologS}, {"EpilogTimeout", epilogS}} {
		if limit, set := seconds(s.one(l.name)); set && limit < l.takes+1 {
			return fail(subject, n.add(s, l.name+"=60"),
				"%s=%g, but the hook may take %g s: Slurm would end it and drain the node",
				l.name, limit, l.takes)
		}
	}
	return ok(subject, "Slurm's limits are longer than the hooks take")
}

// seconds reads a limit of `scontrol show config`: "60", "60 sec"; 65534 means unlimited.
func seconds(text string) (s float64, set bool) {
	f := strings.Fields(text)
	if len(f) == 0 {
		return 0, false
	}
	v, err := strconv.Atoi(f[0])
	return float64(v), err == nil && v > 0 && v < 65533
}
