// Package peek reads of other processes what the kernel gives only under their memory lock: command line,
// environment, mappings, program. A question goes in, the bytes come out. The owner of a process can hold that
// lock for ever (a page fault on a file system of his own is enough), and its readers then hang and cannot be
// killed. So a child process reads. If it does not answer it is abandoned or, at the end of its use, closed: it is
// killed, is not waited for, and gets no further question. A Child starts one process at most. See proc(5), mmap_lock
// in the kernel's Documentation/mm/process_addrs.rst.
//
// If root starts the child, it opens files with the file rights of the job's user. It has no descriptor of the
// run, and ends when its parent closes the pipes or ends, except while it hangs.
//
// Only processes of the job, or that may be by their user id and cgroup, are read; the caller checks that first
// (package job). The package never reads smaps, smaps_rollup, numa_maps or pagemap, which hold the lock for as
// long as the reading takes. It refuses to wait longer than a fifth of the time.
package peek
