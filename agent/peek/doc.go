// Package peek reads of other processes what the kernel gives only under their
// memory lock: command line, environment, mappings, program. A question comes in, the
// bytes go out. The owner of a process can hold that lock for ever (a page fault on a
// file system of his own is enough), and whoever reads then hangs and cannot be
// killed. So a child asks, which is left behind when it does not answer: at most one
// a run, and from then on nothing more is asked. See proc(5), mmap_lock in the
// kernel's Documentation/mm/process_addrs.rst.
//
// The child opens files with the file rights of the job's user, where it is started
// by root; it has no descriptor of the run's, and ends when its asker does.
//
// Only processes that are the job's, or that may be by their user id and cgroup, are
// asked, which is the caller's to know first (package job). Never asked for are
// smaps, smaps_rollup, numa_maps and pagemap, which hold the lock for as long as the
// reading takes. It refuses to wait longer than a fifth of the time.
package peek
