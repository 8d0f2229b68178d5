// Package modern tests jobgait on a cluster of today's software, where
// testcluster has Slurm 22.05: two virtual machines of Debian 13 (Slurm 24.11,
// systemd 257, cgroup v2) or, with SUITE=sid, of Debian unstable, with slurmdbd, a
// home and a shared directory by NFS with root_squash, and slurmd as systemd starts it.
//
// In come this source tree and its README: the commands of "A cluster, in five minutes" are taken from the
// README and typed as they stand, those for a node's image in the image, so that a README that does not work
// fails the test (readme_test.go has the convention). Then jobs run, and each check compares what sacct or the
// system says with what jobgait says: how the job ended, CPU time within 5 percent, whose the report is and
// where it lies, what program it was, the history's state, the agent's cgroup; that no node was drained, and
// that jobgait logs no error and leaves nothing behind. Out comes a table with a line a check, which is
// MEASURED.md.
//
// It is run by hand, `make -C packaging modern`, as root: some 40 minutes, of which building the
// image, 3 to 6 minutes and 3 GB, happens once. run.sh has the stages, each of
// which can be run again alone.
//
// It does not test times, rates or overhead: the machines are emulated, about thirty times slower than the
// host, have no PMU, and use a larger budget and lower rates (install_test.go). It does not cover GPUs, more
// than two nodes, X11 or licences. Tests here that need no machine run everywhere: the README's reading, the
// table, sacct's.
package modern
