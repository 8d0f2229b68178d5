package main

import (
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/reports/job"
)

// The help explains every finding and every word of a report.
func TestHelpOfReportFollowsTheTables(t *testing.T) {
	out := strings.Join(strings.Fields(ask("help", "report").out), " ")
	for _, rule := range finding.Rules() {
		want := rule.Code + " (" + string(rule.Level) + ") " + rule.When
		if !strings.Contains(out, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q", want)
		}
	}
	if !strings.Contains(out, finding.InfoRule()) {
		t.Error("the help does not say from which cost on an info is a finding")
	}
	for _, w := range slices.Concat(job.Words(), job.NoPeriodWords()) {
		if !strings.Contains(out, w.Name+" "+strings.Join(strings.Fields(w.Text), " ")) {
			t.Errorf("no %q", w.Name)
		}
	}
}
