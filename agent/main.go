// Program jobgait-agent samples one run on one node until it is stopped. Input is a run directory with env.json,
// created by the Prolog; output are agent.pid, ready and profile.jgp in it.
//
//	jobgait-agent --run-dir DIR [--lock-fd N]
//	jobgait-agent probe [--json | --gpu]
//
// One loop (schedule.go) does everything at moments of its own choosing; nothing
// in it is periodic. The sources are chosen by counteropener.go, the rates so that they
// fit the budget of the site (budget.go), and are lowered before it is exceeded
// (overheadcontrol.go).
//
// Measured on 2 CPUs of a virtual machine, both busy, with other tasks waiting for them:
// 14 MB of memory after 20 s and after 4 minutes, and with the interrupts 0.47 % of
// each CPU where 0.5 % was the budget; 201 kill -9 at random moments lost 0.35 s of
// samples in the median, 0.78 s at worst. On the same machine when it was quiet it took
// 8.5 us of CPU time a sample, addresses and files included: 0.06 (0.03 to 0.08) of
// what perf stat -a -I 10 took for the counters alone (BenchmarkAgentAgainstPerfStat,
// 8 pairs), and 13 to 15 ms to start and end.
//
// It ends on SIGTERM or SIGINT, or after agent.max_hours, and seals the profile. However it ends, the blocks
// that it has written stay readable. It writes to its run directory and to live.json (package live), and moves itself
// out of the job's cgroup. It samples only what it may read: each fallback is a note in the profile.
package main

import "os"

// main runs the agent and exits with its status.
func main() {
	os.Exit(runAgent(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}
