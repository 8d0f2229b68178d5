package configs

import (
	"errors"
	"path/filepath"
)

// oneMachineName is set in the environment of all programs of jobgait that `jobgait run` starts.
const oneMachineName = "JOBGAIT_ONE_MACHINE"

// IsOneMachine reports whether the environment is that of `jobgait run`, which uses the user's own directories.
func IsOneMachine(getenv func(string) string) bool { return getenv(oneMachineName) == "1" }

// WithOneMachine returns the environment with JOBGAIT_ONE_MACHINE set, as for `jobgait run`.
func WithOneMachine(getenv func(string) string) func(string) string {
	return withOneMachineValue(getenv, "1")
}

// WithoutOneMachine returns the environment with JOBGAIT_ONE_MACHINE unset, as for the hooks of a cluster.
func WithoutOneMachine(getenv func(string) string) func(string) string {
	return withOneMachineValue(getenv, "")
}

// withOneMachineValue returns the environment with this value of JOBGAIT_ONE_MACHINE.
func withOneMachineValue(getenv func(string) string, value string) func(string) string {
	return func(name string) string {
		if name == oneMachineName {
			return value
		}
		return getenv(name)
	}
}

// oneMachine returns c changed for `jobgait run` and its hooks: directories of the user (XDG base directories),
// no service of a cluster, every run watched and kept. Nothing is written in /tmp, /run or /var.
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
	c.Agent.LiveDir = filepath.Join(c.Spool.Dir, "live")
	c.Live = Live{}
	c.Agent.BudgetPct = c.Agent.RunBudgetPct
	c.Watch = Default().Watch
	c.Epilog.WaitS = c.Epilog.DeadlineS // the report is there when `jobgait run` ends
	c.Report.MinElapsedS = 0
	c.History.Path = filepath.Join(data, "jobgait", "history.db")
	c.History.Ingest = "here"
	c.History.Names = "all" // only the user reads it
	c.Slurm = Slurm{}
	c.Health = Health{}
	return c, nil
}

// xdg returns an XDG base directory: the variable's value if it is absolute, as the specification requires, else the
// directory below, in HOME. It is an error if HOME is not absolute either.
func xdg(getenv func(string) string, name, below string) (string, error) {
	if dir := getenv(name); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, below), nil
	}
	return "", errors.New("neither " + name + " nor HOME is an absolute path: set HOME")
}
