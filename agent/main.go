// Program jobgait-agent samples one run on one node until it is told to stop.
// A run directory with env.json comes in, made by the Prolog; in it agent.pid,
// ready and profile.jgp go out.
//
//	jobgait-agent --run-dir DIR [--lock-fd N]
//
// It ends on SIGTERM or SIGINT, or after agent.max_hours, and seals the profile.
// Whatever becomes of it, the blocks that it has written stay readable. It
// refuses to touch anything outside its run directory, and to sample what it
// may not: each step down is a note in the profile.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stderr))
}
