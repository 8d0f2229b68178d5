package main

import (
	"fmt"
	"regexp"
	"strings"
)

// setting is a key of jobgait.toml, or with no key a remark between keys.
type setting struct{ key, value, text string }

// section is a table of jobgait.toml.
type section struct {
	name, text string
	settings   []setting
}

var (
	tableLine = regexp.MustCompile(`^\[([a-z_.]+)\]$`)
	keyLine   = regexp.MustCompile(`^([a-z_]+) = (.+)$`)
)

// parseSettings reads the shipped file: a comment belongs to the line below it, one
// without such a line to its section; what is above all sections is the head.
func parseSettings(toml string) (head string, sections []section, err error) {
	var above []string
	take := func() string {
		defer func() { above = nil }()
		return strings.Join(above, "\n")
	}
	for i, l := range strings.Split(toml+"\n", "\n") {
		table, key := tableLine.FindStringSubmatch(l), keyLine.FindStringSubmatch(l)
		comment, isComment := strings.CutPrefix(l, "#")
		switch {
		case table != nil:
			sections = append(sections, section{name: table[1], text: take()})
		case isComment:
			above = append(above, strings.TrimPrefix(comment, " "))
		case key != nil && len(sections) > 0:
			s := &sections[len(sections)-1]
			s.settings = append(s.settings, setting{key[1], key[2], take()})
		case l == "" && len(above) > 0 && len(sections) == 0:
			head = take()
		case l == "" && len(above) > 0:
			s := &sections[len(sections)-1]
			s.settings = append(s.settings, setting{text: take()})
		case l != "":
			return "", nil, fmt.Errorf("jobgait.toml: line %d is neither table, key nor comment: %q", i+1, l)
		}
	}
	return head, sections, nil
}

// settingsPage is jobgait.toml(5).
func settingsPage(toml string, of edition) (*page, error) {
	head, sections, err := parseSettings(toml)
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(head, "\n") // the first line says which file it is
	p := newPage("jobgait.toml", "5", "settings of jobgait", of)
	p.head("SYNOPSIS")
	p.line(".I /etc/jobgait/jobgait.toml")
	p.head("DESCRIPTION")
	p.prose("Each key stands here with its default. " + rest)
	p.prose("The file is the one that `JOBGAIT_CONFIG` names, else `etc/jobgait.toml` below the installation prefix, else `/etc/jobgait/jobgait.toml`.")
	for _, s := range sections {
		p.head("[" + s.name + "]")
		if s.text != "" {
			p.prose(s.text)
		}
		for _, k := range s.settings {
			if k.key == "" {
				p.prose("For example: `" + k.text + "`")
				continue
			}
			p.line(".TP\n" + marked(bold(k.key)) + " = " + escape(k.value))
			p.fill(k.text)
		}
	}
	p.seeAlso("jobgait(1)", "jobgait-epilog(8)")
	return p, nil
}
