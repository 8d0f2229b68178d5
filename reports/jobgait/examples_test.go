package main

import (
	"strings"
	"testing"

	"jobgait/configs"
)

// Each verb's help has examples.
func TestHelpHasExamples(t *testing.T) {
	for verb := range examples() {
		if got := ask(verb, "--help"); got.status != 0 || !strings.Contains(got.out, "Examples:\n  jobgait "+verb) {
			t.Errorf("%s: %+v", verb, got)
		}
	}
	if help := ask("--help"); strings.Count(help.out, "\n  ") < len(examples()) {
		t.Errorf("verbs without examples: %s", help.out)
	}
}

// jobgait version prints what --version does.
func TestVersion(t *testing.T) {
	if got := ask("version"); got.status != 0 || got.out != "jobgait version "+configs.Version+"\n" ||
		got.out != ask("--version").out {
		t.Errorf("%+v", got)
	}
}

// Shells complete job ids of the history and the questions of the catalogue.
func TestCompletion(t *testing.T) {
	env := storedRuns(t)
	for _, c := range []struct {
		args []string
		want string
	}{{[]string{"show", "1"}, "\n10\t"}, {[]string{"history", "week_s"}, "week_slower\n"}} {
		got := askIn(env, append([]string{"__complete"}, c.args...)...)
		if !strings.Contains("\n"+got.out, c.want) {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
}
