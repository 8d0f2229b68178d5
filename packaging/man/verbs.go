package main

import "strings"

// verbsPage returns jobgait(1): the help of the program and of each verb.
func verbsPage(bin string, of edition) (*page, error) {
	help, err := programOutput(bin, "jobgait", "--help")
	if err != nil {
		return nil, err
	}
	verbs, err := programOutput(bin, "jobgait", "__complete", "") // what shells receive
	if err != nil {
		return nil, err
	}
	p := newPage("jobgait", "1", "the rhythm of batch jobs: period, phases and history, without instrumentation", of)
	p.head("DESCRIPTION")
	p.fullWidth(string(help))
	p.head("VERBS")
	for line := range strings.Lines(string(verbs)) {
		name, _, isVerb := strings.Cut(line, "\t")
		if !isVerb || name == "help" {
			continue
		}
		text, err := programOutput(bin, "jobgait", name, "--help")
		if err != nil {
			return nil, err
		}
		p.sub("jobgait " + name)
		p.fullWidth(string(text))
	}
	p.head("FILES")
	p.item("/etc/jobgait/jobgait.toml", "settings, see jobgait.toml(5)")
	p.item("~/.local/share/jobgait/history.db",
		"history of `jobgait run`, see jobgait-history(5); below `$XDG_DATA_HOME` if that is set")
	p.item("~/.local/state/jobgait/", "profiles and log of `jobgait run`; below `$XDG_STATE_HOME` if that is set")
	p.item("~/.local/state/jobgait/live/",
		"live state of runs of `jobgait run`, for `jobgait watch`; on a cluster `agent.live_dir`, see jobgait.toml(5)")
	p.item("/var/spool/jobgait/<node>/", "spool of a node of a cluster: profiles, kept reports and log. "+
		"All of it belongs to root; a user reads his kept reports through a POSIX ACL. "+
		"`retired/` has one line for each finished run whose files are not kept")
	p.prose("The umask gives the permissions of a file that a verb writes; a replaced file keeps its permissions. " +
		"A symbolic link that belongs neither to the caller nor to root is refused as the name of an output file. If the " +
		"caller is root, or everybody can create links in the directory, it is also refused as a directory above it.")
	p.seeAlso("jobgait.toml(5)", "jobgait-history(5)", "jobgait-report(7)", "jobgait-agent(8)", "jobgait-epilog(8)",
		"jobgait-prolog(8)")
	return p, nil
}
