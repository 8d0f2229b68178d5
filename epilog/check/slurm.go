package check

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
)

// scontrolLimit bounds the question to the scheduler.
const scontrolLimit = 5 * time.Second

// slurm asks the scheduler for its hooks.
func (n Node) slurm(ctx context.Context) []Finding {
	const subject = "slurm"
	scontrol := n.Config.Slurm.Scontrol
	if scontrol == "" {
		return []Finding{look(subject, "slurm.scontrol is empty: names and arrays of jobs stay unknown, and slurm.conf was not looked at")}
	}
	ctx, cancel := context.WithTimeout(ctx, scontrolLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, scontrol, "show", "config")
	cmd.Env = []string{"LC_ALL=C"}
	if n.SlurmConf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+n.SlurmConf)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			said := bytes.TrimSpace(exit.Stderr) // its last line says what came of the others
			return []Finding{wrong(subject, "%s show config: %v: %s", scontrol, err, said[bytes.LastIndexByte(said, '\n')+1:])}
		}
		return []Finding{wrong(subject, "%s show config: %v", scontrol, err)}
	}
	return judge(parse(out), filepath.Dir(n.Program))
}

// line is one of `scontrol show config`: "Prolog   = /path", since 24.05
// "Prolog[0] = /path".
var line = regexp.MustCompile(`^([A-Za-z]+)(?:\[\d+\])?\s*=\s*(.*)$`)

// parse reads the output of `scontrol show config`; what is not set is absent.
func parse(output []byte) map[string][]string {
	config := map[string][]string{}
	for text := range strings.Lines(string(output)) {
		m := line.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil || m[2] == "" || m[2] == "(null)" {
			continue
		}
		config[m[1]] = append(config[m[1]], job.Clean(m[2], 1000))
	}
	return config
}

// judge compares a configuration with what is installed in dir.
func judge(config map[string][]string, dir string) (list []Finding) {
	for _, name := range []string{"Prolog", "Epilog"} {
		list = append(list, hook(name, config[name], filepath.Join(dir, strings.ToLower(name))))
	}
	flags := strings.Join(config["PrologFlags"], ",")
	lower := strings.ToLower(flags)
	switch {
	case strings.Contains(lower, "alloc"), strings.Contains(lower, "contain"):
		list = append(list, good("slurm", "PrologFlags=%s", flags))
	default:
		list = append(list, wrong("slurm", "PrologFlags=%s has neither Alloc nor Contain: nodes that only mpirun uses have no agent", flags))
	}
	return list
}

// hook judges one of the two.
func hook(name string, paths []string, ours string) Finding {
	if len(paths) == 0 {
		return wrong("slurm", "slurm.conf has no %[1]s, so nothing is called: %[1]s=%[2]s", name, ours)
	}
	for _, p := range paths {
		if !strings.Contains(p, "jobgait") {
			continue
		}
		if info, err := os.Stat(p); err != nil || info.Mode()&0o111 == 0 {
			return wrong("slurm", "%s=%s is no program on this node (%v)", name, p, err)
		}
		return good("slurm", "%s=%s", name, p)
	}
	return look("slurm", "%s=%s: it has to call %s", name, strings.Join(paths, ", "), ours)
}
