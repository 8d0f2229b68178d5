package configs

// Version is the version of all programs.
const Version = "0.1.0"

// Environment names the variables that a program of jobgait hands on to those
// it starts; their environment holds nothing else.
func Environment() []string {
	return []string{"JOBGAIT_CONFIG", "JOBGAIT_ONE_MACHINE", "HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "SLURM_CONF", "TZ"}
}
