package main

import "strings"

// program is a program that Slurm, systemd or an administrator calls.
type program struct {
	name, summary string
	dir           string // directory of its source, whose package comment is the description
	synopsis      string // used if its help has no usage line
}

// programs lists the programs with pages in section 8.
var programs = []program{
	{"jobgait-prolog", "Prolog of Slurm: starts the agent of a job", "prolog", "Prolog=/usr/libexec/jobgait/prolog"},
	{"jobgait-agent", "samples one job on one node", "agent", ""},
	{"jobgait-epilog", "Epilog of Slurm: finishes a run and writes its report", "epilog", ""},
}

// programPage makes the manual page of a program. The synopsis is the usage text of --help, or pr.synopsis without
// one. The description is the package comment, followed by the rest of --help. It leaves out indented paragraphs of
// the comment and those that mention source files or benchmarks, which users do not have.
func programPage(pr program, comment, help string, of edition) *page {
	p := newPage(pr.name, "8", pr.summary, of)
	usage, more := "", ""
	if text, ok := strings.CutPrefix(help, "usage: "); ok {
		usage, more, _ = strings.Cut("       "+text, "\n\n")
	}
	p.head("SYNOPSIS")
	if usage == "" {
		usage = pr.synopsis
	}
	p.verbatim(unindent(usage))
	p.head("DESCRIPTION")
	for _, par := range strings.Split(strings.TrimPrefix(comment, "Program "), "\n\n") {
		if !strings.HasPrefix(par, "\t") && !strings.Contains(par, ".go") && !strings.Contains(par, "Benchmark") {
			p.prose(par)
		}
	}
	if more != "" {
		p.prose(more)
	}
	p.prose("It is installed in libexec/jobgait below the installation prefix and finds the other programs in its " +
		"own directory.")
	p.seeAlso("jobgait(1)", "jobgait.toml(5)", "slurm.conf(5)")
	return p
}

// unindent removes the indentation of the first line from all lines.
func unindent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for strings.HasPrefix(lines[0], " ") {
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, " ")
		}
	}
	return strings.Join(lines, "\n")
}
