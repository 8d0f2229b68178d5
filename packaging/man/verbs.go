package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// verb is a verb of jobgait as `jobgait __verbs` tells it.
type verb struct {
	Name, Use, Short, Long, Example string
	Topic                           bool
	Flags                           []flag
	Verbs                           []verb
}

type flag struct{ Name, Shorthand, Value, Usage, Default string }

// verbsPage is jobgait(1).
func verbsPage(tree []byte, of edition) (*page, error) {
	var root verb
	if err := json.Unmarshal(tree, &root); err != nil || len(root.Verbs) == 0 {
		return nil, fmt.Errorf("verbs of jobgait: no list of verbs: %v", err)
	}
	p := newPage("jobgait", "1", root.Short, of)
	p.head("SYNOPSIS")
	p.line(`.B jobgait
.I VERB
[\fIFLAG\fR...] [\fIARGUMENT\fR...]`)
	p.head("DESCRIPTION")
	p.prose(root.Long)
	p.head("OPTIONS")
	p.flags(root.Flags)
	p.head("VERBS")
	for _, v := range root.Verbs {
		p.verb(v)
	}
	p.head("FILES")
	p.item("/etc/jobgait/jobgait.toml", "settings, see jobgait.toml(5)")
	p.item("~/.local/share/jobgait/history.db", "history of `jobgait run`, see jobgait-history(5); below `$XDG_DATA_HOME` if that is set")
	p.item("~/.local/state/jobgait/", "profiles and log of `jobgait run`; below `$XDG_STATE_HOME` if that is set")
	p.item("~/.local/state/jobgait/live/", "what `jobgait watch` reads of runs of `jobgait run`; on a cluster `agent.live_dir`, see jobgait.toml(5)")
	p.seeAlso("jobgait.toml(5)", "jobgait-history(5)", "jobgait-report(7)", "jobgait-agent(8)", "jobgait-epilog(8)", "jobgait-prolog(8)")
	return p, nil
}

func (p *page) verb(v verb) {
	if v.Topic {
		p.sub("jobgait help " + v.Name)
		p.prose(v.Short + ": jobgait-" + v.Name + "(7) has that text.")
		return
	}
	p.sub(strings.TrimSuffix(v.Use, " [flags]"))
	p.line(".PP")
	p.fill(v.Short + ".")
	if v.Long != "" {
		p.prose(v.Long)
	}
	if v.Example != "" {
		p.asIs(v.Example)
	}
	p.flags(slices.DeleteFunc(slices.Clone(v.Flags), func(f flag) bool { return f.Name == "help" }))
	for _, sub := range v.Verbs {
		p.item(v.Name+" "+sub.Name, sub.Short)
	}
}

func (p *page) flags(flags []flag) {
	for _, f := range flags {
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		p.line(".TP\n" + strings.TrimRight(marked(bold(term))+` \fI`+escape(f.Value)+`\fR`, " "))
		p.fill(f.Usage + f.byDefault())
	}
}

// byDefault is the default as far as the flag's text does not say it.
func (f flag) byDefault() string {
	if slices.Contains([]string{"", "0", "false", "[]"}, f.Default) || strings.Contains(f.Usage, "(default") {
		return ""
	}
	return " (default " + f.Default + ")"
}
