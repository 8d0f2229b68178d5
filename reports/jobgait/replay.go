package main

import (
	"github.com/spf13/cobra"

	"jobgait/epilog/finish"
	"jobgait/reports/earlier"
)

// replayCommand returns the verb replay.
func replayCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "replay PROFILE",
		Short: "repeat the analysis of a profile (profile.jgp), print its report",
		Args:  argCount(1, 1, "one profile: jobgait replay FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			progress := startProgress(cmd.ErrOrStderr(), "analysing "+args[0])
			s, err := finish.Replay(args[0])
			progress.done()
			if err != nil {
				return notAProfileError(args[0], err)
			}
			return o.print(cmd.OutOrStdout(), s, earlier.Judgement{})
		},
	}
	o.flags(c)
	return c
}
