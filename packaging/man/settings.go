package main

// settingsPage returns jobgait.toml(5): the shipped file, which explains each key.
func settingsPage(toml string, of edition) *page {
	p := newPage("jobgait.toml", "5", "settings of jobgait", of)
	p.head("SYNOPSIS")
	p.line(".I /etc/jobgait/jobgait.toml")
	p.head("DESCRIPTION")
	p.prose("The file is the one that `JOBGAIT_CONFIG` names, else `etc/jobgait.toml` below the installation prefix, " +
		"else `/etc/jobgait/jobgait.toml`. This is the shipped one, with each key and its default:")
	p.fullWidth(toml)
	p.seeAlso("jobgait(1)", "jobgait-epilog(8)")
	return p
}
