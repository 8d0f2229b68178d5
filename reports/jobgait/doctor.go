package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/quantity"
	"jobgait/configs"
	"jobgait/epilog/check"
	"jobgait/reports/text"
)

// doctorCommand returns the verb doctor.
func doctorCommand(getenv func(string) string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "check the setup of this node and print the commands to repair it",
		Long: "doctor checks everything that a job uses on this node, from the settings to the\n" +
			"history, and prints the state of each item. ok means that it works. A warning\n" +
			"is something that is missing or that could not be checked. With a failure, jobs\n" +
			"are not watched or their reports do not arrive; the command to type follows\n" +
			"below it. As root it tries what the hooks do. Any user may run it, even before\n" +
			"anything is installed.\n\n" +
			"Exit status: 0 no failure, 1 a failure.",
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := thisNode(getenv)
			if err != nil {
				return err
			}
			d := diagnosis{Schema: "jobgait.doctor/1", Version: configs.Version, Node: n.Name, Root: os.Geteuid() == 0,
				Findings: n.Findings(cmd.Context())}
			return d.print(cmd.OutOrStdout(), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON as described in reports/schema")
	return c
}

// thisNode returns the installation that this program belongs to. Without a settings file and without Slurm it
// is that of one machine.
func thisNode(getenv func(string) string) (check.Node, error) {
	self, err := ownPath()
	if err != nil {
		return check.Node{}, err
	}
	cfg, unusable := configs.Load(getenv, self)
	path, _ := configs.Find(getenv, self)
	n := check.Node{Name: job.NodeName(scheduler.ForSettings(cfg, getenv), getenv, job.ThisHost().Name), Program: self,
		Settings: path, Config: cfg,
		Unusable: unusable, SlurmConf: getenv("SLURM_CONF")}
	_, noSettings := os.Lstat(path)
	_, noSlurm := os.Lstat(cfg.Slurm.Scontrol)
	if unusable == nil && errors.Is(noSettings, fs.ErrNotExist) && errors.Is(noSlurm, fs.ErrNotExist) {
		n.NoSlurm = true
		n.Config, n.Unusable = configs.Load(configs.WithOneMachine(getenv), self)
	}
	return n, nil
}

// diagnosis is the output of doctor: all findings on this node.
type diagnosis struct {
	Schema   string          `json:"schema"`
	Version  string          `json:"version"`
	Node     string          `json:"node"`
	Root     bool            `json:"root"` // whether it ran as root, as the hooks do
	Findings []check.Finding `json:"findings"`
}

// print prints the diagnosis. It returns status(1) if a check failed, and an error of writing.
func (d diagnosis) print(out io.Writer, asJSON bool) error {
	count := map[check.Verdict]int{}
	for _, f := range d.Findings {
		count[f.Verdict]++
	}
	var err error
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = text.JSONError("the findings", e.Encode(d))
	} else {
		for _, f := range d.Findings {
			_, _ = fmt.Fprintf(out, "%-8s  %-10s  %s\n", f.Verdict, f.Subject, f.Text)
			if f.Do != nil {
				_, _ = fmt.Fprintf(out, "%-8s  %-10s  > %s\n", "", "", *f.Do)
			}
		}
		whose := ""
		if !d.Root {
			whose = "; asked without root's rights"
		}
		_, err = fmt.Fprintf(out, "%s: %d ok, %s, %s%s\n", d.Node, count[check.OK],
			quantity.Plural(count[check.Warning], "warning"), quantity.Plural(count[check.Failure], "failure"), whose)
	}
	if err == nil && count[check.Failure] > 0 {
		err = status(1)
	}
	return err
}
