// Package testcluster tests jobgait end to end on a real Slurm: cluster.sh
// starts one of four nodes on this machine with the built programs installed,
// jobs go in, and reports, history rows and what is left over come out. There
// is no code here but tests.
//
// Users attack it and things go wrong on it: TestAttacks is one round of all that,
// TestSoak (make -C packaging soak) are JOBGAIT_SOAK rounds, with a table at the end of what
// Slurm, jobs and users noticed, which must be nothing.
//
// TestReanalyse recomputes the history from the profiles of its runs (make -C packaging reanalyse: of 2,000
// runs).
//
// The last node has two fake GPUs (lib/gpu.sh), of which TestGPU knows what they did,
// and whose driver hangs in TestHungGPU.
//
// They run as root with JOBGAIT_CLUSTER=run and are skipped otherwise: they
// make accounts and may install packages. JOBGAIT_SEED repeats the moments of
// the kills; JOBGAIT_KEEP_CLUSTER=1 leaves the cluster to be looked into.
package testcluster
