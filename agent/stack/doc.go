// Package stack reads the call stacks of running processes from outside.
//
// Process ids come in; for each of their threads a list of places goes out: the function, the library and, where the
// program was built with -g, the file and line, innermost first. Two children do the work. The copier (ServeCopyStacks)
// stops one thread at a time, copies its registers and at most StackBytes of its stack, and lets it go; it reads no
// file of the user and holds no capability but CAP_SYS_PTRACE. The unwinder (ServeUnwindStacks) has the rights of the
// job's user and gets only copies: it reads the ELF files that the process has mapped, walks the copy by .eh_frame
// and names the functions.
//
// A thread is seized without PTRACE_O_EXITKILL: when the copier dies, at any step, the kernel lets the thread go. A
// thread that does not stop within blockedFor waits in the kernel. It is not waited for: its stack pointer and program
// counter come from /proc/PID/task/TID/syscall, its memory is copied while it sleeps, and the walk ends at the first
// frame that needs another register. Processes that another program traces and frozen ones are left alone.
//
// Interrupting a thread has effects that the kernel cannot hide, as when a debugger attaches (signal(7)): epoll_wait,
// semop, sigtimedwait and a few more return EINTR, as do operations of some file systems; and a write, send or receive
// that has moved a part of its bytes returns their number. A thread is usually stopped for less than a millisecond, on
// a busy machine for up to 20 ms, and never longer than maxHeld. If the copier is not root's, a setuid program that a
// thread executes while it is traced runs without its privilege.
//
// The walk is by .eh_frame alone, found through .eh_frame_hdr; in statically linked programs, which have none, through
// an index of the section. Where a function has no table, frame pointers are
// followed as long as each return address follows a call instruction. The walk ends, and says why, instead of
// guessing. Frames are those of the machine: a function that the compiler inlined is not a frame, and its line is
// given under the name of the function that contains it. Python's own functions, code compiled at run time and
// stacks on an alternate signal stack beyond its first frames are not seen. Nothing of arguments, variables or
// other memory leaves the unwinder.
//
// The agent reads stacks only at a stall, which it sees on its own node: on a job's only node at once, on one of
// several nodes after agent.stack_after_s. A job whose other nodes work for longer is stopped all the same.
//
// amd64 and arm64.
package stack
