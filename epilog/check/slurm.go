package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"jobgait/analysis/note"
)

// scontrolLimit is the time limit of one run of scontrol.
const scontrolLimit = 5 * time.Second

// controllerConfig is the output of `scontrol show config`, without settings that have no value.
type controllerConfig struct {
	config map[string][]string
	// controllerTime is the controller's clock, read between from and to of this node's clock; zero if unknown.
	controllerTime time.Time
	from, to       time.Time
	localVersion   version // version of this node's Slurm commands
	err            error
}

// value returns the first value of a setting, "" if it is not set.
func (s controllerConfig) value(name string) string {
	if v := s.config[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

var errNoScontrol = errors.New("the setting slurm.scontrol is empty: set it to the path of scontrol")

// readSlurmConfig runs scontrol and returns the controller's settings, or its error in err.
func (n Node) readSlurmConfig(ctx context.Context) controllerConfig {
	scontrol := n.Config.Slurm.Scontrol
	if scontrol == "" {
		return controllerConfig{err: errNoScontrol}
	}
	var env []string
	if n.SlurmConf != "" {
		env = append(env, "SLURM_CONF="+n.SlurmConf)
	}
	from := time.Now()
	out, err := runCommand(ctx, scontrolLimit, env, scontrol, "show", "config")
	to := time.Now()
	if err != nil {
		return controllerConfig{err: fmt.Errorf("run %s show config: %w", scontrol, err)}
	}
	s := parseSlurmConfig(out)
	s.from, s.to = from, to
	if out, err := runCommand(ctx, scontrolLimit, env, scontrol, "--version"); err == nil {
		s.localVersion, _ = parseVersion(string(out))
	}
	return s
}

// setting is one line of `scontrol show config`: "Prolog   = /path", since 24.05
// "Prolog[0] = /path".
var setting = regexp.MustCompile(`^([A-Za-z_]+)(?:\[\d+\])?\s*=\s*(.*)$`)

// parseSlurmConfig parses the output of `scontrol show config`, with times in UTC.
func parseSlurmConfig(output []byte) controllerConfig {
	s := controllerConfig{config: map[string][]string{}}
	for text := range strings.Lines(string(output)) {
		text = strings.TrimSpace(text)
		if at, ok := strings.CutPrefix(text, "Configuration data as of "); ok {
			s.controllerTime, _ = time.Parse("2006-01-02T15:04:05", at)
		}
		m := setting.FindStringSubmatch(text)
		if m == nil || m[2] == "" || m[2] == "(null)" {
			continue
		}
		s.config[m[1]] = append(s.config[m[1]], note.Clean(m[2], 1000))
	}
	return s
}

// checkSlurm checks that the controller answers, that this node has its slurm.conf, and the hooks, flags, time
// limits and the plugin.
func (n Node) checkSlurm(s controllerConfig) []Finding {
	const subject = "slurm"
	switch {
	case errors.Is(s.err, errNoScontrol):
		return []Finding{notChecked(subject, "",
			"the setting slurm.scontrol is empty: names and arrays of jobs stay unknown")}
	case errors.Is(s.err, fs.ErrNotExist):
		return []Finding{failure(subject, "command -v scontrol   # the path for slurm.scontrol of "+n.Settings,
			"%s does not exist: is this a node of Slurm?", n.Config.Slurm.Scontrol)}
	case s.err != nil:
		return []Finding{failure(subject, "scontrol ping", "%v", s.err)}
	}
	list := []Finding{passed(subject, "the controller answers: Slurm %s", s.value("SLURM_VERSION")), n.checkSlurmConf(s)}
	for _, name := range []string{"Prolog", "Epilog"} {
		list = append(list, n.checkHook(s, name, s.config[name]))
	}
	return append(list, n.checkPrologFlags(s), n.checkTimeouts(s), n.checkPlugin(s))
}

// slurmConfPath returns the path of this node's slurm.conf, or of the controller's if none is found here.
func (n Node) slurmConfPath(s controllerConfig) string {
	for _, path := range []string{n.SlurmConf, s.value("SLURM_CONF"), n.path("run/slurm/conf/slurm.conf")} {
		if _, err := os.Stat(path); path != "" && err == nil {
			return path
		}
	}
	if path := s.value("SLURM_CONF"); path != "" {
		return path
	}
	return "/etc/slurm/slurm.conf"
}

// checkSlurmConf checks that this node's slurm.conf equals the controller's, because slurmd takes its hooks
// from its own file.
func (n Node) checkSlurmConf(s controllerConfig) Finding {
	const subject = "slurm.conf"
	path := n.slurmConfPath(s)
	do := fmt.Sprintf("scp %s:%s %s && scontrol reconfigure", controller(s), s.value("SLURM_CONF"), path)
	switch hash := s.value("HASH_VAL"); {
	case hash == "":
		return notChecked(subject, "", "scontrol does not say whether %s equals the controller's", path)
	case !strings.HasPrefix(hash, "Different"):
		return passed(subject, "%s equals the controller's", path)
	}
	text, err := readPlainFile(path)
	if err != nil {
		return warning(subject, do, "this node's slurm.conf differs from the controller's (%v)", err)
	}
	mine := parseConf(text)
	for _, name := range []string{"Prolog", "Epilog"} {
		if len(mine[strings.ToLower(name)]) == 0 && len(s.config[name]) > 0 && len(mine["include"]) == 0 {
			return failure(subject, do,
				"%s of this node has no %s, but the controller's has: slurmd calls no hook on this node", path, name)
		}
	}
	return warning(subject, do, "%s differs from the controller's: this node may run with other settings", path)
}

// controller returns the host name of the first slurmctld, without the address in "host(address)"; "CONTROLLER"
// if unknown.
func controller(s controllerConfig) string {
	host, _, _ := strings.Cut(s.value("SlurmctldHost"), "(")
	if host == "" {
		host = "CONTROLLER"
	}
	return host
}

// parseConf parses a slurm.conf: values by key in lower case, included files under "include".
func parseConf(text []byte) map[string][]string {
	conf := map[string][]string{}
	for l := range strings.Lines(string(text)) {
		l, _, _ = strings.Cut(l, "#")
		name, value, found := strings.Cut(strings.TrimSpace(l), "=")
		if f := strings.Fields(l); !found && len(f) == 2 && strings.EqualFold(f[0], "include") {
			name, value, found = f[0], f[1], true
		}
		if found {
			name = strings.ToLower(strings.TrimSpace(name))
			conf[name] = append(conf[name], strings.TrimSpace(value))
		}
	}
	return conf
}
