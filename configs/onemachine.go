package configs

import (
	"errors"
	"path/filepath"
)

// oneMachine returns c as `jobgait run` and its hooks need it: paths of the
// user's own (XDG base directories), nothing of a cluster, everything watched
// and kept. Nothing is in /tmp, /run or /var.
func oneMachine(c Config, getenv func(string) string) (Config, error) {
	state, err := xdg(getenv, "XDG_STATE_HOME", ".local/state")
	if err != nil {
		return Config{}, err
	}
	data, err := xdg(getenv, "XDG_DATA_HOME", ".local/share")
	if err != nil {
		return Config{}, err
	}
	c.Spool.Dir = filepath.Join(state, "jobgait")
	c.Spool.Keep = "all"
	c.Collect.Dir = filepath.Join(c.Spool.Dir, "collect")
	c.Collect.Account = ""
	c.Agent.Launch = "setsid"
	c.Agent.BudgetPct = c.Agent.RunBudgetPct
	c.Watch = Default().Watch
	c.Report.MinElapsedS = 0
	c.History.Path = filepath.Join(data, "jobgait", "history.db")
	c.History.Ingest = "here"
	c.Slurm = Slurm{}
	c.Health = Health{}
	return c, nil
}

// xdg returns a base directory. The specification tells to ignore relative
// ones.
func xdg(getenv func(string) string, name, below string) (string, error) {
	if dir := getenv(name); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, below), nil
	}
	return "", errors.New("neither " + name + " nor HOME is an absolute path")
}
