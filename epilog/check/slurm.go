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

// scontrolLimit bounds each question to the scheduler.
const scontrolLimit = 5 * time.Second

// answers is what `scontrol show config` says; what is not set is absent.
type answers struct {
	config map[string][]string
	// asOf is the controller's clock, between from and to of this node's; zero
	// if it did not say.
	asOf     time.Time
	from, to time.Time
	local    version // of the commands of this node
	err      error
}

// one is a setting that has one value.
func (s answers) one(name string) string {
	if v := s.config[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

var errNoScontrol = errors.New("slurm.scontrol is empty")

// askSlurm asks the scheduler how it is set up.
func (n Node) askSlurm(ctx context.Context) answers {
	scontrol := n.Config.Slurm.Scontrol
	if scontrol == "" {
		return answers{err: errNoScontrol}
	}
	var env []string
	if n.SlurmConf != "" {
		env = append(env, "SLURM_CONF="+n.SlurmConf)
	}
	from := time.Now()
	out, err := answer(ctx, scontrolLimit, env, scontrol, "show", "config")
	to := time.Now()
	if err != nil {
		return answers{err: fmt.Errorf("%s show config: %w", scontrol, err)}
	}
	s := parse(out)
	s.from, s.to = from, to
	if out, err := answer(ctx, scontrolLimit, env, scontrol, "--version"); err == nil {
		s.local, _ = parseVersion(string(out))
	}
	return s
}

// setting is one line of `scontrol show config`: "Prolog   = /path", since 24.05
// "Prolog[0] = /path".
var setting = regexp.MustCompile(`^([A-Za-z_]+)(?:\[\d+\])?\s*=\s*(.*)$`)

// parse reads the output of `scontrol show config`, with times in UTC.
func parse(output []byte) answers {
	s := answers{config: map[string][]string{}}
	for text := range strings.Lines(string(output)) {
		text = strings.TrimSpace(text)
		if at, ok := strings.CutPrefix(text, "Configuration data as of "); ok {
			s.asOf, _ = time.Parse("2006-01-02T15:04:05", at)
		}
		m := setting.FindStringSubmatch(text)
		if m == nil || m[2] == "" || m[2] == "(null)" {
			continue
		}
		s.config[m[1]] = append(s.config[m[1]], note.Clean(m[2], 1000))
	}
	return s
}

// slurm judges the controller's settings, those of this node, and the plugin.
func (n Node) slurm(s answers) []Finding {
	const subject = "slurm"
	switch {
	case errors.Is(s.err, errNoScontrol):
		return []Finding{unseen(subject, "", "slurm.scontrol is empty: names and arrays of jobs stay unknown")}
	case errors.Is(s.err, fs.ErrNotExist):
		return []Finding{fail(subject, "command -v scontrol   # the path for slurm.scontrol of "+n.Settings,
			"no %s: is this a node of Slurm?", n.Config.Slurm.Scontrol)}
	case s.err != nil:
		return []Finding{fail(subject, "scontrol ping", "%v", s.err)}
	}
	list := []Finding{ok(subject, "the controller answers: Slurm %s", s.one("SLURM_VERSION")), n.same(s)}
	for _, name := range []string{"Prolog", "Epilog"} {
		list = append(list, n.hook(s, name, s.config[name]))
	}
	return append(list, n.flags(s), n.timeouts(s), n.spank(s))
}

// conf is slurm.conf of this node, or where the controller has it.
func (n Node) conf(s answers) string {
	for _, path := range []string{n.SlurmConf, s.one("SLURM_CONF"), n.path("run/slurm/conf/slurm.conf")} {
		if _, err := os.Stat(path); path != "" && err == nil {
			return path
		}
	}
	if path := s.one("SLURM_CONF"); path != "" {
		return path
	}
	return "/etc/slurm/slurm.conf"
}

// same is whether this node has the controller's slurm.conf: slurmd takes its hooks
// from its own.
func (n Node) same(s answers) Finding {
	const subject = "slurm.conf"
	path := n.conf(s)
	do := fmt.Sprintf("scp %s:%s %s && scontrol reconfigure", controller(s), s.one("SLURM_CONF"), path)
	switch hash := s.one("HASH_VAL"); {
	case hash == "":
		return unseen(subject, "", "scontrol does not say whether %s is as the controller's", path)
	case !strings.HasPrefix(hash, "Different"):
		return ok(subject, "%s is as the controller's", path)
	}
	text, err := read(path)
	if err != nil {
		return warn(subject, do, "this node's slurm.conf is not the controller's (%v)", err)
	}
	mine := parseConf(text)
	for _, name := range []string{"Prolog", "Epilog"} {
		if len(mine[strings.ToLower(name)]) == 0 && len(s.config[name]) > 0 && len(mine["include"]) == 0 {
			return fail(subject, do, "%s of this node has no %s, the controller's has: slurmd here calls nothing", path, name)
		}
	}
	return warn(subject, do, "%s is not as the controller's", path)
}

// controller is the host of the first slurmctld: "host(address)".
func controller(s answers) string {
	host, _, _ := strings.Cut(s.one("SlurmctldHost"), "(")
	if host == "" {
		host = "CONTROLLER"
	}
	return host
}

// parseConf reads a slurm.conf: its keys in small letters, what is included under
// "include".
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
