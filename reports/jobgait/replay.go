package main

import (
	"github.com/spf13/cobra"

	"jobgait/epilog/finish"
	"jobgait/reports/earlier"
)

func replayCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "replay PROFILE",
		Short: "analyse a recorded profile (profile.jgp) again, print its report",
		Args:  wants(1, 1, "one profile: jobgait replay FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			progress := working(cmd.ErrOrStderr(), "analysing "+args[0])
			s, err := finish.Replay(args[0])
			progress.done()
			if err != nil {
				return noProfile(args[0], err)
			}
			return o.print(cmd.OutOrStdout(), s, earlier.Judgement{})
		},
	}
	o.flags(c)
	return c
}
