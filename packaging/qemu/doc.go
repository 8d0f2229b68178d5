// Package qemu proves the agent on hardware counters where there is no such
// hardware: Debian's arm64 kernel in QEMU's emulation with -icount, where every
// instruction takes 2^shift nanoseconds and a cycle one, so that IPC is 1, 0.5
// or 0.25 and known before it is measured. The kernel (kernel.sh) and a RAM disk
// with the test binary of package guest and jobgait-agent come in; what the guest measured goes
// out, and is judged here. There is no code but tests.
//
// Measured, on Linux 6.1: IPC of the ring sampler 0.0001 % off, in the agent's profile 0.02 %, which is its
// rounding; counts of a PMU shared with 12 others, scaled, 1.6 % below theirs after 0.3 s, 0.4 % after 1.2 s;
// CPU time of a job's cgroup 0.2 % below the value of its parent's wait, of an ordinary user's forking program
// within 0.4 %; the CPU's instructions, users' and the kernel's, 0.05 % below what single events counted.
// CAP_PERFMON is enough up to perf_event_paranoid 2; at 3 and 4, which are Debian's own, that kernel wants
// CAP_SYS_ADMIN. The four machines take 21 to 24 s of CPU time: 26 to 43 s in all where twelve to fourteen
// wanted the same two CPUs.
//
// They run with JOBGAIT_QEMU=run (`make -C packaging qemu`, and as part of `make test`) and are skipped
// otherwise. They need qemu-system-aarch64 and the kernel, no root. It has two hardware events only
// (instructions, cycles), so x86, hybrid and AMD names are tested in the packages that read them, with a fake
// sysfs tree. The emulation runs its CPUs in turns, so that times measured in it mean nothing.
package qemu
