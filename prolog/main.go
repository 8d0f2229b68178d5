// Program jobgait-prolog is Slurm's Prolog on every node of a job, and the
// first hook of `jobgait run`. It reads the hook's environment and jobgait.toml,
// creates a run directory in the node's spool and starts a detached agent. It uses
// node-local disk only, returns once the agent exists (within 50 ms on an idle
// node, within 2 s in any case), and always exits with status 0: a Prolog that fails
// drains the node and holds the job.
package main

import (
	"context"
	"os"
)

// main runs the Prolog. It always exits with status 0, because a failing Prolog would drain the node.
func main() {
	runProlog(context.Background(), os.Getenv, os.Args[1:], os.Stderr)
}
