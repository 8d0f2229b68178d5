// Package gpu reads the job's GPUs: which they are by the scheduler's word (job.GPUs)
// comes in, counter sources with columns of each, gpu0_energy and so on, go out. It is
// built to the makers' documentation and to simulated drivers, and has not yet been run
// on a GPU; note.GPUUnproven says so in every profile that has such columns.
//
// Which GPUs are the job's is never guessed:
//
//   - The scheduler names them: by their own names first, else by numbers, which are
//     those of NVIDIA's device files and of nothing else. The order in which a library
//     counts is not asked. AMD's and Intel's have no such number: they are the job's if
//     it has as many as the node. A processor's own GPU is none, beside others.
//   - A process of the job must hold one of them open, and until then nothing is read:
//     what a GPU did before is not counted. A job whose processes hold only others gets
//     no columns with values, and a note (Holders).
//   - Parts of GPUs, as MPS, shards and instances of MIG are, are withheld with a note:
//     power, energy and utilization are the whole board's.
//
// Columns, each of one GPU, numbered in the scheduler's order:
//
//	gpuN_energy     uJ     what the board took, by its own account
//	gpuN_kernel     ns     utilization times the time: "some kernel ran", no more; AMD's
//	                       stays at 100 % on some boards while a process has a context;
//	                       Intel's is the time of the busiest engine that runs kernels
//	gpuN_memory     bytes  in use, a level (not Intel)
//	gpuN_clock      MHz    of the shaders, a level (AMD)
//	gpuN_power      mW     a level, where there is no energy (AMD)
//	gpuN_throttled  ns     slowed for power or heat (NVIDIA)
//	gpuN_pcie_tx    bytes  sent, and gpuN_pcie_rx received, where the board counts them
//	                       (NVIDIA)
//
// Drivers refresh them every 20 ms to 1 s, and some see a part of the time only: a
// period found in them may be an alias, so they are marked (profile.Column.Ticked) and
// none is looked for.
//
// AMD's and Intel's energy are files of sysfs, Intel's engines are perf events of i915
// and xe, system-wide on a CPU of their PMU's mask; all are read in goroutines of their
// own, because the firmware may not answer. NVIDIA's library is called by a program of its own, jobgait-nvml
// (nvml/nvml.c): a driver that hangs then has that process and not the run's lock.
package gpu
