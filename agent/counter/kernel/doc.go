// Package kernel reads what the kernel says in text files: which CPUs are
// online, what may be counted, the CPU time of the job's processes, and all that
// is counted slowly. Roots like "/proc" are arguments. See proc(5), the kernel's
// admin-guide/cputopology, admin-guide/iostats, admin-guide/cgroup-v1 and -v2,
// accounting/psi and ABI/stable/sysfs-class-infiniband.
//
// The slow sources are of package polled: each is one kind of thing, read once per
// drain at its own rate of 1 to 10 Hz.
//
//   - Node: bytes and packets of the network, InfiniBand, disks, Lustre, NFS,
//     memory in use, pressure. They are the whole node's.
//   - JobUsage: CPU time, memory, disk bytes and pressure of the job's own cgroup,
//     v2 or v1, from the moment that it appears. JobLimits: its limits and their effects.
//   - NodeBusyTime: busy time in ticks of 10 ms, for nodes without perf events.
//   - JobCPU: CPU time of the job's processes, for any node. A drain reads 32 of
//     them at most and costs 0.28 ms, with 256 as with 32 (BenchmarkJobCPU).
//   - NewJobUse: waiting time, bytes and memory of the processes that JobCPU knows, from
//     /proc/PID. A new counter per process is summed in jobUse.update and is a useSource
//     in the list of NewJobUse.
//
// A reading takes 6 to 13 us of CPU time in a virtual machine (/proc/net/dev 7,
// diskstats 13, meminfo 7, pressure 6, stat 8: BenchmarkReading), all sources of
// a node together 0.03 % of one core; what takes more than 1/200 of the time
// between readings is read less often. No reading allocates.
//
// Nothing is counted twice: only interfaces and disks with a device behind them count, so no bridge, bond,
// VLAN, partition, dm, md or loop, and no IPoIB, whose bytes are InfiniBand's. Missing data is never reported
// as 0: a kind that cannot be read has no column, and a source whose readings stop adds a note.
//
// The sources are slow on purpose: CPU times of processes are counted in ticks of 10 ms and are read ten times
// a second at most. Sampled at 200 Hz they would beat with the grid and show a period of 20 ms in every
// program.
package kernel
