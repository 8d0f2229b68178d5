package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"jobgait/reports"
)

// wordsTopic is `jobgait help report`: what the words of a report mean.
func wordsTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("The words of a report:\n")
	for _, w := range reports.Words() {
		for i, line := range reports.Wrap(w.Text, 60) {
			name := ""
			if i == 0 {
				name = w.Name
			}
			fmt.Fprintf(&b, "\n  %-15s  %s", name, line)
		}
	}
	return &cobra.Command{Use: "report", Short: "what the words of a report mean", Long: b.String()}
}
