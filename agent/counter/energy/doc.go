// Package energy reads how much energy the node's processors and their memory
// took: joules come in from RAPL, cumulative microjoules go out, twenty times a
// second. See the kernel's power/powercap and ABI/testing/sysfs-class-powercap.
//
// Ways, best first:
//
//   - the "power" PMU: one event for each domain on one CPU of each package, as
//     its cpumask says. It counts system-wide only, takes no exclude bits, cannot
//     sample, and the kernel takes care of the 32-bit hardware counter.
//   - powercap: energy_uj of intel-rapl zones (AMD's as well), readable by root
//     only since 2020. It wraps at max_energy_range_uj, 262 kJ on many servers: a
//     quarter of an hour.
//
// Cores are part of their package and psys is the whole machine, so neither is
// added to it. The same package seen through intel-rapl-mmio counts once.
//
// The hardware updates its counter about every millisecond. Energy is that of the whole node: on a shared node
// the caller leaves this source out. The package does not estimate energy from load where there is no counter.
// It rejects more than 10 kW in a zone, because that is a counter that was reset.
//
// It was not run on such hardware: the tests use a fake sysfs and an injected perf_event_open.
package energy
