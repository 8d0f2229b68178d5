package main

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelSigaction is struct kernel_sigaction of rt_sigaction(2). Its zero value is SIG_DFL without flags, which
// has the same layout on every architecture.
type kernelSigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// defaultAction restores the kernel's default action for a signal. The Go runtime has handlers for signals like
// SEGV and QUIT, which would print a traceback and exit with status 2.
func defaultAction(s syscall.Signal) {
	var act kernelSigaction
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&act)), 0,
		unsafe.Sizeof(act.mask), 0, 0)
}
