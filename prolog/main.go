// Program jobgait-prolog is Slurm's Prolog on every node of a job, and the
// first hook of `jobgait run`. The hook's environment and jobgait.toml come in;
// a run directory in the node's spool and a detached agent go out. It touches
// node-local disk only, returns once the agent exists (50 ms at most on an idle
// node, 2 s whatever happens), and always exits 0: a Prolog that fails drains
// the node and holds the job.
package main

import (
	"context"
	"os"
)

// main runs the Prolog. It always exits with status 0, because a failing Prolog would drain the node.
func main() {
	runProlog(context.Background(), os.Getenv, os.Args[1:], os.Stderr)
}
