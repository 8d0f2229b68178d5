// Program jobgait is for users and administrators: it runs a command under the hooks on one machine (run),
// shows stored runs (show, list, dashboard) or a profile (replay), checks the setup of a node (doctor), and
// applies the three analyses (periods, scaling, changes, compare) to stored runs and to files of numbers.
//
// Exit status: 0 ok, 1 error, 2 usage, 3 a history became slower (changes --check). `jobgait run` exits with
// the status of its command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"jobgait/agent/as"
	"jobgait/analysis/quantity"
	"jobgait/configs"
	"jobgait/epilog/check"
)

func main() {
	os.Exit(runJobgait(context.Background(), os.Environ(), os.Args, os.Stdout, os.Stderr))
}

// status is an exit status that a verb returns as its error; its message is already printed, or it has none.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is an error in the arguments of the call.
type usageError struct{ error }

// runJobgait runs the program and returns its exit status; args[0] is the program's name.
func runJobgait(ctx context.Context, environ, args []string, out, complain io.Writer) int {
	children := as.Handlers{as.InspectCollection: check.ServeInspect,
		as.Release: func(_ context.Context, r as.Request) error {
			return status(release(environ, r.Args, complain))
		}}
	if child, err := children.Serve(ctx, args[1:], os.Stdin, out); child {
		return exitStatus(nil, err, complain)
	}
	root := &cobra.Command{
		Use:   "jobgait",
		Short: "the rhythm of batch jobs: period, phases and history, without instrumentation",
		Long: "jobgait finds the period of a job's main loop from samples taken while it runs,\n" +
			"reports when a user's runs became slower, and how they scale. On a cluster the\n" +
			"Prolog and Epilog do this for every job; `jobgait run` does it on one machine.\n\n" +
			"Exit status: 0 success, 1 it could not be done, 2 wrong usage, 3 something is\n" +
			"slower (changes --check). `jobgait run` exits as its command did.",
		SilenceUsage: true, SilenceErrors: true, Version: configs.Version,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			err := cmd.ValidateFlagGroups()
			if err == nil {
				return nil
			}
			_, set, _ := strings.Cut(err.Error(), "; [") // what the library says has one form
			set, _, _ = strings.Cut(set, "]")
			return usageError{fmt.Errorf("these options exclude each other, give one of them: --%s",
				strings.ReplaceAll(set, " ", " --"))}
		},
	}
	getenv := lookup(environ)
	root.AddCommand(runCommand(environ, getenv), watchCommand(getenv), stackCommand(getenv), showCommand(getenv),
		listCommand(getenv),
		seffCommand(getenv), askCommand(getenv), mailCommand(getenv),
		historyCommand(getenv), replayCommand(), periodsCommand(),
		changesCommand(getenv), compareCommand(getenv), dashboardCommand(getenv), scalingCommand(getenv),
		exportCommand(getenv), doctorCommand(getenv),
		pruneCommand(getenv), reanalyseCommand(getenv), versionCommand(), wordsTopic())
	withExamples(root.Commands())
	withCompletion(root.Commands(), getenv)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 80"))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{plainFlag(err)} })
	root.SetArgs(args[1:])
	root.SetOut(out)
	root.SetErr(complain)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd() // its scripts go to the output that is set by now
	cmd, err := root, unknownVerb(root, args[1:])
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	return exitStatus(cmd, err, complain)
}

// exitStatus returns the program's exit status: 0 without an error, the status itself for an error of type status, 2
// for a usageError, else 1. It prints the error unless that is a status.
func exitStatus(cmd *cobra.Command, err error, complain io.Writer) int {
	var asked status
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &asked):
		return int(asked)
	case errors.As(err, &usage):
		fmt.Fprintf(complain, "jobgait: %v (see %s --help)\n", err, cmd.CommandPath())
		return 2
	}
	fmt.Fprintf(complain, "jobgait: %v\n", err)
	return 1
}

// unknownVerb returns an error for a first word that is no verb, whatever flags follow it: cobra would print
// the program's help and exit with 0.
func unknownVerb(root *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] == "help" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	if c, _, err := root.Find(args); err == nil && c != root {
		return nil
	}
	err := fmt.Errorf("unknown verb %q", args[0])
	root.SuggestionsMinimumDistance = 2
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		err = fmt.Errorf("%w: did you mean %s?", err, strings.Join(like, " or "))
	}
	return usageError{err}
}

// argCount accepts from minArgs to maxArgs arguments and returns a usage error for any other number.
func argCount(minArgs, maxArgs int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < minArgs || len(args) > maxArgs {
			return usageError{fmt.Errorf("%s has %s: want %s", cmd.Name(), quantity.Plural(len(args), "argument"), what)}
		}
		return nil
	}
}

// ownPath returns the path of this program.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of this program (is /proc mounted?): %w", err)
	}
	return self, nil
}

// settings loads the settings of the installation that this program belongs to.
func settings(getenv func(string) string) (configs.Config, error) {
	self, err := ownPath()
	if err != nil {
		return configs.Config{}, err
	}
	return configs.Load(getenv, self)
}

// lookup returns a function that reads variables of environ; the last one of a name counts.
func lookup(environ []string) func(string) string {
	vars := make(map[string]string, len(environ))
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	return func(name string) string { return vars[name] }
}
