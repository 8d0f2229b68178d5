package main

import (
	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
)

// What an interrupt with its record is taken to cost: 11 to 17 us in a virtual
// machine (the benchmarks of selfcheck measure it), 1 to 2.5 us by estimate on bare metal.
const (
	assumedVirtualNS = 12_000
	assumedMetalNS   = 3_000
)

// nodePrices are those of a machine of this kind.
func nodePrices(h host) prices {
	if kernel.Virtual(h.proc, h.sys) {
		return prices{interruptNS: assumedVirtualNS}
	}
	return prices{interruptNS: assumedMetalNS}
}

// release is the kernel's.
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
