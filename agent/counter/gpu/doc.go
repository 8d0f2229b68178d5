// Package gpu reads the job's GPUs. The GPUs that the scheduler assigned (job.GPUs) come in; counter sources
// with columns of each, gpu0_energy and so on, go out. NVIDIA GPUs were checked on an H100 and an H200
// (MEASURED.md). The code for AMD GPUs follows the documentation and was tested with simulated drivers;
// note.GPUUnproven says so in every profile that has them.
//
// Which GPUs are the job's is never guessed:
//
//   - The scheduler names them: by their own names first, else by the numbers of NVIDIA's device files. The order in
//     which a library counts is not used. AMD's have no such number: they are the job's if it has as many as the node.
//     Where no scheduler names any, as under `jobgait run`, NVIDIA's are the job's that its processes hold open.
//   - A process of the job must hold one of them open. What is read before that does not
//     count. A job whose processes hold only others gets no columns with values, and a
//     note (Holders).
//   - Parts of GPUs, as MPS, shards and instances of MIG are, are withheld with a note:
//     power, energy and utilization are the whole board's. A GPU in MIG mode is not read,
//     whatever the scheduler names.
//
// Columns, each of one GPU, numbered in the scheduler's order:
//
//	gpuN_energy       uJ     the board's own counter
//	gpuN_kernel       ns     utilization times the time: "some kernel ran", no more; AMD's
//	                         stays at 100 % on some boards while a process has a context
//	gpuN_memory       bytes  in use, a level
//	gpuN_power        mW     a level
//	gpuN_clock        MHz    of the shaders, a level (AMD)
//	gpuN_power_capped ns     slowed by a power cap or power brake, gpuN_heat_slowed by heat
//	gpuN_pcie_tx      bytes  sent, and gpuN_pcie_rx received, where the board counts them
//	gpuN_gpm          ns     time of which GPM has means, of which the next four are parts
//	gpuN_sm           ns     GPM: part of the SMs with a warp, times the time; and
//	                         gpuN_occupancy, gpuN_tensor, gpuN_dram (Hopper on)
//
// NVIDIA's driver also buffers its windows of utilization, of 200 ms on an H200. They are
// complete, and come late: Opened.Windows.
//
// Drivers refresh values every 20 ms to 1 s, and some see a part of the time only: a period found in them may be an
// alias, so they are marked (profile.Column.Ticked) and no period is searched in them.
//
// AMD's energy is a file of sysfs, read in a goroutine of its own, because the firmware may not answer. NVIDIA's
// library is called by a program of its own, jobgait-nvml (nvml/nvml.c, which has the plan of reading): a driver that
// hangs then holds that process and not the run's lock.
package gpu
