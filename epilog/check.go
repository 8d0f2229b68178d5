package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"jobgait/agent/job"
	"jobgait/configs"
	"jobgait/epilog/check"
)

// checkNode prints one line for each thing that a job needs on this node, and
// returns 1 if one of them is wrong.
func checkNode(ctx context.Context, getenv func(string) string, out io.Writer) int {
	self, cfg, err := settings(getenv)
	path, _ := configs.Find(getenv, self)
	n := check.Node{Name: job.NodeName(getenv, job.ThisHost().Name), Program: self, Settings: path, Config: cfg,
		Unusable: err, SlurmConf: getenv("SLURM_CONF")}
	exit := 0
	if os.Geteuid() != 0 {
		fmt.Fprintln(out, "look   not root: this says what this account may do, and hooks run as root")
	}
	for _, f := range n.Findings(ctx) {
		fmt.Fprintf(out, "%-5s  %-8s  %s\n", f.Verdict, f.Subject, f.Text)
		if f.Verdict == check.Wrong {
			exit = 1
		}
	}
	return exit
}
