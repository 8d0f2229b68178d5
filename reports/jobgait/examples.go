package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"jobgait/analysis/history"
	"jobgait/configs"
)

// examples returns, by the name of the verb, example calls for its help, one per line.
func examples() map[string]string {
	return map[string]string{
		"run":       "jobgait run -- ./solver input\njobgait run --app solver --size L -- mpirun -np 4 ./solver input",
		"watch":     "jobgait watch\njobgait watch --json --once 123",
		"stack":     "jobgait stack 123",
		"show":      "jobgait show --last\njobgait show 123_7\njobgait show --html 123 >123.html",
		"list":      "jobgait list -S now-7days\njobgait list -s FAILED --app solver",
		"seff":      "jobgait seff 123",
		"ask":       "jobgait ask run.sh\njobgait ask --nodes 4 --json solver",
		"mail":      "jobgait mail -s 'job 123 ended' alice@example.org",
		"history":   "jobgait history\njobgait history week_slower\njobgait history job -j 123",
		"replay":    "jobgait replay profile.jgp",
		"periods":   "jobgait periods --plot wave.svg wave.csv",
		"changes":   "jobgait changes\njobgait changes --check nights.csv",
		"compare":   "jobgait compare 123 124\njobgait compare before.csv after.csv",
		"dashboard": "jobgait dashboard -o page.html\njobgait dashboard --site -o site.html",
		"scaling":   "jobgait scaling --plot sizes.svg sizes.csv",
		"export":    "jobgait export --csv profile.jgp >samples.csv",
		"doctor":    "jobgait doctor",
		"prune":     "jobgait prune --dry-run\njobgait prune --runs 365",
		"reanalyse": "jobgait reanalyse --help",
		"version":   "jobgait version",
	}
}

// withExamples adds its examples to each verb.
func withExamples(verbs []*cobra.Command) {
	known := examples()
	for _, c := range verbs {
		if text := known[c.Name()]; text != "" {
			c.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
	}
}

// versionCommand returns the verb version, which prints the version as --version does.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "jobgait version %s\n", configs.Version)
			return err
		},
	}
}

// completedRuns is how many of the newest job ids a shell is offered.
const completedRuns = 50

// withCompletion lets a shell complete job ids, and the questions of history.
func withCompletion(verbs []*cobra.Command, getenv func(string) string) {
	ids := func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return completedIDs(cmd.Context(), getenv, begun), cobra.ShellCompDirectiveDefault
	}
	for _, c := range verbs {
		switch c.Name() {
		case "show", "seff", "ask", "compare", "export", "watch", "stack":
			c.ValidArgsFunction = ids
		case "history":
			c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				var names []string
				for _, q := range history.CatalogueQueries() {
					names = append(names, q.Name)
				}
				return names, cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
}

// completedIDs returns those of the newest completedRuns job ids that begin with begun, with their
// applications; nil if no history can be read.
func completedIDs(ctx context.Context, getenv func(string) string, begun string) []string {
	if ctx == nil {
		ctx = context.Background()
	}
	from, err := openHistories(ctx, getenv, "")
	if err != nil {
		return nil
	}
	defer func() { _ = from.Close() }()
	runs, err := from.runs(ctx, history.Query{Limit: completedRuns})
	if err != nil {
		return nil
	}
	var ids []string
	for _, r := range runs {
		if strings.HasPrefix(r.DisplayID, begun) {
			ids = append(ids, r.DisplayID+"\t"+r.App)
		}
	}
	return ids
}
