package main

// What must happen before the runtime of Go begins is in C: where an address space is too
// small for it (ulimit -v), Go ends with a page of its own, and COMMAND would not run. So
// a constructor makes this process COMMAND then.
//
// Linux gives a constructor main's arguments where glibc does; musl does not, and nothing
// happens there.

/*
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// go1.26 on amd64: with 1.0 to 1.5 GB of addresses one start in three ends without a thread or a
// heap, with 1.6 GB one in ten, with 1.8 GB none of ten.
#define ENOUGH (2ULL << 30)

// command is the index of COMMAND, 0 if that is for Go to find out: each flag of run has a value.
static int command(int argc, char **argv) {
	for (int i = 2; i < argc; i++) {
		char *a = argv[i];
		if (strcmp(a, "--") == 0)
			return i + 1 < argc ? i + 1 : 0;
		if (a[0] != '-' || a[1] == 0)
			return i;
		if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0)
			return 0;
		if (a[1] == '-' ? strchr(a, '=') == NULL : a[2] == 0)
			i++; // the value is the next word
	}
	return 0;
}

__attribute__((constructor)) static void run_without_go(int argc, char **argv, char **envp) {
	struct rlimit space;
	if (argc < 3 || argv == NULL || strcmp(argv[1], "run") != 0 || getrlimit(RLIMIT_AS, &space) != 0 ||
	    space.rlim_cur >= ENOUGH)
		return;
	int at = command(argc, argv);
	if (at == 0)
		return;
	fprintf(stderr,
		"jobgait: %s runs unwatched: the address space is limited to %llu MB (ulimit -v), and jobgait needs %llu\n",
		argv[at], (unsigned long long)space.rlim_cur >> 20, ENOUGH >> 20);
	execvpe(argv[at], argv + at, envp);
	int missing = errno == ENOENT;
	fprintf(stderr, "jobgait: %s: %s\n", argv[at], strerror(errno));
	_exit(missing ? 127 : 126);
}
*/
import "C"
