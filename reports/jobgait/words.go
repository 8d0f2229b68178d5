package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jobgait/analysis/finding"
	"jobgait/reports/job"
	"jobgait/reports/text"
)

// nameColumns is the width of the column with the words; a longer one has a line of its own.
const nameColumns = 15

// wordsTopic returns `jobgait help report`, the glossary of the report.
func wordsTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("The words of a report:\n")
	for _, w := range slices.Concat(job.Words(), job.NoPeriodWords()) {
		name := w.Name
		if len(name) > nameColumns {
			fmt.Fprintf(&b, "\n  %s", name)
			name = ""
		}
		for _, line := range text.Wrap(w.Text, 60) {
			fmt.Fprintf(&b, "\n  %-*s  %s", nameColumns, name, line)
			name = ""
		}
	}
	b.WriteString("\n\nThe findings of a report, by their code in its JSON form. To leave one out of\nreports, " +
		"add its code to [findings] silent in jobgait.toml:\n")
	for _, line := range text.Wrap(finding.InfoRule(), 76) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	for _, rule := range finding.Rules() {
		fmt.Fprintf(&b, "\n  %s (%s)\n", rule.Code, rule.Level)
		for _, line := range text.Wrap(rule.When, 72) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
	}
	return &cobra.Command{Use: "report", Short: "explain the words in a report", Long: b.String()}
}
