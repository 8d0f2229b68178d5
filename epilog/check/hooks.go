package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/configs"
)

// appendCommand returns the command that appends a line to slurm.conf.
func (n Node) appendCommand(s controllerConfig, text string) string {
	return fmt.Sprintf("echo '%s' >>%s   # on the controller and all nodes, then: scontrol reconfigure", text,
		n.slurmConfPath(s))
}

// checkHook checks that slurm.conf's Prolog or Epilog, a list of paths or patterns, calls jobgait's program of this
// installation. It judges the first file whose path or text contains the word jobgait: root must be able to run it.
func (n Node) checkHook(s controllerConfig, name string, paths []string) Finding {
	subject := strings.ToLower(name)
	mine := filepath.Join(n.dir(), subject)
	if len(paths) == 0 {
		return failure(subject, n.appendCommand(s, name+"="+mine), "slurm.conf has no %s, so nothing is called", name)
	}
	for _, p := range paths {
		files, err := filepath.Glob(p)
		if err != nil || files == nil {
			files = []string{p}
		}
		for _, f := range files {
			if !strings.Contains(f, "jobgait") && !n.namesJobgait(f) {
				continue
			}
			if err := runnable(f); err != nil {
				return failure(subject, "make install", "%s=%s is not a program that root can run on this node: %v", name, f, err)
			}
			if at := filepath.Dir(f); strings.Contains(f, "jobgait") && at != n.dir() &&
				exists(filepath.Join(at, "jobgait-"+subject)) {
				return warning(subject, n.appendCommand(s, name+"="+mine), "%s=%s belongs to another installation than %s", name, f,
					n.dir())
			}
			return passed(subject, "%s=%s", name, f)
		}
	}
	return failure(subject, fmt.Sprintf("echo '%s || true' >>%s", mine, paths[0]),
		"%s=%s does not call jobgait: it must call %s", name, strings.Join(paths, ", "), mine)
}

// namesJobgait reports whether the file of a site's own hook contains the word jobgait.
func (n Node) namesJobgait(path string) bool {
	text, err := readPlainFile(path)
	return err == nil && bytes.Contains(text, []byte("jobgait"))
}

// exists reports whether a path exists, links followed.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// prologFlags returns the controller's PrologFlags in lower case.
func (s controllerConfig) prologFlags() []string {
	return strings.Split(strings.ToLower(strings.Join(s.config["PrologFlags"], ",")), ",")
}

// checkPrologFlags checks that PrologFlags make Slurm run the Prolog on all nodes when a job is allocated.
func (n Node) checkPrologFlags(s controllerConfig) Finding {
	const subject = "flags"
	have := s.prologFlags()
	for _, f := range []string{"alloc", "contain", "runinjob", "x11"} { // the others imply Alloc
		if slices.Contains(have, f) {
			return passed(subject, "PrologFlags=%s", strings.Join(s.config["PrologFlags"], ","))
		}
	}
	return failure(subject, n.appendCommand(s, "PrologFlags=Alloc"),
		"PrologFlags=%s has neither Alloc nor Contain: nodes that only mpirun uses have no agent",
		strings.Join(s.config["PrologFlags"], ","))
}

// checkTimeouts checks that Slurm's time limits for hooks are longer than jobgait's hooks take, because Slurm
// drains a node whose hook it has to end.
func (n Node) checkTimeouts(s controllerConfig) Finding {
	const subject = "timeout"
	prologS, epilogS := configs.PrologLimit.Seconds(), n.Config.Epilog.DeadlineS
	for _, l := range []struct {
		name  string
		takes float64
	}{{"PrologEpilogTimeout", max(prologS, epilogS)}, {"PrologTimeout", prologS}, {"EpilogTimeout", epilogS}} {
		if limit, set := parseLimit(s.value(l.name)); set && limit < l.takes+1 {
			return failure(subject, n.appendCommand(s, l.name+"=60"),
				"%s=%g, but the hook may take %g s: Slurm would end it and drain the node",
				l.name, limit, l.takes)
		}
	}
	return passed(subject, "Slurm's limits are longer than the hooks take")
}

// parseLimit parses a time limit of `scontrol show config` in seconds: "60", "60 sec". set is false for no
// limit, which 65533 and more also mean.
func parseLimit(text string) (s float64, set bool) {
	f := strings.Fields(text)
	if len(f) == 0 {
		return 0, false
	}
	v, err := strconv.Atoi(f[0])
	return float64(v), err == nil && v > 0 && v < 65533
}
