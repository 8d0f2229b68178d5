package configs

// Environment returns, as NAME=value, the variables that a program of jobgait
// hands on to those it starts; their environment holds nothing else.
func Environment(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"JOBGAIT_CONFIG", oneMachineName, "HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "SLURM_CONF", "TZ"} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
